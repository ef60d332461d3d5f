package io.headrace.dataset;

/**
 * The parameters of a shuffle.
 *
 * @param seed TensorFlow's seed, which gives TensorFlow's order; 0 if not {@code seeded}
 * @param seeded whether {@code seed} applies; otherwise each pass has a random order
 * @param reshuffleEachIteration whether a seeded order differs from pass to pass
 */
public record Shuffle(long seed, boolean seeded, boolean reshuffleEachIteration) {
  /** A random order for each pass. */
  public static final Shuffle RANDOM = new Shuffle(0, false, true);

  /** The order of {@code seed}, a different one for each pass over a dataset. */
  public static Shuffle seed(long seed) {
    return new Shuffle(seed, true, true);
  }

  /** Uses the same order for each pass. */
  public Shuffle sameEachIteration() {
    return new Shuffle(seed, seeded, false);
  }
}
