package io.headrace.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/**
 * The calls of cuBLAS that Headrace makes, under their names without {@code cublas}, bound by
 * Java's foreign functions. Each has the semantics of the cuBLAS Library's documentation.
 *
 * <p>A handle is opaque, never 0, and belongs to the context that is current when it is made, which
 * must be current in each call. A call that fails throws {@link CublasException}. Thread-safe, but
 * for calls with the same handle, which the caller makes one at a time.
 */
public final class Cublas {
  /** CUBLAS_OP_N and CUBLAS_OP_T. */
  private static final int AS_IS = 0;

  private static final int TRANSPOSED = 1;

  /** CUBLAS_GEMM_DEFAULT: the library chooses the algorithm. */
  private static final int DEFAULT_ALGORITHM = -1;

  /** CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION: parts of sums are not added up as half. */
  private static final int MATH_MODE = 16;

  /** MAJOR_VERSION and MINOR_VERSION of library_types.h. */
  private static final int MAJOR_VERSION = 0;

  private static final int MINOR_VERSION = 1;

  private static final MemorySegment FLOAT_FACTORS =
      Arena.global().allocateFrom(JAVA_FLOAT, 1f, 0f);
  private static final MemorySegment DOUBLE_FACTORS =
      Arena.global().allocateFrom(JAVA_DOUBLE, 1d, 0d);

  private final CFunction create;
  private final CFunction destroy;
  private final CFunction setStream;
  private final CFunction setWorkspace;
  private final CFunction setMathMode;
  private final CFunction getProperty;
  private final CFunction gemmStridedBatchedEx;

  private Cublas(SymbolLookup library) {
    create = CFunction.bind(library, "cublasCreate_v2", "l");
    destroy = CFunction.bind(library, "cublasDestroy_v2", "l");
    setStream = CFunction.bind(library, "cublasSetStream_v2", "ll");
    setWorkspace = CFunction.bind(library, "cublasSetWorkspace_v2", "lll");
    setMathMode = CFunction.bind(library, "cublasSetMathMode", "li");
    getProperty = CFunction.bind(library, "cublasGetProperty", "il");
    gemmStridedBatchedEx =
        CFunction.bind(library, "cublasGemmStridedBatchedEx", "liiiiilliilliillliiliii");
  }

  /**
   * Binds the library.
   *
   * @throws IllegalArgumentException if it lacks a function
   */
  static Cublas open(SymbolLookup library) {
    return new Cublas(library);
  }

  private static void check(CFunction function, int code) {
    if (code != 0) {
      throw new CublasException(function.name(), code);
    }
  }

  /** The library's version: 1000 * major + 10 * minor. */
  public int version() {
    return 1000 * property(MAJOR_VERSION) + 10 * property(MINOR_VERSION);
  }

  private int property(int type) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment value = arena.allocate(JAVA_INT);
      check(getProperty, getProperty.invoke(type, value.address()));
      return value.get(JAVA_INT, 0);
    }
  }

  /**
   * Makes a handle whose sums are of full precision; see {@link #setStream} for the parameters. The
   * caller destroys it.
   */
  public long create(long stream, long workspace, long bytes) {
    long handle;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment made = arena.allocate(JAVA_LONG);
      check(create, create.call(made.address()));
      handle = made.get(JAVA_LONG, 0);
    }
    try {
      setStream(handle, stream, workspace, bytes);
      check(setMathMode, setMathMode.invoke(handle, MATH_MODE));
      return handle;
    } catch (CublasException e) {
      int _ = destroy.call(handle);
      throw e;
    }
  }

  /**
   * Lets later products of a handle be made elsewhere.
   *
   * @param stream the stream on which they are made
   * @param workspace the address of memory for them on the device, a multiple of 256
   * @param bytes the size of the workspace
   */
  public void setStream(long handle, long stream, long workspace, long bytes) {
    // The workspace comes after the stream, which sets it back to memory of the library's.
    check(setStream, setStream.call(handle, stream));
    check(setWorkspace, setWorkspace.invoke(handle, workspace, bytes));
  }

  /** Destroys a handle; waits for the work of its context. */
  public void destroy(long handle) {
    check(destroy, destroy.call(handle));
  }

  /** Appends products to the handle's stream. */
  public void gemmStridedBatchedEx(long handle, MatrixProducts products) {
    MemorySegment factors = products.type() == CublasType.DOUBLE ? DOUBLE_FACTORS : FLOAT_FACTORS;
    long zero = factors.address() + factors.byteSize() / 2;
    int dataType = products.type().dataType();
    int widthOfX = products.isX() ? products.rows() : products.terms();
    int widthOfY = products.isY() ? products.terms() : products.columns();
    // To cuBLAS, matrices lie column by column: it sees the transpose of each, and makes that of
    // the product, (op(x) op(y))' = op(y)' op(x)'.
    check(
        gemmStridedBatchedEx,
        gemmStridedBatchedEx.invoke(
            handle,
            products.isY() ? TRANSPOSED : AS_IS,
            products.isX() ? TRANSPOSED : AS_IS,
            products.columns(),
            products.rows(),
            products.terms(),
            factors.address(),
            products.y(),
            dataType,
            widthOfY,
            products.strideOfY(),
            products.x(),
            dataType,
            widthOfX,
            products.strideOfX(),
            zero,
            products.out(),
            dataType,
            products.columns(),
            (long) products.rows() * products.columns(),
            products.count(),
            products.type().computeType(),
            DEFAULT_ALGORITHM));
  }
}
