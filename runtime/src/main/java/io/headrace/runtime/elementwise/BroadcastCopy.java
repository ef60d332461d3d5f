package io.headrace.runtime.elementwise;

import io.headrace.runtime.tensor.ElementKind;
import java.util.Arrays;

/** Materializes a broadcast operand: copies each element as often as the result repeats it. */
public final class BroadcastCopy {
  private final BroadcastPlan plan;
  private final int operand;
  private final ElementKind kind;

  BroadcastCopy(BroadcastPlan plan, int operand, ElementKind kind) {
    this.plan = plan;
    this.operand = operand;
    this.kind = kind;
  }

  /**
   * Writes the operand's elements for the results {@code from} to {@code to - 1}.
   *
   * @param source the operand's array, whose first element is at {@code offset}
   * @param target the target array, written from index 0 on
   * @param split {@code from} and {@code to} are multiples of the results from this dimension
   *     inwards; the number of dimensions if they are arbitrary
   */
  void write(Object source, int offset, Object target, int from, int to, int split) {
    if (split == plan.dimensions()) {
      writeRange(source, offset, target, from, to);
      return;
    }
    if (split == 0) {
      writeInner(source, offset, target, 0, 0, plan.size(0));
      return;
    }
    // Steps along the dimension outside of the split are written together.
    int dimension = split - 1;
    int step = plan.inner(split);
    int stride = plan.varies(operand, dimension) ? plan.innerOf(operand, split) : 0;
    int at = 0;
    for (int outer = from / step; outer < to / step; ) {
      int i = outer % plan.size(dimension);
      int count = Math.min(plan.size(dimension) - i, to / step - outer);
      int start = plan.offset(operand, dimension, outer / plan.size(dimension)) + i * stride;
      writeInner(source, offset + start, target, at, dimension, count);
      at += count * step;
      outer += count;
    }
  }

  /** Writes an arbitrary range, row by row of the innermost dimension. */
  private void writeRange(Object source, int offset, Object target, int from, int to) {
    int last = plan.dimensions() - 1;
    int size = plan.size(last);
    int written = 0;
    for (int i = from; i < to; ) {
      int count = Math.min(size - i % size, to - i);
      int at = offset + plan.offset(operand, last, i / size);
      if (plan.varies(operand, last)) {
        kind.copy(source, at + i % size, target, written, count);
      } else {
        fill(kind, source, at, target, written, count);
      }
      written += count;
      i += count;
    }
  }

  /** Writes {@code size} steps along {@code dimension}, and all of the dimensions inside of it. */
  private void writeInner(Object source, int at, Object target, int to, int dimension, int size) {
    boolean varies = plan.varies(operand, dimension);
    int last = plan.dimensions() - 1;
    if (dimension == last) {
      if (varies) {
        kind.copy(source, at, target, to, size);
      } else {
        fill(kind, source, at, target, to, size);
      }
    } else if (!varies) {
      writeInner(source, at, target, to, dimension + 1, plan.size(dimension + 1));
      repeat(kind, target, to, plan.inner(dimension + 1), size);
    } else if (dimension == last - 1 && !plan.varies(operand, last)) {
      repeatEach(kind, source, at, target, to, size, plan.size(last));
    } else {
      int stride = plan.innerOf(operand, dimension + 1);
      int step = plan.inner(dimension + 1);
      for (int i = 0; i < size; i++) {
        writeInner(
            source,
            at + i * stride,
            target,
            to + i * step,
            dimension + 1,
            plan.size(dimension + 1));
      }
    }
  }

  /** Repeats the {@code length} elements at {@code at}, for {@code times} copies in total. */
  private static void repeat(ElementKind kind, Object target, int at, int length, int times) {
    int total = length * times;
    for (int done = length; done < total; ) {
      int count = Math.min(done, total - done);
      kind.copy(target, at, target, at + done, count);
      done += count;
    }
  }

  /**
   * Sets {@code count} elements of {@code target} from {@code to} on to the element {@code at} of
   * {@code source}.
   *
   * @param kind the kind of both arrays
   */
  public static void fill(
      ElementKind kind, Object source, int at, Object target, int to, int count) {
    if (kind.slots() > 1) {
      kind.copy(source, at, target, to, Math.min(1, count));
      repeat(kind, target, to, 1, count);
      return;
    }
    switch (source) {
      case byte[] s -> Arrays.fill((byte[]) target, to, to + count, s[at]);
      case short[] s -> Arrays.fill((short[]) target, to, to + count, s[at]);
      case int[] s -> Arrays.fill((int[]) target, to, to + count, s[at]);
      case long[] s -> Arrays.fill((long[]) target, to, to + count, s[at]);
      case float[] s -> Arrays.fill((float[]) target, to, to + count, s[at]);
      case double[] s -> Arrays.fill((double[]) target, to, to + count, s[at]);
      default -> throw new IllegalArgumentException("no arithmetic over " + source.getClass());
    }
  }

  /**
   * Writes each of {@code size} elements {@code times} times, efficiently even for few repetitions.
   */
  private static void repeatEach(
      ElementKind kind, Object source, int at, Object target, int to, int size, int times) {
    switch (source) {
      case byte[] s -> repeatEach(s, at, (byte[]) target, to, size, times);
      case int[] s -> repeatEach(s, at, (int[]) target, to, size, times);
      case float[] s when kind == ElementKind.FLOAT ->
          repeatEach(s, at, (float[]) target, to, size, times);
      default -> {
        for (int i = 0; i < size; i++) {
          fill(kind, source, at + i, target, to + i * times, times);
        }
      }
    }
  }

  private static void repeatEach(byte[] s, int at, byte[] t, int to, int size, int times) {
    int next = to;
    for (int i = at; i < at + size; i++) {
      for (int end = next + times; next < end; next++) {
        t[next] = s[i];
      }
    }
  }

  private static void repeatEach(int[] s, int at, int[] t, int to, int size, int times) {
    int next = to;
    for (int i = at; i < at + size; i++) {
      for (int end = next + times; next < end; next++) {
        t[next] = s[i];
      }
    }
  }

  private static void repeatEach(float[] s, int at, float[] t, int to, int size, int times) {
    int next = to;
    for (int i = at; i < at + size; i++) {
      for (int end = next + times; next < end; next++) {
        t[next] = s[i];
      }
    }
  }
}
