package io.headrace.gpu.device;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.headrace.gpu.cuda.Cublas;
import io.headrace.gpu.cuda.CublasType;
import io.headrace.gpu.cuda.CudaDriver;
import io.headrace.gpu.cuda.MatrixProducts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Products of which the results are known, by which a library is tried before it is used: two at a
 * time of small whole numbers, whose sums are exact, with each side transposed or not.
 */
final class ProductTrial {
  private static final int ROWS = 3;
  private static final int COLUMNS = 2;
  private static final int TERMS = 4;
  private static final int COUNT = 2;

  /** A side's memory begins at a multiple of this. */
  private static final int PART_BYTES = 256;

  private ProductTrial() {}

  /**
   * Whether the products of {@code handle} are right.
   *
   * @param stream the handle's stream, which nothing else uses; waits for it
   */
  static boolean isRight(CudaDriver driver, Cublas cublas, long handle, long stream) {
    long memory = driver.memAlloc(3 * PART_BYTES);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment x = numbers(arena, ROWS * TERMS, 5);
      MemorySegment y = numbers(arena, TERMS * COLUMNS, 7);
      MemorySegment out = arena.allocate(JAVA_FLOAT, COUNT * ROWS * COLUMNS);
      try {
        driver.memcpyHtoDAsync(memory, x, stream);
        driver.memcpyHtoDAsync(memory + PART_BYTES, y, stream);
        for (int transposes = 0; transposes < 4; transposes++) {
          MatrixProducts products = products(transposes, memory);
          cublas.gemmStridedBatchedEx(handle, products);
          driver.memcpyDtoHAsync(out, memory + 2 * PART_BYTES, stream);
          driver.streamSynchronize(stream);
          if (!isProduct(products, x, y, out)) {
            return false;
          }
        }
        return true;
      } finally {
        driver.streamSynchronize(stream); // before the memory of copies is freed
      }
    } finally {
      driver.memFree(memory);
    }
  }

  private static MatrixProducts products(int transposes, long memory) {
    return new MatrixProducts(
        CublasType.FLOAT,
        (transposes & 1) != 0,
        (transposes & 2) != 0,
        ROWS,
        COLUMNS,
        TERMS,
        COUNT,
        memory,
        ROWS * TERMS,
        memory + PART_BYTES,
        TERMS * COLUMNS,
        memory + 2 * PART_BYTES);
  }

  /** Whole numbers from -2 to 2, or from -3 to 3, for the matrices of one side. */
  private static MemorySegment numbers(Arena arena, int elements, int modulus) {
    MemorySegment numbers = arena.allocate(JAVA_FLOAT, (long) COUNT * elements);
    for (int i = 0; i < COUNT * elements; i++) {
      numbers.setAtIndex(JAVA_FLOAT, i, i * i % modulus - modulus / 2);
    }
    return numbers;
  }

  private static boolean isProduct(
      MatrixProducts products, MemorySegment x, MemorySegment y, MemorySegment out) {
    for (int i = 0; i < COUNT * ROWS * COLUMNS; i++) {
      int matrix = i / (ROWS * COLUMNS);
      int row = i / COLUMNS % ROWS;
      int column = i % COLUMNS;
      float sum = 0;
      for (int term = 0; term < TERMS; term++) {
        int inX = products.isX() ? term * ROWS + row : row * TERMS + term;
        int inY = products.isY() ? column * TERMS + term : term * COLUMNS + column;
        sum +=
            x.getAtIndex(JAVA_FLOAT, matrix * ROWS * TERMS + inX)
                * y.getAtIndex(JAVA_FLOAT, matrix * TERMS * COLUMNS + inY);
      }
      if (out.getAtIndex(JAVA_FLOAT, i) != sum) {
        return false;
      }
    }
    return true;
  }
}
