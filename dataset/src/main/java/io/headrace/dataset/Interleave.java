package io.headrace.dataset;

/**
 * How the datasets of several elements are read by turns.
 *
 * @param cycleLength how many are open at once
 * @param blockLength how many consecutive elements are taken of each
 * @param parallelism how many are read at the same time: 0 for one after the other, {@link
 *     Dataset#AUTOTUNE} to adapt
 * @param deterministic whether the order is that of reading one after the other
 */
public record Interleave(
    long cycleLength, long blockLength, long parallelism, boolean deterministic) {
  /** Open {@code cycleLength} at once and take an element of each by turns. */
  public static Interleave cycle(long cycleLength) {
    return new Interleave(cycleLength, 1, 0, true);
  }

  /** The same, with {@code length} consecutive elements of each. */
  public Interleave block(long length) {
    return new Interleave(cycleLength, length, parallelism, deterministic);
  }

  /** The same, with {@code calls} of them read at the same time. */
  public Interleave parallel(long calls) {
    return new Interleave(cycleLength, blockLength, calls, deterministic);
  }

  /** The same, in whatever order elements are ready. */
  public Interleave anyOrder() {
    return new Interleave(cycleLength, blockLength, parallelism, false);
  }
}
