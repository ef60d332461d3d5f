package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.DataType;

/** What becomes of an element to which another is scattered: replaced, or combined with it. */
public enum Combining {
  /** The other replaces it. */
  UPDATE,
  /** Their sum; of strings, the other behind it. */
  ADD,
  /** It without the other. */
  SUB,
  /** Their product. */
  MUL,
  /** Their quotient; of integers, rounded towards zero, and no number by 0. */
  DIV,
  /** The larger one. */
  MAX,
  /** The smaller one. */
  MIN;

  /** Combines {@code count} elements of {@code from} into those of {@code to}. */
  public void into(
      DataType dtype, Object to, int toElement, Object from, int fromElement, int count) {
    if (this == UPDATE) {
      dtype.kind().copy(from, fromElement, to, toElement, count);
      return;
    }
    int slots = dtype.kind().slots();
    int t = toElement * slots;
    int f = fromElement * slots;
    for (int i = 0; i < count * slots; i++) {
      one(dtype, to, t + i, from, f + i);
    }
  }

  private void one(DataType dtype, Object to, int t, Object from, int f) {
    switch (to) {
      case float[] a -> a[t] = (float) of(a[t], ((float[]) from)[f]);
      case double[] a -> a[t] = of(a[t], ((double[]) from)[f]);
      case short[] a when dtype.isFloating() ->
          Numbers.setFloating(
              dtype, a, t, of(Numbers.floating(dtype, a, t), Numbers.floating(dtype, from, f)));
      case byte[][] a -> a[t] = Strings.joined(a[t], ((byte[][]) from)[f]);
      default -> {
        long value = of(dtype, Numbers.integer(dtype, to, t), Numbers.integer(dtype, from, f));
        Numbers.setInteger(to, t, dtype == DataType.BOOL && value != 0 ? 1 : value);
      }
    }
  }

  private double of(double a, double b) {
    return switch (this) {
      case UPDATE -> b;
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case DIV -> a / b;
      case MAX -> a < b ? b : a;
      case MIN -> b < a ? b : a;
    };
  }

  private long of(DataType dtype, long a, long b) {
    boolean less = dtype.isUnsigned() ? Long.compareUnsigned(a, b) < 0 : a < b;
    return switch (this) {
      case UPDATE -> b;
      case ADD -> a + b;
      case SUB -> a - b;
      case MUL -> a * b;
      case DIV -> dtype.isUnsigned() ? Long.divideUnsigned(a, b) : a / b;
      case MAX -> less ? b : a;
      case MIN -> less ? a : b;
    };
  }
}
