package io.headrace.kernels.random;

import java.util.function.LongSupplier;

/**
 * The counter-based generator Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1,
 * 2, 3", SC11), seeded and read as TensorFlow does: the same bits for the same seeds.
 *
 * <p>Each step encrypts a 128-bit counter with a 64-bit key into a block of four 32-bit samples,
 * and increments the counter. Not thread-safe.
 */
public final class Philox {
  /** Samples in a block. */
  public static final int BLOCK = 4;

  private static final int ROUNDS = 10;
  private static final long MULTIPLIER_A = 0xD2511F53L;
  private static final long MULTIPLIER_B = 0xCD9E8D57L;
  private static final int WEYL_A = 0x9E3779B9;
  private static final int WEYL_B = 0xBB67AE85;
  private static final long LOW = 0xFFFFFFFFL;

  private final long key;
  private long counterLow;
  private long counterHigh;

  private Philox(long key, long counterLow, long counterHigh) {
    this.key = key;
    this.counterLow = counterLow;
    this.counterHigh = counterHigh;
  }

  /** TensorFlow's generator for {@code seed} and {@code seed2}, zeros included. */
  public static Philox ofSeeds(long seed, long seed2) {
    return new Philox(seed, 0, seed2);
  }

  /**
   * The generator for the attrs {@code seed} and {@code seed2} of a stateful op or a dataset. Two
   * zeros mean a nondeterministic seed: they are replaced by two values of {@code entropy}.
   */
  public static Philox ofSeedAttrs(long seed, long seed2, LongSupplier entropy) {
    return seed == 0 && seed2 == 0
        ? ofSeeds(entropy.getAsLong(), entropy.getAsLong())
        : ofSeeds(seed, seed2);
  }

  /** The generator with the given key and 128-bit counter. */
  public static Philox ofKeyAndCounter(long key, long counterLow, long counterHigh) {
    return new Philox(key, counterLow, counterHigh);
  }

  /** An independent generator in the same state. */
  public Philox copy() {
    return new Philox(key, counterLow, counterHigh);
  }

  /** The key. */
  public long key() {
    return key;
  }

  /** The low half of the counter of the next block. */
  public long counterLow() {
    return counterLow;
  }

  /** The high half of the counter of the next block. */
  public long counterHigh() {
    return counterHigh;
  }

  /** Skips {@code blocks} blocks, an unsigned number, in constant time. */
  public void skip(long blocks) {
    counterLow += blocks;
    if (Long.compareUnsigned(counterLow, blocks) < 0) {
      counterHigh++;
    }
  }

  /** Writes the next block to the first four elements of {@code block}. */
  public void next(int[] block) {
    int c0 = (int) counterLow;
    int c1 = (int) (counterLow >>> 32);
    int c2 = (int) counterHigh;
    int c3 = (int) (counterHigh >>> 32);
    int k0 = (int) key;
    int k1 = (int) (key >>> 32);
    for (int round = 0; round < ROUNDS; round++) {
      long a = MULTIPLIER_A * (c0 & LOW);
      long b = MULTIPLIER_B * (c2 & LOW);
      c0 = (int) (b >>> 32) ^ c1 ^ k0;
      c1 = (int) b;
      c2 = (int) (a >>> 32) ^ c3 ^ k1;
      c3 = (int) a;
      k0 += WEYL_A;
      k1 += WEYL_B;
    }
    block[0] = c0;
    block[1] = c1;
    block[2] = c2;
    block[3] = c3;
    skip(1);
  }
}
