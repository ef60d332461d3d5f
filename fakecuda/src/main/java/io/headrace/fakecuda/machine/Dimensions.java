package io.headrace.fakecuda.machine;

/** The size of a grid in blocks, or of a block in threads. */
public record Dimensions(int x, int y, int z) {
  /** Refuses sizes below 1. */
  public Dimensions {
    if (x < 1 || y < 1 || z < 1) {
      throw new IllegalArgumentException("a size is at least 1: %d, %d, %d".formatted(x, y, z));
    }
  }

  /** A size in one dimension. */
  public static Dimensions of(int x) {
    return new Dimensions(x, 1, 1);
  }

  /** The product of all three. */
  public int count() {
    return Math.multiplyExact(Math.multiplyExact(x, y), z);
  }
}
