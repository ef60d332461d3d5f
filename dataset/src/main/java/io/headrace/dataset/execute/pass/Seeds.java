package io.headrace.dataset.execute.pass;

import java.util.random.RandomGenerator;

/**
 * The two seeds of a random dataset; two zeros mean unset.
 *
 * @param seed TensorFlow's graph-level seed
 * @param seed2 TensorFlow's op-level seed
 */
public record Seeds(long seed, long seed2) {
  /** Reads the inputs {@code seed} and {@code seed2}. */
  public static Seeds of(OpArguments in) {
    return new Seeds(in.integer("seed"), in.integer("seed2"));
  }

  /** These seeds, or seeds drawn from {@code random} if unset. */
  Seeds orFrom(RandomGenerator random) {
    return seed == 0 && seed2 == 0 ? new Seeds(random.nextLong(), random.nextLong()) : this;
  }
}
