package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Checks of row splits: the start of each row of a ragged tensor, and the end of the last. */
final class RowSplits {
  private RowSplits() {}

  /**
   * INVALID_ARGUMENT unless each of {@code splits}, outermost first, begins at 0, does not
   * decrease, and ends with the number of rows of the next level, the last with that of {@code
   * values}.
   */
  static void check(List<Tensor> splits, Tensor values) {
    for (int i = 0; i < splits.size(); i++) {
      checkNonDecreasing(splits.get(i));
      if (i > 0) {
        checkEnd(splits.get(i - 1), splits.get(i).elements() - 1);
      }
    }
    checkEnd(splits.getLast(), values.shape().rank() == 0 ? -1 : values.shape().size(0));
  }

  private static void checkEnd(Tensor splits, long rows) {
    if (splits.integer(splits.elements() - 1) != rows) {
      throw invalidArgument(
          "Final value of ragged splits must match the length the corresponding ragged values.");
    }
  }

  private static void checkNonDecreasing(Tensor splits) {
    if (splits.elements() == 0) {
      throw invalidArgument("ragged splits may not be empty.");
    }
    if (splits.integer(0) != 0) {
      throw invalidArgument("First value of ragged splits must be 0.");
    }
    for (int i = 1; i < splits.elements(); i++) {
      if (splits.integer(i) < splits.integer(i - 1)) {
        throw invalidArgument(
            "Ragged splits should be non decreasing, but we got %d followed by %d",
            splits.integer(i - 1), splits.integer(i));
      }
    }
  }

  /** INVALID_ARGUMENT unless {@code splits} divide {@code values} values into rows. */
  static void checkRows(Tensor splits, long values) {
    if (splits.elements() == 0) {
      throw invalidArgument("Expected row splits to be non-empty");
    }
    if (splits.integer(0) != 0) {
      throw invalidArgument("First value of row splits must be 0: Received %d", splits.integer(0));
    }
    for (int i = 1; i < splits.elements(); i++) {
      if (splits.integer(i) < splits.integer(i - 1)) {
        throw invalidArgument(
            "Row splits must be nondecreasing: %d follows %d",
            splits.integer(i), splits.integer(i - 1));
      }
    }
    long end = splits.integer(splits.elements() - 1);
    if (end != values) {
      throw invalidArgument(
          "Last row split must equal the number of values: %d, and not %d", values, end);
    }
  }

  /** The length of the longest row. */
  static long widest(Tensor splits) {
    long widest = 0;
    for (int i = 1; i < splits.elements(); i++) {
      widest = Math.max(widest, splits.integer(i) - splits.integer(i - 1));
    }
    return widest;
  }

  /** Like {@link #check} with the messages of TensorFlow's encoder; {@code splits} may be empty. */
  static void checkEncodable(List<Tensor> splits, Tensor values) {
    if (!splits.isEmpty() && values.shape().rank() == 0) {
      throw invalidArgument(
          "Requires flat_values to have rank>=1 when nested_row_splits is not empty, but is 0.");
    }
    for (int i = 0; i < splits.size(); i++) {
      boolean last = i + 1 == splits.size();
      long rows = last ? values.shape().size(0) : splits.get(i + 1).elements() - 1L;
      checkEncodable(splits.get(i), rows);
    }
  }

  private static void checkEncodable(Tensor splits, long rows) {
    checkEncodable(splits);
    long end = splits.integer(splits.elements() - 1);
    if (end != rows) {
      throw invalidArgument(
          "Invalid ragged splits: last element of ragged splits must be the number of ragged"
              + " values(%d) but is %d",
          rows, end);
    }
  }

  /** The same of splits alone, which may end with any number of rows. */
  static void checkEncodable(Tensor splits) {
    if (splits.shape().rank() != 1) {
      throw invalidArgument(
          "Invalid ragged splits: ragged splits must be rank 1 but is rank %d",
          splits.shape().rank());
    }
    if (splits.elements() == 0) {
      throw invalidArgument(
          "Invalid ragged splits: ragged splits must have at least one splits, but is empty");
    }
    if (splits.integer(0) != 0) {
      throw invalidArgument(
          "Invalid ragged splits: first element of ragged splits  must be 0 but is %d",
          splits.integer(0));
    }
    for (int i = 1; i < splits.elements(); i++) {
      if (splits.integer(i) < splits.integer(i - 1)) {
        throw invalidArgument(
            "Invalid ragged splits: ragged splits must be monotonically increasing, but"
                + " ragged_splits[%d]=%d is smaller than row_splits[%d]=%d",
            i, splits.integer(i), i - 1, splits.integer(i - 1));
      }
    }
  }
}
