package io.headrace.kernels.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;
import java.lang.reflect.Array;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Strided copies in C are those in Java. */
class NativeMoveTest {
  private static final int TRIES = 300;

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"BYTES", "REFERENCE"})
  void randomStrides(ElementKind kind) {
    assumeFalse(NativeLoops.levels().isEmpty());
    Random random = new Random(1);
    for (int i = 0; i < TRIES; i++) {
      long seed = random.nextLong();
      assertThat(moved(kind, seed, NativeMove.INSTANCE))
          .as("seed %d", seed)
          .isEqualTo(moved(kind, seed, null));
    }
  }

  @Test
  void planeOfMoreThanACall_isCopiedWhole() {
    assumeFalse(NativeLoops.levels().isEmpty());
    int n = 700;
    int[] from = new Random(1).ints((long) n * n).toArray();
    int[] to = new int[n * n];

    new StridedMove(ElementKind.INT)
        .dimension(n, 1, n)
        .dimension(n, n, 1)
        .run(NativeMove.INSTANCE, from, 0, to, 0, new Cancellation());

    int[] expected = new int[n * n];
    for (int i = 0; i < expected.length; i++) {
      expected[i] = from[i % n * n + i / n];
    }
    assertThat(to).isEqualTo(expected);
  }

  /**
   * The target of a copy of a random block, in which each axis is reversed, repeated or neither.
   */
  private static Object moved(ElementKind kind, long seed, @Nullable NativeMove loops) {
    Random random = new Random(seed);
    int rank = 1 + random.nextInt(5);
    int[] sizes = new int[rank];
    int elements = 1;
    for (int i = 0; i < rank; i++) {
      sizes[i] = 1 + random.nextInt(i == rank - 1 && random.nextBoolean() ? 4 : 12);
      elements *= sizes[i];
    }
    int[] fromStrides = strides(sizes, random);
    int[] toStrides = strides(sizes, random);
    int first = 0;
    StridedMove move = new StridedMove(kind);
    for (int i = 0; i < rank; i++) {
      int change = random.nextInt(4);
      int stride = change == 0 ? 0 : change == 1 ? -fromStrides[i] : fromStrides[i];
      first += stride < 0 ? (sizes[i] - 1) * fromStrides[i] : 0;
      move.dimension(sizes[i], stride, toStrides[i]);
    }
    Object from = kind.newArray(elements);
    for (int i = 0; i < Array.getLength(from); i++) {
      fill(from, i, random.nextInt());
    }
    Object to = kind.newArray(elements + 3);
    move.run(loops, from, first, to, 3, new Cancellation());
    return to;
  }

  /** The strides of an array whose axes are in a random order. */
  private static int[] strides(int[] sizes, Random random) {
    int[] strides = new int[sizes.length];
    int stride = 1;
    boolean reversed = random.nextBoolean();
    for (int i = 0; i < sizes.length; i++) {
      int axis = reversed ? i : sizes.length - 1 - i;
      strides[axis] = stride;
      stride *= sizes[axis];
    }
    return strides;
  }

  private static void fill(Object array, int index, int value) {
    switch (array) {
      case byte[] a -> a[index] = (byte) value;
      case short[] a -> a[index] = (short) value;
      case int[] a -> a[index] = value;
      case long[] a -> a[index] = value;
      case float[] a -> a[index] = value;
      case double[] a -> a[index] = value;
      default -> throw new AssertionError(array.getClass());
    }
  }
}
