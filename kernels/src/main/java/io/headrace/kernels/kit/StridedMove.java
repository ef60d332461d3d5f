package io.headrace.kernels.kit;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A strided copy from one array to another: a list of dimensions, outermost first, each with a size
 * and a stride in either array. A source stride of 0 repeats an element, a negative one reverses.
 * Transpose, slice, tile, pad and concat are one or a few strided copies, independent of the dtype.
 *
 * <p>Sizes and strides count elements. The arrays must not overlap. Not thread-safe; an instance is
 * used for one {@link #run}.
 */
public final class StridedMove {
  /** Elements copied between two checks of the cancellation. */
  private static final int CANCELLATION_STEP = 1 << 20;

  private static final int MAX_RANK = 512;

  /** Less is not worth a call of a C function. */
  private static final int MIN_NATIVE_ELEMENTS = 256;

  private final ElementKind kind;
  private int rank;
  private int[] sizes = new int[8];
  private int[] fromStrides = new int[8];
  private int[] toStrides = new int[8];
  private boolean empty;

  /** A copy of one element of {@code kind}, before dimensions are added. */
  public StridedMove(ElementKind kind) {
    this.kind = kind;
  }

  /** Adds an innermost dimension; adjacent dimensions are merged where the strides allow. */
  public StridedMove dimension(int size, int fromStride, int toStride) {
    empty |= size == 0;
    if (size == 1) {
      return this;
    }
    int outer = rank - 1;
    if (rank > 0
        && fromStrides[outer] == size * fromStride
        && toStrides[outer] == size * toStride) {
      set(outer, sizes[outer] * size, fromStride, toStride);
    } else {
      grow();
      set(rank++, size, fromStride, toStride);
    }
    return this;
  }

  private void set(int at, int size, int fromStride, int toStride) {
    sizes[at] = size;
    fromStrides[at] = fromStride;
    toStrides[at] = toStride;
  }

  private void grow() {
    if (rank == sizes.length) {
      if (rank > MAX_RANK) {
        throw Rows.internal("a tensor of too many dimensions");
      }
      sizes = Arrays.copyOf(sizes, 2 * rank);
      fromStrides = Arrays.copyOf(fromStrides, 2 * rank);
      toStrides = Arrays.copyOf(toStrides, 2 * rank);
    }
  }

  /**
   * Copies the block. Its first element is at {@code fromElement} in {@code from} and goes to
   * {@code toElement} in {@code to}.
   */
  public void run(
      Object from, int fromElement, Object to, int toElement, Cancellation cancellation) {
    run(NativeMove.INSTANCE, from, fromElement, to, toElement, cancellation);
  }

  /** The same, with the loops in C where there are any and the block is large enough. */
  void run(
      @Nullable NativeMove loops,
      Object from,
      int fromElement,
      Object to,
      int toElement,
      Cancellation cancellation) {
    if (empty) {
      return;
    }
    if (kind.slots() == 2) {
      scaleToSlots();
    }
    while (rank < 2) {
      grow();
      System.arraycopy(sizes, 0, sizes, 1, rank);
      System.arraycopy(fromStrides, 0, fromStrides, 1, rank);
      System.arraycopy(toStrides, 0, toStrides, 1, rank);
      set(0, 1, 0, 0);
      rank++;
    }
    boolean isNative = loops != null && kind.isFixedWidth() && elements() >= MIN_NATIVE_ELEMENTS;
    Plane plane = Plane.of(this, isNative);
    int f = fromElement * kind.slots();
    int t = toElement * kind.slots();
    if (loops != null && isNative && !plane.isInRuns()) {
      blocks(loops, plane, from, f, to, t, cancellation);
    } else {
      forEachOuter(
          rank - 2,
          plane.elements(),
          f,
          t,
          (fromSlot, toSlot) -> plane.move(from, fromSlot, to, toSlot),
          cancellation);
    }
  }

  private long elements() {
    long elements = 1;
    for (int i = 0; i < rank; i++) {
      elements *= sizes[i];
    }
    return elements;
  }

  private void scaleToSlots() {
    for (int i = 0; i < rank; i++) {
      fromStrides[i] *= 2;
      toStrides[i] *= 2;
    }
    dimension(2, 1, 1);
  }

  /** Copies what the inner dimensions span, at an index of the outer ones. */
  private interface InnerMove {
    void run(int fromSlot, int toSlot);
  }

  /** Copies the planes of up to three dimensions in C. */
  private void blocks(
      NativeMove loops,
      Plane plane,
      Object from,
      int f,
      Object to,
      int t,
      Cancellation cancellation) {
    int outer = Math.max(0, rank - 3);
    int size = rank > 2 ? sizes[outer] : 1;
    int fromStride = rank > 2 ? fromStrides[outer] : 0;
    int toStride = rank > 2 ? toStrides[outer] : 0;
    int most = Math.clamp(NativeMove.ELEMENTS / plane.elements(), 1, size);
    int mostRows = Math.clamp(NativeMove.ELEMENTS / plane.m, 1, plane.n);
    forEachOuter(
        outer,
        size * plane.elements(),
        f,
        t,
        (fromSlot, toSlot) -> {
          for (int at = 0; at < size; at += most) {
            for (int row = 0; row < plane.n; row += mostRows) {
              cancellation.check();
              loops.run(
                  kind,
                  from,
                  fromSlot + at * fromStride + row * plane.fn,
                  to,
                  toSlot + at * toStride + row * plane.tn,
                  new NativeMove.Dimension(Math.min(most, size - at), fromStride, toStride),
                  new NativeMove.Dimension(Math.min(mostRows, plane.n - row), plane.fn, plane.tn),
                  new NativeMove.Dimension(plane.m, plane.fm, plane.tm));
            }
          }
        },
        cancellation);
  }

  /** Copies the inner dimensions for each index of the first {@code outer}. */
  private void forEachOuter(
      int outer, int elements, int f, int t, InnerMove inner, Cancellation cancellation) {
    int[] position = new int[outer];
    int sinceAsked = 0;
    int fromSlot = f;
    int toSlot = t;
    while (true) {
      sinceAsked += elements;
      if (sinceAsked >= CANCELLATION_STEP) {
        cancellation.check();
        sinceAsked = 0;
      }
      inner.run(fromSlot, toSlot);
      int axis = outer - 1;
      while (axis >= 0 && position[axis] == sizes[axis] - 1) {
        fromSlot -= position[axis] * fromStrides[axis];
        toSlot -= position[axis] * toStrides[axis];
        position[axis--] = 0;
      }
      if (axis < 0) {
        return;
      }
      position[axis]++;
      fromSlot += fromStrides[axis];
      toSlot += toStrides[axis];
    }
  }

  /**
   * The two innermost dimensions.
   *
   * @param n size of the outer dimension
   * @param fn source stride of the outer dimension, in slots
   * @param tn target stride of the outer dimension, in slots
   * @param m size of the inner dimension
   * @param fm source stride of the inner dimension, in slots
   * @param tm target stride of the inner dimension, in slots
   */
  private record Plane(int n, int fn, int tn, int m, int fm, int tm) {
    /** Shorter runs are copied slot by slot rather than by {@link System#arraycopy}. */
    private static final int MIN_RUN = 8;

    /** Runs of up to this many slots are moved as one in C. */
    private static final int MAX_PIXEL = 4;

    /** The plane of {@code move}; in C, short runs are as fast as long ones. */
    static Plane of(StridedMove move, boolean isNative) {
      int i = move.rank - 2;
      int j = move.rank - 1;
      Plane plane =
          new Plane(
              move.sizes[i],
              move.fromStrides[i],
              move.toStrides[i],
              move.sizes[j],
              move.fromStrides[j],
              move.toStrides[j]);
      boolean isPixels = isNative && plane.isContiguous() && plane.m <= MAX_PIXEL;
      return plane.m < MIN_RUN && plane.n > plane.m && !isPixels ? plane.transposed() : plane;
    }

    /** Whether elements of the inner dimension lie together in both arrays. */
    private boolean isContiguous() {
      return fm == 1 && tm == 1;
    }

    /** Whether it is copied by {@link System#arraycopy}. */
    boolean isInRuns() {
      return isContiguous() && m >= MIN_RUN;
    }

    private Plane transposed() {
      return new Plane(m, fm, tm, n, fn, tn);
    }

    int elements() {
      return n * m;
    }

    void move(Object from, int f, Object to, int t) {
      if (isInRuns()) {
        runs(from, f, to, t);
        return;
      }
      switch (from) {
        case byte[] a -> bytes(a, f, (byte[]) to, t);
        case short[] a -> shorts(a, f, (short[]) to, t);
        case int[] a -> ints(a, f, (int[]) to, t);
        case long[] a -> longs(a, f, (long[]) to, t);
        case float[] a -> floats(a, f, (float[]) to, t);
        case double[] a -> doubles(a, f, (double[]) to, t);
        case Object[] a -> references(a, f, (Object[]) to, t);
        default -> throw new AssertionError(from.getClass());
      }
    }

    @SuppressWarnings("SuspiciousSystemArraycopy") // both are arrays of one kind
    private void runs(Object from, int f, Object to, int t) {
      for (int i = 0; i < n; i++) {
        System.arraycopy(from, f + i * fn, to, t + i * tn, m);
      }
    }

    private void bytes(byte[] from, int f, byte[] to, int t) {
      for (int i = 0; i < n; i++) {
        int source = f + i * fn;
        int target = t + i * tn;
        for (int j = 0; j < m; j++) {
          to[target + j * tm] = from[source + j * fm];
        }
      }
    }

    private void shorts(short[] from, int f, short[] to, int t) {
      for (int i = 0; i < n; i++) {
        int source = f + i * fn;
        int target = t + i * tn;
        for (int j = 0; j < m; j++) {
          to[target + j * tm] = from[source + j * fm];
        }
      }
    }

    private void ints(int[] from, int f, int[] to, int t) {
      for (int i = 0; i < n; i++) {
        int source = f + i * fn;
        int target = t + i * tn;
        for (int j = 0; j < m; j++) {
          to[target + j * tm] = from[source + j * fm];
        }
      }
    }

    private void longs(long[] from, int f, long[] to, int t) {
      for (int i = 0; i < n; i++) {
        int source = f + i * fn;
        int target = t + i * tn;
        for (int j = 0; j < m; j++) {
          to[target + j * tm] = from[source + j * fm];
        }
      }
    }

    private void floats(float[] from, int f, float[] to, int t) {
      for (int i = 0; i < n; i++) {
        int source = f + i * fn;
        int target = t + i * tn;
        for (int j = 0; j < m; j++) {
          to[target + j * tm] = from[source + j * fm];
        }
      }
    }

    private void doubles(double[] from, int f, double[] to, int t) {
      for (int i = 0; i < n; i++) {
        int source = f + i * fn;
        int target = t + i * tn;
        for (int j = 0; j < m; j++) {
          to[target + j * tm] = from[source + j * fm];
        }
      }
    }

    private void references(Object[] from, int f, Object[] to, int t) {
      for (int i = 0; i < n; i++) {
        int source = f + i * fn;
        int target = t + i * tn;
        for (int j = 0; j < m; j++) {
          to[target + j * tm] = from[source + j * fm];
        }
      }
    }
  }
}
