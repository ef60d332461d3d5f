package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.tensor.Shape;

/** Shapes of batches of matrices: dimensions of the batch, then rows and columns. */
final class MatrixShapes {
  private MatrixShapes() {}

  /** {@code shape}, whose last two dimensions must be equal, with both known if one is. */
  static Shape square(Shape shape) {
    Shapes.checkRankAtLeast(shape, 2);
    if (shape.isUnknownRank()) {
      return shape;
    }
    int rank = shape.rank();
    long n = Shapes.mergeSize(shape.size(rank - 2), shape.size(rank - 1));
    return Shapes.concat(shape.sub(0, rank - 2), Shape.of(n, n));
  }

  /** The dimensions of the batch: all but the last two. */
  static Shape batch(Shape shape) {
    return shape.isUnknownRank() ? shape : shape.sub(0, shape.rank() - 2);
  }

  /** {@code shape}; INVALID_ARGUMENT, naming {@code name}, if its rank is known and too low. */
  static Shape checkRankAtLeast(String name, Shape shape, int rank) {
    if (!shape.isUnknownRank() && shape.rank() < rank) {
      throw invalidArgument("%s must be at least %d-dim, received shape: %s", name, rank, shape);
    }
    return shape;
  }

  /**
   * The sizes of a batch of matrices; -1 where unknown.
   *
   * @param batch the dimensions of the batch
   * @param m rows
   * @param n columns
   * @param least the smaller of m and n
   */
  record Sizes(Shape batch, long m, long n, long least) {
    static Sizes of(Shape shape) {
      Shapes.checkRankAtLeast(shape, 2);
      if (shape.isUnknownRank()) {
        return new Sizes(shape, -1, -1, -1);
      }
      int rank = shape.rank();
      long m = shape.size(rank - 2);
      long n = shape.size(rank - 1);
      long least = m == 0 || n == 0 ? 0 : m < 0 || n < 0 ? -1 : Math.min(m, n);
      return new Sizes(shape.sub(0, rank - 2), m, n, least);
    }

    /** The batch's dimensions followed by {@code sizes}. */
    Shape shape(long... sizes) {
      return Shapes.concat(batch, Shape.of(sizes));
    }
  }
}
