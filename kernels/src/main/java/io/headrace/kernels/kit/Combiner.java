package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.DataType;

/**
 * How a scatter, segment or sum kernel combines an element with an update. Elements are real
 * numbers, bools, complex numbers (not MAX and MIN) or strings (UPDATE and ADD).
 */
public enum Combiner {
  /** The update replaces the element. */
  UPDATE,
  /** Sum; strings are concatenated, the update last. */
  ADD,
  /** Element minus update. */
  SUB,
  /** Product. */
  MUL,
  /** Element divided by update; integers truncate towards zero and throw if the update is 0. */
  DIV,
  /** Maximum. */
  MAX,
  /** Minimum. */
  MIN;

  /**
   * Combines {@code count} updates with as many elements of {@code to}, in place.
   *
   * @param to the array of the elements; the first is {@code toElement}
   * @param from the array of the updates; the first is {@code fromElement}
   */
  public void into(
      DataType dtype, Object to, int toElement, Object from, int fromElement, int count) {
    combine(dtype, to, toElement, from, fromElement, count, false);
  }

  /**
   * The same with the update as the first operand: of MAX and MIN, where neither operand is less,
   * as with NaN, the update is the result. Not for SUB and DIV.
   */
  public void intoAsFirst(
      DataType dtype, Object to, int toElement, Object from, int fromElement, int count) {
    combine(dtype, to, toElement, from, fromElement, count, true);
  }

  private void combine(
      DataType dtype,
      Object to,
      int toElement,
      Object from,
      int fromElement,
      int count,
      boolean updateFirst) {
    if (this == UPDATE) {
      dtype.kind().copy(from, fromElement, to, toElement, count);
      return;
    }
    if (dtype.isComplex() && (this == MUL || this == DIV)) {
      for (int i = 0; i < count; i++) {
        if (this == MUL) {
          ComplexParts.multiply(to, toElement + i, from, fromElement + i);
        } else {
          ComplexParts.divide(to, toElement + i, from, fromElement + i);
        }
      }
      return;
    }
    int slots = dtype.kind().slots();
    int t = toElement * slots;
    int f = fromElement * slots;
    for (int i = 0; i < count * slots; i++) {
      if (updateFirst) {
        one(dtype, to, t + i, from, f + i, to, t + i);
      } else {
        one(dtype, to, t + i, to, t + i, from, f + i);
      }
    }
  }

  /** Writes the result of the elements {@code l} and {@code r} to element {@code t}. */
  private void one(DataType dtype, Object to, int t, Object left, int l, Object right, int r) {
    switch (to) {
      case float[] a -> a[t] = (float) of(((float[]) left)[l], ((float[]) right)[r]);
      case double[] a -> a[t] = of(((double[]) left)[l], ((double[]) right)[r]);
      case short[] a when dtype.isFloating() ->
          NumericElements.setFloating(
              dtype,
              a,
              t,
              of(
                  NumericElements.floating(dtype, left, l),
                  NumericElements.floating(dtype, right, r)));
      case byte[][] a -> a[t] = ByteStrings.joined(((byte[][]) left)[l], ((byte[][]) right)[r]);
      default -> {
        long value =
            of(
                dtype,
                NumericElements.integer(dtype, left, l),
                NumericElements.integer(dtype, right, r));
        NumericElements.setInteger(to, t, dtype == DataType.BOOL && value != 0 ? 1 : value);
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
