package io.headrace.fakecuda.driver;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The cuBLAS Library: handles, and products of matrices that lie column by column. Sums are made in
 * another order than that of Headrace's kernels. It is stricter than NVIDIA's: a handle needs a
 * stream, a workspace and a math mode of the caller's before it makes products.
 */
final class CublasCalls {
  private static final int VERSION_MAJOR = 12;
  private static final int VERSION_MINOR = 4;
  private static final int WORKSPACE_ALIGNMENT = 256;
  private static final int DISALLOW_REDUCED_PRECISION_REDUCTION = 16;

  private static final int R_32F = 0;
  private static final int R_64F = 1;
  private static final int R_16F = 2;
  private static final int R_16BF = 14;
  private static final int COMPUTE_32F = 68;
  private static final int COMPUTE_64F = 70;
  private static final int GEMM_DEFAULT = -1;

  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private final DriverState state;

  CublasCalls(DriverState state) {
    this.state = state;
  }

  /** A handle of the library. */
  private static final class Cublas {
    long stream = -1;
    long workspace;
    int mathMode;
  }

  /** The cublasStatus_t with which a call fails for {@code error}. */
  static int status(CudaError error) {
    return switch (error) {
      case SUCCESS -> 0;
      case OUT_OF_MEMORY -> 3;
      case INVALID_VALUE, INVALID_HANDLE -> 7;
      case NOT_SUPPORTED -> 15;
      case UNKNOWN -> 14;
      case NO_DEVICE, INVALID_CONTEXT -> 1;
      default -> 13;
    };
  }

  int cublasGetProperty(int type, long value) {
    NativeMemory.setInt(
        value,
        switch (type) {
          case 0 -> VERSION_MAJOR;
          case 1 -> VERSION_MINOR;
          case 2 -> 0;
          default -> throw new DriverError(CudaError.INVALID_VALUE);
        });
    return 0;
  }

  int cublasCreate_v2(long handle) {
    NativeMemory.setLong(handle, state.add(state.current(), new Cublas()));
    return 0;
  }

  int cublasDestroy_v2(long handle) {
    FakeDevice device = state.current();
    var _ = state.handle(device, handle, Cublas.class);
    device.timeline().synchronizeAll();
    device.handles().remove(handle);
    device.checkNotLost();
    return 0;
  }

  int cublasSetStream_v2(long handle, long stream) {
    FakeDevice device = state.current();
    Cublas cublas = state.handle(device, handle, Cublas.class);
    cublas.stream = StreamCalls.queue(state, device, stream);
    cublas.workspace = 0;
    return 0;
  }

  int cublasSetWorkspace_v2(long handle, long workspace, long bytes) {
    FakeDevice device = state.current();
    Cublas cublas = state.handle(device, handle, Cublas.class);
    if (workspace == 0 || workspace % WORKSPACE_ALIGNMENT != 0 || bytes < 1) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    cublas.workspace = workspace;
    return 0;
  }

  int cublasSetMathMode(long handle, int mode) {
    Cublas cublas = state.handle(state.current(), handle, Cublas.class);
    if (mode != DISALLOW_REDUCED_PRECISION_REDUCTION) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    cublas.mathMode = mode;
    return 0;
  }

  int cublasGemmStridedBatchedEx(
      long handle,
      int opA,
      int opB,
      int m,
      int n,
      int k,
      long alpha,
      long a,
      int typeOfA,
      int leadingOfA,
      long strideOfA,
      long b,
      int typeOfB,
      int leadingOfB,
      long strideOfB,
      long beta,
      long c,
      int typeOfC,
      int leadingOfC,
      long strideOfC,
      int count,
      int computeType,
      int algorithm) {
    FakeDevice device = state.current();
    Cublas cublas = state.handle(device, handle, Cublas.class);
    boolean isDouble = typeOfC == R_64F;
    if (opA < 0 || opA > 1 || opB < 0 || opB > 1 || m < 0 || n < 0 || k < 0 || count < 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    if (leadingOfA < Math.max(1, opA == 0 ? m : k)
        || leadingOfB < Math.max(1, opB == 0 ? k : n)
        || leadingOfC < Math.max(1, m)
        || cublas.stream < 0
        || cublas.workspace == 0
        || cublas.mathMode == 0) {
      throw new DriverError(CudaError.INVALID_VALUE);
    }
    boolean isKnown = typeOfC == R_32F || typeOfC == R_64F || typeOfC == R_16F || typeOfC == R_16BF;
    if (!isKnown
        || typeOfA != typeOfC
        || typeOfB != typeOfC
        || computeType != (isDouble ? COMPUTE_64F : COMPUTE_32F)
        || algorithm != GEMM_DEFAULT) {
      throw new DriverError(CudaError.NOT_SUPPORTED);
    }
    Matrices left = new Matrices(a, typeOfA, leadingOfA, strideOfA, opA == 0, m, k);
    Matrices right = new Matrices(b, typeOfB, leadingOfB, strideOfB, opB == 0, k, n);
    Matrices product = new Matrices(c, typeOfC, leadingOfC, strideOfC, true, m, n);
    long workspace = cublas.workspace;
    double factor = scalar(alpha, isDouble);
    if (scalar(beta, isDouble) != 0) {
      throw new DriverError(CudaError.NOT_SUPPORTED);
    }
    var _ =
        device
            .timeline()
            .enqueue(
                cublas.stream,
                "cublasGemmStridedBatchedEx",
                number ->
                    device.guard(
                        "cublasGemmStridedBatchedEx",
                        () -> {
                          // Sums in parts are there; others must not be, at the same time.
                          device.memory().write(workspace, new byte[1], number);
                          for (int i = 0; i < count; i++) {
                            multiply(device, left, right, product, factor, i, number);
                          }
                        }));
    device.timeline().runSome();
    return 0;
  }

  private static double scalar(long address, boolean isDouble) {
    return isDouble
        ? Double.longBitsToDouble(NativeMemory.getLong(address))
        : Float.intBitsToFloat(NativeMemory.getInt(address));
  }

  /** Matrices [rows, columns] behind one another, which lie by columns, or else by rows. */
  private record Matrices(
      long address,
      int type,
      int leading,
      long stride,
      boolean isByColumns,
      int rows,
      int columns) {
    int elementBytes() {
      return switch (type) {
        case R_64F -> 8;
        case R_32F -> 4;
        default -> 2;
      };
    }

    long address(int index) {
      return address + index * stride * elementBytes();
    }

    /** The bytes of one matrix, from its first element to its last. */
    int bytes() {
      int others = (isByColumns ? columns : rows) - 1;
      return (others * leading + (isByColumns ? rows : columns)) * elementBytes();
    }

    /** The place of an element in them. */
    long at(int row, int column) {
      return (isByColumns ? (long) column * leading + row : (long) row * leading + column)
          * elementBytes();
    }

    double get(MemorySegment matrix, int row, int column) {
      long at = at(row, column);
      return switch (type) {
        case R_64F -> Double.longBitsToDouble(matrix.get(LONG, at));
        case R_32F -> Float.intBitsToFloat(matrix.get(INT, at));
        case R_16F -> Float.float16ToFloat(matrix.get(SHORT, at));
        default -> Float.intBitsToFloat(matrix.get(SHORT, at) << Short.SIZE);
      };
    }

    byte[] bits(double value) {
      return switch (type) {
        case R_64F -> little(Double.doubleToRawLongBits(value), 8);
        case R_32F -> little(Float.floatToRawIntBits((float) value), 4);
        case R_16F -> little(Float.floatToFloat16((float) value), 2);
        default -> little(bfloat16((float) value), 2);
      };
    }

    private static byte[] little(long bits, int bytes) {
      byte[] result = new byte[bytes];
      for (int i = 0; i < bytes; i++) {
        result[i] = (byte) (bits >> (8 * i));
      }
      return result;
    }

    /** The upper half of a float, rounded to even. */
    private static int bfloat16(float value) {
      int bits = Float.floatToRawIntBits(value);
      return Float.isNaN(value) ? 0x7fc0 : (bits + 0x7fff + (bits >>> 16 & 1)) >>> 16;
    }
  }

  private static void multiply(
      FakeDevice device,
      Matrices left,
      Matrices right,
      Matrices product,
      double factor,
      int index,
      int operation) {
    MemorySegment x =
        MemorySegment.ofArray(device.memory().read(left.address(index), left.bytes(), operation));
    MemorySegment y =
        MemorySegment.ofArray(device.memory().read(right.address(index), right.bytes(), operation));
    for (int column = 0; column < product.columns; column++) {
      byte[] made = new byte[product.rows * product.elementBytes()];
      for (int row = 0; row < product.rows; row++) {
        double sum = 0;
        for (int term = left.columns - 1; term >= 0; term--) {
          double more = left.get(x, row, term) * right.get(y, term, column);
          sum = product.type == R_64F ? sum + more : (float) (sum + more);
        }
        byte[] bits = product.bits(factor * sum);
        System.arraycopy(bits, 0, made, row * bits.length, bits.length);
      }
      long to = product.address(index) + product.at(0, column);
      device.memory().write(to, made, operation);
    }
  }
}
