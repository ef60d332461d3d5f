package io.headrace.dataset;

import io.headrace.runtime.status.StatusException;

/**
 * The parameters of an interleave.
 *
 * @param cycleLength the number of datasets that are open at once
 * @param blockLength the number of consecutive elements taken from each in turn
 * @param parallelism the number of datasets read in parallel: 0 reads one after the other, {@link
 *     Dataset#AUTOTUNE} adapts
 * @param deterministic whether the order is that of sequential reading
 */
public record Interleave(
    long cycleLength, long blockLength, long parallelism, boolean deterministic) {
  /** INVALID_ARGUMENT unless cycle and block have a length of at least 1. */
  public Interleave {
    if ((cycleLength < 1 && cycleLength != Dataset.AUTOTUNE) || blockLength < 1) {
      throw StatusException.invalidArgument(
          "an interleave's cycle and block have at least 1 element, not %d and %d",
          cycleLength, blockLength);
    }
  }

  /** Keeps {@code cycleLength} datasets open and takes one element of each in turn; sequential. */
  public static Interleave cycle(long cycleLength) {
    return new Interleave(cycleLength, 1, 0, true);
  }

  /** Takes {@code length} consecutive elements of each dataset in turn. */
  public Interleave block(long length) {
    return new Interleave(cycleLength, length, parallelism, deterministic);
  }

  /** Reads {@code calls} datasets in parallel. */
  public Interleave parallel(long calls) {
    return new Interleave(cycleLength, blockLength, calls, deterministic);
  }

  /** Returns elements in the order in which they become ready. */
  public Interleave anyOrder() {
    return new Interleave(cycleLength, blockLength, parallelism, false);
  }
}
