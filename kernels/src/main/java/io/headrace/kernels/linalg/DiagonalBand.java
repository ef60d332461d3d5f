package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;

/**
 * Copies a band of diagonals out of matrices and into them. Packed diagonals are lines, from the
 * uppermost diagonal to the lowest, all as long as the longest: shorter ones are padded.
 *
 * @param rows rows of the call, each a batch of matrices
 * @param matrices matrices of a row
 * @param height rows of a matrix
 * @param width columns of a matrix
 * @param lower the lowest diagonal; 0 is the main one, subdiagonals are negative
 * @param upper the uppermost diagonal
 * @param alignment the end of the line at which shorter diagonals are aligned
 */
record DiagonalBand(
    int rows, int matrices, int height, int width, int lower, int upper, Alignment alignment) {
  /** Whether superdiagonals and subdiagonals are left-aligned in their lines, or right-aligned. */
  record Alignment(boolean superLeft, boolean subLeft) {
    /** Parses attr {@code align}; INVALID_ARGUMENT if it is none of its four values. */
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

  /** Elements of a line: the length of the longest diagonal. */
  private int lineSize() {
    return Math.min(height + Math.min(upper, 0), width - Math.max(lower, 0));
  }

  private int diagonalSize(int index) {
    return Math.min(height + Math.min(index, 0), width - Math.max(index, 0));
  }

  /** The offset of diagonal {@code index} in the lines of a matrix. */
  private int offsetInLines(int index) {
    boolean left = (index >= 0 && alignment.superLeft()) || (index <= 0 && alignment.subLeft());
    int padding = left ? 0 : lineSize() - diagonalSize(index);
    return (upper - index) * lineSize() + padding;
  }

  /** The offset of diagonal {@code index} in a matrix. */
  private int offsetInMatrix(int index) {
    return index >= 0 ? index : -index * width;
  }

  /** Elements of all lines of a matrix. */
  private int lineElements() {
    return (upper - lower + 1) * lineSize();
  }

  /**
   * Copies lines to the diagonals of the matrices in {@code to}. The lines of consecutive rows are
   * {@code stride} elements apart.
   */
  void put(ElementKind kind, Tensor lines, int stride, Object to, Cancellation stop) {
    for (int index = lower; index <= upper; index++) {
      new StridedMove(kind)
          .dimension(rows, stride, matrices * height * width)
          .dimension(matrices, lineElements(), height * width)
          .dimension(diagonalSize(index), 1, width + 1)
          .run(
              TensorMemory.array(lines),
              TensorMemory.offset(lines) + offsetInLines(index),
              to,
              offsetInMatrix(index),
              stop);
    }
  }

  /**
   * Copies diagonals of matrices to the lines in {@code to}. The matrices of consecutive rows are
   * {@code stride} elements apart.
   */
  void take(ElementKind kind, Tensor input, int stride, Object to, Cancellation stop) {
    for (int index = lower; index <= upper; index++) {
      new StridedMove(kind)
          .dimension(rows, stride, matrices * lineElements())
          .dimension(matrices, height * width, lineElements())
          .dimension(diagonalSize(index), width + 1, 1)
          .run(
              TensorMemory.array(input),
              TensorMemory.offset(input) + offsetInMatrix(index),
              to,
              offsetInLines(index),
              stop);
    }
  }
}
