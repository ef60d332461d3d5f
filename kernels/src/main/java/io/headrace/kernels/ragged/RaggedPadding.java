package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.ragged.RaggedTensorToTensorOps.Partition;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/** Converts one ragged tensor to a dense one: pads short rows, and truncates long ones. */
final class RaggedPadding {
  private final KernelCall call;
  private final List<Partition> partitions;
  private final int raggedRank;
  private final Tensor values;
  private final Tensor defaultValue;

  RaggedPadding(KernelCall call, List<Partition> partitions) {
    this.call = call;
    this.partitions = partitions;
    this.raggedRank = RaggedTensorToTensorOps.raggedRank(partitions);
    this.values = call.input(1);
    this.defaultValue = call.input(2);
  }

  /** The partition type between the ragged dimensions {@code axis} and {@code axis + 1}. */
  private Partition partition(int axis) {
    return partitions.get(axis + partitions.size() - raggedRank);
  }

  private Tensor partitionTensor(int axis) {
    return call.input(3 + axis + partitions.size() - raggedRank);
  }

  Tensor dense() {
    Tensor first = call.input(3);
    if (first.elements() == 0) {
      throw invalidArgument("Invalid first partition input. Tensor requires at least one element.");
    }
    long rows = rows(first);
    Shape shape = shape(rows);
    Object array = TensorLimit.allocate(values.dtype(), shape);
    // The partitions are checked even if the inner dimensions are empty.
    if (shape.sub(0, raggedRank + 1).elements() > 0) {
      int[] outputIndices = outputIndices(shape, rows);
      Shape inner = shape.dropFirst(raggedRank + 1);
      int block = inner.elements();
      if (block > 0) {
        fill(inner, block, array, shape.elements());
        copy(outputIndices, block, array);
      }
    }
    return Tensor.wrap(values.dtype(), shape, array);
  }

  private long rows(Tensor first) {
    return switch (partitions.getFirst()) {
      case FIRST_DIM_SIZE -> first.integer(0);
      case VALUE_ROWIDS -> throw invalidArgument("Cannot handle VALUE_ROWIDS in first dimension.");
      case ROW_SPLITS -> first.elements() - 1;
    };
  }

  private Shape shape(long rows) {
    RaggedTensorToTensorOps.checkDefault(defaultValue.shape(), values.shape());
    Shape combined =
        RaggedTensorToTensorOps.mergeInnerDimensions(
            raggedRank, RaggedTensorToTensorOps.requestedShape(call.input(0)), values.shape());
    long[] sizes = combined.dimensions();
    sizes[0] = sizes[0] < 0 ? rows : sizes[0];
    for (int axis = 1; axis <= raggedRank; axis++) {
      sizes[axis] = sizes[axis] < 0 ? widest(axis - 1) : sizes[axis];
    }
    return Shape.of(sizes);
  }

  /** The length of the longest row of dimension {@code axis}. */
  private long widest(int axis) {
    long[] points = partitionTensor(axis).integers();
    long widest = 0;
    if (partition(axis) == Partition.ROW_SPLITS) {
      for (int i = 1; i < points.length; i++) {
        widest = Math.max(widest, points[i] - points[i - 1]);
      }
      return widest;
    }
    int start = 0;
    for (int i = 0; i < points.length; i++) {
      start = points[i] == points[start] ? start : i;
      widest = Math.max(widest, i - start + 1);
    }
    return widest;
  }

  /** Fills the output with the default value. */
  private void fill(Shape inner, int block, Object array, int elements) {
    DataType dtype = values.dtype();
    int own = defaultValue.elements();
    if (own != 1 && own != block && !broadcasts(defaultValue.shape(), inner)) {
      throw invalidArgument("Error broadcasting default_value");
    }
    for (int i = 0; i < block; i++) {
      int from = own == 1 ? 0 : source(i, inner);
      dtype
          .kind()
          .copy(
              TensorMemory.array(defaultValue),
              TensorMemory.offset(defaultValue) + from,
              array,
              i,
              1);
    }
    for (int filled = block; filled < elements; filled *= 2) {
      dtype.kind().copy(array, 0, array, filled, Math.min(filled, elements - filled));
    }
  }

  private static boolean broadcasts(Shape shape, Shape to) {
    for (int axis = 1; axis <= shape.rank(); axis++) {
      long size = shape.size(shape.rank() - axis);
      if (size != 1 && size != to.size(to.rank() - axis)) {
        return false;
      }
    }
    return true;
  }

  /** The element of the default value that broadcasts to element {@code i} of an inner value. */
  private int source(int i, Shape inner) {
    Shape own = defaultValue.shape();
    int rest = i;
    int index = 0;
    int stride = 1;
    for (int axis = 1; axis <= own.rank(); axis++) {
      int size = (int) inner.size(inner.rank() - axis);
      int ownSize = (int) own.size(own.rank() - axis);
      index += ownSize == 1 ? 0 : rest % size * stride;
      rest /= size;
      stride *= ownSize;
    }
    return index;
  }

  /** The output index of each value, in units of inner values; -1 if it is truncated. */
  private int[] outputIndices(Shape shape, long rows) {
    int multiplier = 1;
    int[] multipliers = new int[raggedRank + 1];
    for (int axis = raggedRank; axis >= 0; axis--) {
      multipliers[axis] = multiplier;
      multiplier *= (int) shape.size(axis);
    }
    TensorLimit.allocate(DataType.INT32, Shape.of(rows));
    int[] outputIndices = new int[(int) rows];
    for (int i = 0; i < outputIndices.length; i++) {
      outputIndices[i] = i < shape.size(0) ? i * multipliers[0] : -1;
    }
    for (int axis = 1; axis <= raggedRank; axis++) {
      call.cancellation().check();
      long[] points = partitionTensor(axis - 1).integers();
      outputIndices =
          partition(axis - 1) == Partition.ROW_SPLITS
              ? outputIndicesOfSplits(points, outputIndices, multipliers[axis], shape.size(axis))
              : outputIndicesOfRowIds(points, outputIndices, multipliers[axis], shape.size(axis));
    }
    return outputIndices;
  }

  private int[] outputIndicesOfSplits(long[] splits, int[] parents, int step, long width) {
    if (splits.length - 1 > parents.length) {
      throw invalidArgument(
          "Row partition size is greater than output size: %d > %d",
          splits.length - 1, parents.length);
    }
    long last = splits.length == 0 ? 0 : splits[splits.length - 1];
    if (last < 0 || last > Integer.MAX_VALUE) {
      throw invalidArgument("Invalid row split size.");
    }
    TensorLimit.allocate(DataType.INT32, Shape.of(last));
    int[] outputIndices = new int[(int) last];
    int at = 0;
    for (int row = 0; row + 1 < splits.length; row++) {
      long length = splits[row + 1] - splits[row];
      if (length < 0 || length > last - at) {
        throw invalidArgument("Invalid row split size.");
      }
      for (int i = 0; i < length; i++) {
        outputIndices[at++] = parents[row] < 0 || i >= width ? -1 : parents[row] + i * step;
      }
    }
    if (at != last) {
      throw invalidArgument("Invalid row split size.");
    }
    return outputIndices;
  }

  private static int[] outputIndicesOfRowIds(long[] rowIds, int[] parents, int step, long width) {
    int[] outputIndices = new int[rowIds.length];
    int column = 0;
    for (int i = 0; i < rowIds.length; i++) {
      boolean same = i > 0 && rowIds[i] == rowIds[i - 1];
      column = same ? column + 1 : 0;
      if (rowIds[i] < 0 || rowIds[i] >= parents.length) {
        throw invalidArgument(
            "Got %s=%d which is not less than %d",
            i == 0 ? "current_value_rowid" : "next_value_rowid", rowIds[i], parents.length);
      }
      int parent = parents[(int) rowIds[i]];
      outputIndices[i] = parent < 0 || column >= width ? -1 : parent + column * step;
    }
    return outputIndices;
  }

  /** Copies the values to their output indices, runs of adjacent ones at once. */
  private void copy(int[] outputIndices, int block, Object array) {
    long there = values.shape().size(0);
    if (outputIndices.length > there) {
      boolean missing = Arrays.stream(outputIndices).skip(there).anyMatch(index -> index >= 0);
      if (missing) {
        throw invalidArgument(
            "row partitions are of %d values, and there are %d", outputIndices.length, there);
      }
    }
    int from = 0;
    while (from < outputIndices.length) {
      int to = from + 1;
      while (outputIndices[from] >= 0
          && to < outputIndices.length
          && outputIndices[to] == outputIndices[to - 1] + 1) {
        to++;
      }
      if (outputIndices[from] >= 0) {
        values
            .dtype()
            .kind()
            .copy(
                TensorMemory.array(values),
                TensorMemory.offset(values) + from * block,
                array,
                outputIndices[from] * block,
                (to - from) * block);
      }
      from = to;
    }
  }
}
