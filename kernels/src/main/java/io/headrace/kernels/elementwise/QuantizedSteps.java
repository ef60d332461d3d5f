package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Attrs;

/**
 * The quantized range of a FakeQuant op: the integers {@code first} to {@code last}, by the attrs
 * num_bits and narrow_range.
 */
record QuantizedSteps(int first, int last) {
  private static final int MIN_BITS = 2;
  private static final int MAX_BITS = 16;

  /** The steps of a node whose attrs are valid. */
  static QuantizedSteps of(Attrs attrs) {
    return new QuantizedSteps(
        attrs.bool("narrow_range") ? 1 : 0, (1 << (int) attrs.integer("num_bits")) - 1);
  }

  /** INVALID_ARGUMENT unless the attr num_bits is in TensorFlow's range. */
  static void check(Attrs attrs) {
    if (!isValid(attrs)) {
      throw invalidArgument("num_bits must be between 2 and 16, inclusive");
    }
  }

  /** Whether the attr num_bits is in TensorFlow's range. */
  static boolean isValid(Attrs attrs) {
    long bits = attrs.integer("num_bits");
    return bits >= MIN_BITS && bits <= MAX_BITS;
  }
}
