package io.headrace.dataset;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Composes {@code bucketBySequenceLength}: windows of elements whose lengths lie between the same
 * boundaries, each window a batch.
 */
final class BucketBatches {
  private BucketBatches() {}

  static Dataset of(Dataset input, Functions.ToScalar length, Buckets how) {
    return GroupByWindow.of(
        input,
        element -> bucket(length.apply(element), how),
        bucket -> ofBucket(how.batchSizes(), bucket),
        (bucket, group) -> batch(group, bucket, how));
  }

  /** The number of boundaries that {@code length} has reached. */
  private static Output bucket(Output length, Buckets how) {
    boolean integer = length.dtype() == DataType.INT32 || length.dtype() == DataType.INT64;
    if (!integer || length.shape().rank() > 0) {
      throw StatusException.invalidArgument(
          "the length of an element must be a scalar of int32 or int64, and is %s", length);
    }
    Output reached = length.cast(DataType.INT64).greaterEqual(vector(how.boundaries()));
    return reached.cast(DataType.INT64).sum(0);
  }

  private static Dataset batch(Dataset group, Output bucket, Buckets how) {
    Output size = ofBucket(how.batchSizes(), bucket);
    return how.pads()
        ? Batches.padded(
            group,
            size,
            how.dropsRemainder(),
            how.padding(),
            shapes -> how.padsToBoundary() ? toBoundary(shapes, bucket, how) : constants(shapes))
        : Batches.of(group, size, how.dropsRemainder());
  }

  private static List<Output> constants(List<Shape> shapes) {
    return shapes.stream().map(shape -> Ops.constant(Tensor.vector(shape.dimensions()))).toList();
  }

  /** The shapes with the longest length of {@code bucket} in the place of unknown dimensions. */
  private static List<Output> toBoundary(List<Shape> shapes, Output bucket, Buckets how) {
    Output longest = longest(bucket, how.boundaries());
    return shapes.stream().map(shape -> filled(shape, longest)).toList();
  }

  private static Output longest(Output bucket, List<Long> boundaries) {
    GraphBuilder graph = GraphBuilder.current();
    String message =
        "elements padded to the boundary of their bucket must be shorter than the last boundary, "
            + (boundaries.isEmpty() ? "and there is none" : boundaries.getLast());
    var check =
        graph
            .op("Assert")
            .input(bucket.less(boundaries.size()))
            .constants(List.of(Tensor.scalar(message)))
            .buildOperation();
    // Gathering from the boundaries and a last one keeps the index in range until the check fails.
    List<Long> upper = new ArrayList<>(boundaries);
    upper.add(0L);
    return graph.op("Identity").input(ofBucket(upper, bucket).sub(1)).after(check).build();
  }

  private static Output filled(Shape shape, Output unknown) {
    if (shape.rank() == 0) {
      return Ops.constant(Tensor.vector(new long[0]));
    }
    List<Output> sizes = new ArrayList<>();
    for (long size : shape.dimensions()) {
      sizes.add(size == Shape.UNKNOWN_DIMENSION ? unknown : Ops.constant(size));
    }
    return Ops.stack(sizes, 0);
  }

  private static Output ofBucket(List<Long> values, Output bucket) {
    return vector(values).gather(bucket, 0);
  }

  private static Output vector(List<Long> values) {
    return Ops.constant(Tensor.vector(values.stream().mapToLong(Long::longValue).toArray()));
  }
}
