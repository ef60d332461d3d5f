package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;

/**
 * Moves diagonals out of matrices and into them. Beside the matrices, diagonals are lines from the
 * highest down to the lowest, all as long as the longest: shorter ones are padded.
 *
 * @param rows how many rows there are, each with so many matrices
 * @param matrices matrices of a row
 * @param height rows of a matrix
 * @param width columns of a matrix
 * @param lower the lowest diagonal; 0 is the main one, negative ones are below it
 * @param upper the highest diagonal
 * @param alignment where in its line a shorter one lies
 */
record Diagonals(
    int rows, int matrices, int height, int width, int lower, int upper, Alignment alignment) {
  /** Which ends of their lines diagonals above the main one and below it begin at. */
  record Alignment(boolean superLeft, boolean subLeft) {
    /** The alignment that attr {@code align} names. */
    static Alignment of(String name) {
      return switch (name) {
        case "LEFT_RIGHT" -> new Alignment(true, false);
        case "RIGHT_LEFT" -> new Alignment(false, true);
        case "LEFT_LEFT" -> new Alignment(true, true);
        case "RIGHT_RIGHT" -> new Alignment(false, false);
        default ->
            throw invalidArgument(
                "align must be LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT or RIGHT_RIGHT, not %s", name);
      };
    }
  }

  /** Elements of a line. */
  private int lineSize() {
    return Math.min(height + Math.min(upper, 0), width - Math.max(lower, 0));
  }

  private int diagonalSize(int index) {
    return Math.min(height + Math.min(index, 0), width - Math.max(index, 0));
  }

  /** Where diagonal {@code index} begins among the lines of a matrix. */
  private int inLines(int index) {
    boolean left = (index >= 0 && alignment.superLeft()) || (index <= 0 && alignment.subLeft());
    int padding = left ? 0 : lineSize() - diagonalSize(index);
    return (upper - index) * lineSize() + padding;
  }

  /** Where diagonal {@code index} begins in a matrix. */
  private int inMatrix(int index) {
    return index >= 0 ? index : -index * width;
  }

  private int lines() {
    return (upper - lower + 1) * lineSize();
  }

  /**
   * Copies lines to the diagonals of the matrices in {@code to}; a row's lines follow {@code
   * stride} elements after those of the row before.
   */
  void put(ElementKind kind, Tensor lines, int stride, Object to, Cancellation stop) {
    for (int index = lower; index <= upper; index++) {
      new StridedMove(kind)
          .dimension(rows, stride, matrices * height * width)
          .dimension(matrices, lines(), height * width)
          .dimension(diagonalSize(index), 1, width + 1)
          .run(lines.array(), lines.offset() + inLines(index), to, inMatrix(index), stop);
    }
  }

  /** Copies diagonals of matrices to the lines in {@code to}. */
  void take(ElementKind kind, Tensor input, int stride, Object to, Cancellation stop) {
    for (int index = lower; index <= upper; index++) {
      new StridedMove(kind)
          .dimension(rows, stride, matrices * lines())
          .dimension(matrices, height * width, lines())
          .dimension(diagonalSize(index), width + 1, 1)
          .run(input.array(), input.offset() + inMatrix(index), to, inLines(index), stop);
    }
  }
}
