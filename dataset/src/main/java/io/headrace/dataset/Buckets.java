package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The parameters of {@link Dataset#bucketBySequenceLength}.
 *
 * @param boundaries the first length of each bucket but the first, increasing
 * @param batchSizes the batch size of each bucket, one more than there are boundaries
 * @param padding how the elements of a batch are padded
 * @param pads whether elements are padded at all; otherwise those of a bucket have one shape
 * @param padsToBoundary whether unknown dimensions are padded to the longest length of the bucket,
 *     and not to that of the batch
 * @param dropsRemainder whether batches that are not full are dropped
 */
public record Buckets(
    List<Long> boundaries,
    List<Long> batchSizes,
    Padding padding,
    boolean pads,
    boolean padsToBoundary,
    boolean dropsRemainder) {
  /**
   * Copies the lists.
   *
   * @throws StatusException INVALID_ARGUMENT if boundaries do not increase, a batch size is below
   *     1, or there is not one batch size more than boundaries
   */
  public Buckets {
    requireNonNull(boundaries, "boundaries is null");
    requireNonNull(batchSizes, "batchSizes is null");
    requireNonNull(padding, "padding is null");
    boundaries = List.copyOf(boundaries);
    batchSizes = List.copyOf(batchSizes);
    if (batchSizes.size() != boundaries.size() + 1) {
      throw StatusException.invalidArgument(
          "%d boundaries make %d buckets, and %d batch sizes were given",
          boundaries.size(), boundaries.size() + 1, batchSizes.size());
    }
    for (int i = 1; i < boundaries.size(); i++) {
      if (boundaries.get(i - 1) >= boundaries.get(i)) {
        throw StatusException.invalidArgument(
            "the boundaries of buckets must increase, and are %s", boundaries);
      }
    }
    if (batchSizes.stream().anyMatch(size -> size < 1)) {
      throw StatusException.invalidArgument(
          "batch sizes must be at least 1, and are %s", batchSizes);
    }
  }

  /**
   * Buckets of the lengths below {@code boundaries[0]}, from there to below {@code boundaries[1]},
   * and so on; the last holds all longer ones. Batches of bucket {@code i} have {@code
   * batchSizes[i]} elements, padded to the longest of them.
   */
  public static Buckets of(long[] boundaries, long[] batchSizes) {
    requireNonNull(boundaries, "boundaries is null");
    requireNonNull(batchSizes, "batchSizes is null");
    return new Buckets(
        LongStream.of(boundaries).boxed().toList(),
        LongStream.of(batchSizes).boxed().toList(),
        Padding.TO_LONGEST,
        true,
        false,
        false);
  }

  /** Pads as {@code newPadding} states. */
  public Buckets padding(Padding newPadding) {
    requireNonNull(newPadding, "newPadding is null");
    return new Buckets(boundaries, batchSizes, newPadding, true, padsToBoundary, dropsRemainder);
  }

  /** Stacks the elements as they are: those of a batch must have the same shape. */
  public Buckets noPadding() {
    return new Buckets(boundaries, batchSizes, padding, false, false, dropsRemainder);
  }

  /**
   * Pads unknown dimensions to the longest length of the bucket, one less than its upper boundary.
   * The last bucket has none: an element as long as the last boundary fails its batch (INTERNAL, as
   * all errors in groups do).
   */
  public Buckets padToBoundary() {
    return new Buckets(boundaries, batchSizes, padding, true, true, dropsRemainder);
  }

  /** Drops batches that are not full at the end. */
  public Buckets dropRemainder() {
    return new Buckets(boundaries, batchSizes, padding, pads, padsToBoundary, true);
  }
}
