package io.headrace.kernels.linalg;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.headrace.kernels.kit.ArrayPinning;
import io.headrace.runtime.status.Cancellation;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Products of float and double matrices by a CBLAS library. The call pins the heap arrays where
 * {@link ArrayPinning} is safe, and works on copies in native memory elsewhere. The library runs on
 * the calling threads and starts none. Thread-safe.
 */
final class NativeBlas implements Blas {
  private static final int ROW_MAJOR = 101;
  private static final int NO_TRANSPOSE = 111;
  private static final int TRANSPOSE = 112;

  /** Concurrent calls that OpenBLAS has buffers for; beyond them it aborts the process. */
  private static final int MAX_CALLS = 64;

  private final boolean pins;
  private final MethodHandle sgemm;
  private final MethodHandle dgemm;
  private final Semaphore calls = new Semaphore(MAX_CALLS);

  private NativeBlas(SymbolLookup library, boolean pins) {
    this.pins = pins;
    this.sgemm = gemm(library, "cblas_sgemm", JAVA_FLOAT, pins);
    this.dgemm = gemm(library, "cblas_dgemm", JAVA_DOUBLE, pins);
  }

  /** The library, loaded on first use. */
  private static final class Found {
    static final Optional<SymbolLookup> LIBRARY = BlasLibrary.find();
    static final Optional<Blas> BLAS = find(ArrayPinning.isSafe());
  }

  /** The library of this platform, if there is one. */
  static Optional<Blas> find() {
    return Found.BLAS;
  }

  /** The same, called on pinned arrays or on copies in native memory. */
  static Optional<Blas> find(boolean pins) {
    return Found.LIBRARY.map(library -> new NativeBlas(library, pins));
  }

  /** The library of this platform, or else {@link JavaBlas}. */
  static Blas orLoops() {
    return Found.BLAS.orElse(JavaBlas.INSTANCE);
  }

  @SuppressWarnings("restricted") // the signature is that of cblas.h
  private static MethodHandle gemm(
      SymbolLookup library, String name, MemoryLayout number, boolean pins) {
    return Linker.nativeLinker()
        .downcallHandle(
            library.find(name).orElseThrow(),
            FunctionDescriptor.ofVoid(
                JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, number, ADDRESS,
                JAVA_INT, ADDRESS, JAVA_INT, number, ADDRESS, JAVA_INT),
            pins ? new Linker.Option[] {Linker.Option.critical(true)} : new Linker.Option[0]);
  }

  @Override
  public boolean requiresRowMajor() {
    return false;
  }

  @Override
  public void add(Matrix a, Matrix b, Matrix c, int m, int k, int n, Cancellation stop) {
    calls.acquireUninterruptibly();
    try {
      if (pins) {
        call(c.array(), Operand.of(a), Operand.of(b), Operand.of(c), m, k, n);
      } else {
        addByCopies(a, b, c, m, k, n);
      }
    } finally {
      calls.release();
    }
  }

  private void addByCopies(Matrix a, Matrix b, Matrix c, int m, int k, int n) {
    try (Arena arena = Arena.ofConfined()) {
      Operand copyOfC = Operand.copy(c, m, n, arena);
      call(c.array(), Operand.copy(a, m, k, arena), Operand.copy(b, k, n, arena), copyOfC, m, k, n);
      copyOfC.copyBack(c, m);
    }
  }

  private void call(Object kind, Operand a, Operand b, Operand c, int m, int k, int n) {
    int transposeA = a.columnMajor() ? TRANSPOSE : NO_TRANSPOSE;
    int transposeB = b.columnMajor() ? TRANSPOSE : NO_TRANSPOSE;
    try {
      if (kind instanceof float[]) {
        sgemm.invokeExact(
            ROW_MAJOR,
            transposeA,
            transposeB,
            m,
            n,
            k,
            1f,
            a.memory(),
            a.stride(),
            b.memory(),
            b.stride(),
            1f,
            c.memory(),
            c.stride());
      } else {
        dgemm.invokeExact(
            ROW_MAJOR,
            transposeA,
            transposeB,
            m,
            n,
            k,
            1d,
            a.memory(),
            a.stride(),
            b.memory(),
            b.stride(),
            1d,
            c.memory(),
            c.stride());
      }
    } catch (Throwable e) {
      throw new AssertionError("a function of BLAS does not throw", e);
    }
  }

  /**
   * A matrix argument of the library.
   *
   * @param memory begins at the first element, in the heap array or in a native copy
   * @param stride the leading dimension: elements from one row to the next, or from one column to
   *     the next if {@code columnMajor}
   * @param columnMajor whether the layout is column-major
   */
  private record Operand(MemorySegment memory, int stride, boolean columnMajor) {
    /** {@code matrix} in its array. */
    static Operand of(Matrix matrix) {
      MemorySegment array = array(matrix.array());
      long offset = matrix.from() * layout(matrix.array()).byteSize();
      return new Operand(array.asSlice(offset), matrix.stride(), matrix.columnMajor());
    }

    /** A copy of {@code matrix}, of {@code rows} by {@code columns}, without gaps. */
    static Operand copy(Matrix matrix, int rows, int columns, Arena arena) {
      int lines = matrix.columnMajor() ? columns : rows;
      int length = matrix.columnMajor() ? rows : columns;
      ValueLayout layout = layout(matrix.array());
      MemorySegment memory = arena.allocate(layout, (long) lines * length);
      for (int i = 0; i < lines; i++) {
        int from = matrix.from() + i * matrix.stride();
        long to = (long) i * length * layout.byteSize();
        MemorySegment.copy(matrix.array(), from, memory, layout, to, length);
      }
      return new Operand(memory, length, matrix.columnMajor());
    }

    /**
     * Copies the {@code rows} of this copy to {@code matrix}, and nothing between them: another
     * thread may be writing to the other columns.
     */
    void copyBack(Matrix matrix, int rows) {
      ValueLayout layout = layout(matrix.array());
      for (int i = 0; i < rows; i++) {
        long from = (long) i * stride * layout.byteSize();
        int to = matrix.from() + i * matrix.stride();
        MemorySegment.copy(memory, layout, from, matrix.array(), to, stride);
      }
    }

    private static MemorySegment array(Object array) {
      return switch (array) {
        case float[] floats -> MemorySegment.ofArray(floats);
        case double[] doubles -> MemorySegment.ofArray(doubles);
        default -> throw new AssertionError(array.getClass());
      };
    }

    private static ValueLayout layout(Object array) {
      return array instanceof float[] ? JAVA_FLOAT : JAVA_DOUBLE;
    }
  }
}
