package io.headrace.kernels.example;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * The values of one feature list over all examples: an example has rows (the features of its list),
 * and a row has values. A context feature has one row per example. Not thread-safe.
 */
final class SequenceExampleBuffer {
  private final SequenceExampleFeature feature;
  private final FeatureBuffer values;
  private final int[] exampleEnds;
  private final boolean isVector;
  private int examples;
  private int[] rowEnds = new int[16];
  private int rows;

  SequenceExampleBuffer(SequenceExampleFeature feature, int examples, boolean isVector) {
    this.feature = feature;
    this.values = new FeatureBuffer(feature.dtype(), examples);
    this.exampleEnds = new int[examples];
    this.isVector = isVector;
  }

  SequenceExampleFeature feature() {
    return feature;
  }

  /** Appends a row: {@code count} elements of the list that {@code wire} has selected. */
  void addRow(ExampleWire wire, int count) {
    if (count > 0) {
      values.append(wire, count);
    }
    endRow();
  }

  /** Appends a row: the elements of {@code tensor}. */
  void addRow(Tensor tensor) {
    values.append(tensor);
    endRow();
  }

  private void endRow() {
    if (rows == rowEnds.length) {
      rowEnds = Arrays.copyOf(rowEnds, rows * 2);
    }
    rowEnds[rows++] = values.size();
  }

  void endExample() {
    exampleEnds[examples++] = rows;
    values.endExample();
  }

  private int rowStart(int row) {
    return row == 0 ? 0 : rowEnds[row - 1];
  }

  private int firstRow(int example) {
    return example == 0 ? 0 : exampleEnds[example - 1];
  }

  private int rowsOf(int example) {
    return exampleEnds[example] - firstRow(example);
  }

  private long mostRows() {
    long most = 0;
    for (int e = 0; e < examples; e++) {
      most = Math.max(most, rowsOf(e));
    }
    return most;
  }

  private long longestRow() {
    long longest = 0;
    for (int row = 0; row < rows; row++) {
      longest = Math.max(longest, rowEnds[row] - rowStart(row));
    }
    return longest;
  }

  /** All values as one vector. */
  Tensor flatValues() {
    return Tensor.wrap(feature.dtype(), Shape.of(values.size()), values.values()).detach();
  }

  /** The values of a dense context feature: {@code shape} for each example. */
  Tensor contextValues(Shape shape) {
    return flatValues().reshape(isVector ? shape.prepend(examples) : shape);
  }

  /** The values of a dense feature list, padded to the length of the longest list. */
  Tensor paddedValues(Shape shape) {
    DataType dtype = feature.dtype();
    Shape padded = shape.prepend(mostRows());
    Shape result = isVector ? padded.prepend(examples) : padded;
    Object array = TensorLimit.allocate(dtype, result);
    if (array instanceof byte[][] strings) {
      Arrays.fill(strings, ByteStrings.EMPTY);
    }
    int perExample = padded.elements();
    ElementKind kind = dtype.kind();
    for (int e = 0; e < examples; e++) {
      int from = values.start(e);
      kind.copy(values.values(), from, array, e * perExample, values.end(e) - from);
    }
    return Tensor.wrap(dtype, result, array);
  }

  /** The number of rows of each example. */
  Tensor lengths() {
    long[] lengths = new long[examples];
    for (int e = 0; e < examples; e++) {
      lengths[e] = rowsOf(e);
    }
    return isVector ? Tensor.vector(lengths) : Tensor.scalar(lengths[0]);
  }

  /** The sparse index of each value: example, row if {@code lists}, and position in the row. */
  Tensor indices(boolean lists) {
    int rank = (isVector ? 1 : 0) + (lists ? 2 : 1);
    Shape shape = Shape.of(values.size(), rank);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    int at = 0;
    for (int e = 0; e < examples; e++) {
      for (int row = firstRow(e); row < exampleEnds[e]; row++) {
        for (int i = rowStart(row); i < rowEnds[row]; i++) {
          if (isVector) {
            indices[at++] = e;
          }
          if (lists) {
            indices[at++] = (long) row - firstRow(e);
          }
          indices[at++] = (long) i - rowStart(row);
        }
      }
    }
    return Tensor.wrap(DataType.INT64, shape, indices);
  }

  /** The dense shape for {@link #indices}. */
  Tensor denseShape(boolean lists) {
    long[] sizes = {examples, mostRows(), longestRow()};
    int from = isVector ? 0 : 1;
    return lists
        ? Tensor.vector(Arrays.copyOfRange(sizes, from, 3))
        : isVector ? Tensor.vector((long) examples, longestRow()) : Tensor.vector(longestRow());
  }

  /** The row splits of a ragged context feature. */
  Tensor contextSplits(DataType type) {
    return splits(type, e -> values.end(e));
  }

  /** The outer row splits of a ragged feature list: from examples to rows. */
  Tensor outerSplits(DataType type) {
    return splits(type, e -> exampleEnds[e]);
  }

  /** Row splits of dtype {@code type}; for a single example an unused scalar, as it has none. */
  private Tensor splits(DataType type, IntUnaryOperator end) {
    if (!isVector) {
      return IntegerTensors.scalar(type, 0);
    }
    long[] splits = new long[examples + 1];
    for (int e = 0; e < examples; e++) {
      splits[e + 1] = end.applyAsInt(e);
    }
    return IntegerTensors.vector(type, splits);
  }

  /** The inner row splits of a ragged feature list: from rows to values. */
  Tensor innerSplits(DataType type) {
    long[] splits = new long[rows + 1];
    for (int row = 0; row < rows; row++) {
      splits[row + 1] = rowEnds[row];
    }
    return IntegerTensors.vector(type, splits);
  }
}
