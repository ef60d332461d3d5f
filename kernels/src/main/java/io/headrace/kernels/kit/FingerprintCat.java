package io.headrace.kernels.kit;

/** TensorFlow's FingerprintCat64, which combines two 64-bit hashes. */
public final class FingerprintCat {
  /** Constants of tsl/platform/fingerprint.h. */
  private static final long MULTIPLIER = 0xc6a4a7935bd1e995L;

  private static final int SHIFT = 47;

  private FingerprintCat() {}

  /** The hash of {@code first} followed by {@code second}. */
  public static long of(long first, long second) {
    long result = first ^ MULTIPLIER;
    result ^= mix(second * MULTIPLIER) * MULTIPLIER;
    result *= MULTIPLIER;
    result = mix(result) * MULTIPLIER;
    return mix(result);
  }

  private static long mix(long value) {
    return value ^ (value >>> SHIFT);
  }
}
