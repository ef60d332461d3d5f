package io.headrace.kernels.linalg;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

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
 * Products of float and double matrices by a CBLAS library, called on the heap arrays without
 * copies. The library runs on the calling threads and starts none. Thread-safe.
 */
final class NativeBlas implements Blas {
  private static final int ROW_MAJOR = 101;
  private static final int NO_TRANSPOSE = 111;
  private static final int TRANSPOSE = 112;

  /** Concurrent calls that OpenBLAS has buffers for; beyond them it aborts the process. */
  private static final int MAX_CALLS = 64;

  private final MethodHandle sgemm;
  private final MethodHandle dgemm;
  private final Semaphore calls = new Semaphore(MAX_CALLS);

  private NativeBlas(MethodHandle sgemm, MethodHandle dgemm) {
    this.sgemm = sgemm;
    this.dgemm = dgemm;
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

  /** The library of this platform, or else {@link LoopBlas}. */
  static Blas orLoops() {
    return Found.BLAS.orElse(LoopBlas.INSTANCE);
  }

  private static Blas in(SymbolLookup library) {
    return new NativeBlas(
        gemm(library, "cblas_sgemm", JAVA_FLOAT), gemm(library, "cblas_dgemm", JAVA_DOUBLE));
  }

  @SuppressWarnings("restricted") // the signature is that of cblas.h
  private static MethodHandle gemm(SymbolLookup library, String name, MemoryLayout number) {
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
    int transposeA = a.columnMajor() ? TRANSPOSE : NO_TRANSPOSE;
    int transposeB = b.columnMajor() ? TRANSPOSE : NO_TRANSPOSE;
    calls.acquireUninterruptibly();
    try {
      if (c.array() instanceof float[]) {
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
   * A matrix as the library takes it.
   *
   * @param memory where its first element is: in its array, or in a copy in native memory
   * @param stride from a row to the next, or from a column to the next if {@code turned}
   * @param turned whether it lies column by column
   */
  private record Operand(MemorySegment memory, int stride, boolean turned) {
    /** {@code matrix} in its array. */
    static Operand of(Matrix matrix) {
      MemorySegment array = array(matrix.array());
      long offset = matrix.from() * layout(matrix.array()).byteSize();
      return new Operand(array.asSlice(offset), matrix.stride(), matrix.turned());
    }

    /** A copy of {@code matrix}, of {@code rows} by {@code columns}, without gaps. */
    static Operand copy(Matrix matrix, int rows, int columns, Arena arena) {
      int lines = matrix.turned() ? columns : rows;
      int length = matrix.turned() ? rows : columns;
      ValueLayout layout = layout(matrix.array());
      MemorySegment memory = arena.allocate(layout, (long) lines * length);
      for (int i = 0; i < lines; i++) {
        int from = matrix.from() + i * matrix.stride();
        long to = (long) i * length * layout.byteSize();
        MemorySegment.copy(matrix.array(), from, memory, layout, to, length);
      }
      return new Operand(memory, length, matrix.turned());
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
