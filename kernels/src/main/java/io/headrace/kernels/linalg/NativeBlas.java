package io.headrace.kernels.linalg;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.headrace.runtime.status.Cancellation;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Products of float and double matrices by a library with C's interface to BLAS, called on the
 * arrays themselves. The threads that call it are the only ones: it starts none. Thread-safe.
 */
final class NativeBlas implements Blas {
  private static final int ROW_BY_ROW = 101;
  private static final int AS_IT_IS = 111;
  private static final int TURNED = 112;

  /** OpenBLAS has memory for so many calls at once, and ends the process beyond it. */
  private static final int MAX_CALLS = 64;

  private final MethodHandle ofFloats;
  private final MethodHandle ofDoubles;
  private final Semaphore calls = new Semaphore(MAX_CALLS);

  private NativeBlas(MethodHandle ofFloats, MethodHandle ofDoubles) {
    this.ofFloats = ofFloats;
    this.ofDoubles = ofDoubles;
  }

  /** Found once, when it is first asked for. */
  private static final class Found {
    static final Optional<Blas> BLAS = BlasLibrary.find().map(NativeBlas::in);
  }

  /** The library of this platform, if there is one. */
  static Optional<Blas> find() {
    return Found.BLAS;
  }

  /** The library of this platform, or loops. */
  static Blas orLoops() {
    return Found.BLAS.orElse(LoopBlas.INSTANCE);
  }

  private static Blas in(SymbolLookup library) {
    return new NativeBlas(
        product(library, "cblas_sgemm", JAVA_FLOAT), product(library, "cblas_dgemm", JAVA_DOUBLE));
  }

  @SuppressWarnings("restricted") // the signature is that of cblas.h
  private static MethodHandle product(SymbolLookup library, String name, MemoryLayout number) {
    return Linker.nativeLinker()
        .downcallHandle(
            library.find(name).orElseThrow(),
            FunctionDescriptor.ofVoid(
                JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, number, ADDRESS,
                JAVA_INT, ADDRESS, JAVA_INT, number, ADDRESS, JAVA_INT),
            Linker.Option.critical(true));
  }

  @Override
  public boolean wantsRows() {
    return false;
  }

  @Override
  public void add(Matrix a, Matrix b, Matrix c, int m, int k, int n, Cancellation stop) {
    int turnA = a.turned() ? TURNED : AS_IT_IS;
    int turnB = b.turned() ? TURNED : AS_IT_IS;
    calls.acquireUninterruptibly();
    try {
      if (c.array() instanceof float[]) {
        ofFloats.invokeExact(
            ROW_BY_ROW,
            turnA,
            turnB,
            m,
            n,
            k,
            1f,
            segment(a),
            a.stride(),
            segment(b),
            b.stride(),
            1f,
            segment(c),
            c.stride());
      } else {
        ofDoubles.invokeExact(
            ROW_BY_ROW,
            turnA,
            turnB,
            m,
            n,
            k,
            1d,
            segment(a),
            a.stride(),
            segment(b),
            b.stride(),
            1d,
            segment(c),
            c.stride());
      }
    } catch (Throwable e) {
      throw new AssertionError("a function of BLAS does not throw", e);
    } finally {
      calls.release();
    }
  }

  private static MemorySegment segment(Matrix matrix) {
    return switch (matrix.array()) {
      case float[] floats ->
          MemorySegment.ofArray(floats).asSlice((long) matrix.from() * Float.BYTES);
      case double[] doubles ->
          MemorySegment.ofArray(doubles).asSlice((long) matrix.from() * Double.BYTES);
      default -> throw new AssertionError(matrix.array().getClass());
    };
  }
}
