package io.headrace.dataset;

/**
 * How elements are put into another order.
 *
 * @param seed TensorFlow's order for TensorFlow's seed; 0 with {@code seeded} false is another
 *     order for every pass
 * @param seeded whether the seed counts
 * @param reshuffleEachIteration whether a seeded order differs from pass to pass
 */
public record Shuffle(long seed, boolean seeded, boolean reshuffleEachIteration) {
  /** Another order for every pass. */
  public static final Shuffle RANDOM = new Shuffle(0, false, true);

  /** The order that follows from {@code seed}, another for each pass over one dataset. */
  public static Shuffle seed(long seed) {
    return new Shuffle(seed, true, true);
  }

  /** The same order for every pass. */
  public Shuffle sameEachIteration() {
    return new Shuffle(seed, seeded, false);
  }
}
