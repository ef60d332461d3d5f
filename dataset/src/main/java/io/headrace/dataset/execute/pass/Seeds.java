package io.headrace.dataset.execute.pass;

import java.util.random.RandomGenerator;

/**
 * The two seeds of a random dataset; two zeros mean that nobody chose.
 *
 * @param seed the first
 * @param seed2 the second
 */
public record Seeds(long seed, long seed2) {
  /** What the inputs {@code seed} and {@code seed2} say. */
  public static Seeds of(Arguments in) {
    return new Seeds(in.integer("seed"), in.integer("seed2"));
  }

  /** These seeds, or seeds drawn from {@code random} if nobody chose. */
  Seeds orFrom(RandomGenerator random) {
    return seed == 0 && seed2 == 0 ? new Seeds(random.nextLong(), random.nextLong()) : this;
  }
}
