package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** The RaggedTensorToTensor op: a ragged tensor padded to a dense one. */
final class RaggedTensorToTensorOps {
  /** The row partition types that the kernel supports. */
  enum Partition {
    /** The number of rows, a scalar; VALUE_ROWIDS follows. */
    FIRST_DIM_SIZE,
    /** The row of each value. */
    VALUE_ROWIDS,
    /** The start of each row, and the end of the last. */
    ROW_SPLITS
  }

  private RaggedTensorToTensorOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedTensorToTensor(shape: Tshape, values: T, default_value: T,"
                    + " row_partition_tensors: num_row_partition_tensors * Tindex) -> result: T")
            .attrs(
                "T: type",
                "Tindex: {int64, int32}",
                "Tshape: {int64, int32}",
                "num_row_partition_tensors: int",
                "row_partition_types: list(string)")
            .shape(RaggedTensorToTensorOps::rule)
            .kernel(node -> {
              List<Partition> partitions = partitions(node.attrs());
              return call -> call.setOutput(0, new RaggedPadding(call, partitions).dense());
            }));
  }

  private static List<Partition> partitions(Attrs attrs) {
    return attrs.strings("row_partition_types").stream()
        .map(RaggedTensorToTensorOps::partition)
        .toList();
  }

  private static Partition partition(String name) {
    return switch (name) {
      case "FIRST_DIM_SIZE" -> Partition.FIRST_DIM_SIZE;
      case "VALUE_ROWIDS" -> Partition.VALUE_ROWIDS;
      case "ROW_SPLITS" -> Partition.ROW_SPLITS;
      case "ROW_LENGTHS", "ROW_LIMITS", "ROW_STARTS" ->
          throw invalidArgument("Unsupported partition type: %s", name);
      default -> throw invalidArgument("Unknown string for partition info type: %s", name);
    };
  }

  /** Number of ragged dimensions. */
  static int raggedRank(List<Partition> partitions) {
    boolean sized = !partitions.isEmpty() && partitions.getFirst() == Partition.FIRST_DIM_SIZE;
    return partitions.size() - (sized ? 1 : 0);
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    List<Partition> partitions = partitions(in.attrs());
    check(partitions, in);
    Shape values = in.shape(1);
    checkDefault(in.shape(2), values);
    return List.of(mergeInnerDimensions(raggedRank(partitions), Shapes.fromSizes(in, 0), values));
  }

  private static void check(List<Partition> partitions, ShapeFunction.Inputs in) {
    if (partitions.isEmpty()) {
      throw invalidArgument("Partition info types should not be empty");
    }
    if (partitions.lastIndexOf(Partition.FIRST_DIM_SIZE) > 0) {
      throw invalidArgument("FIRST_DIM_SIZE must be first");
    }
    if (partitions.getFirst() == Partition.VALUE_ROWIDS) {
      throw invalidArgument("VALUE_ROWIDS cannot be first");
    }
    boolean sized = partitions.getFirst() == Partition.FIRST_DIM_SIZE;
    if (sized && (partitions.size() < 2 || partitions.get(1) != Partition.VALUE_ROWIDS)) {
      throw invalidArgument("FIRST_DIM_SIZE must be followed by VALUE_ROWIDS");
    }
    if (in.count() - 3 != partitions.size()) {
      throw invalidArgument(
          "Number of row partition tensors (%d) does not equal the number of row partition"
              + " types(%d).",
          in.count() - 3, partitions.size());
    }
    for (int i = 0; i < partitions.size(); i++) {
      int rank = in.shape(3 + i).rank();
      if (rank >= 0 && rank != (partitions.get(i) == Partition.FIRST_DIM_SIZE ? 0 : 1)) {
        throw partitions.get(i) == Partition.FIRST_DIM_SIZE
            ? invalidArgument("FIRST_DIM_SIZE must be a scalar.")
            : invalidArgument("Row partition must be a vector.");
      }
    }
  }

  /** INVALID_ARGUMENT unless {@code defaultValue} broadcasts to each inner value. */
  static void checkDefault(Shape defaultValue, Shape values) {
    if (defaultValue.isUnknownRank() || values.isUnknownRank()) {
      return;
    }
    if (defaultValue.rank() >= values.rank()) {
      throw invalidArgument(
          "default_value.shape=%s and rt_input.flat_values.shape=%s are incompatible:"
              + " default_value.rank = %d  must be less than rt_input.flat_values.rank = %d",
          defaultValue, values, defaultValue.rank(), values.rank());
    }
    for (int i = 0; i < defaultValue.rank(); i++) {
      long own = defaultValue.size(i);
      long other = values.size(i + 1);
      if (own >= 0 && other >= 0 && own != 1 && own != other) {
        int axis = i - defaultValue.rank();
        throw invalidArgument(
            "default_value.shape=%s and rt_input.flat_values.shape=%s are incompatible:"
                + " default_value.shape[%d] = %d but rt_input.flat_values.shape[%d] = %d",
            defaultValue, values, axis, own, axis, other);
      }
    }
  }

  /** Merges the requested shape with the inner dimensions of the values. */
  static Shape mergeInnerDimensions(int raggedRank, Shape shape, Shape values) {
    if (values.isUnknownRank()) {
      return shape;
    }
    int rank = raggedRank + values.rank();
    if (!shape.isUnknownRank() && shape.rank() != rank) {
      throw invalidArgument(
          "rt_input.shape and shape=%s are incompatible: rt_input.rank = %d but shape.rank = %d",
          shape, rank, shape.rank());
    }
    Shape result = shape.isUnknownRank() ? Shapes.ofRank(rank) : shape;
    for (int i = 1; i < values.rank(); i++) {
      int axis = raggedRank + i;
      long size = values.size(i);
      if (size >= 0 && result.size(axis) >= 0 && result.size(axis) != size) {
        throw invalidArgument(
            "rt_input.shape and shape=%s are incompatible: rt_input.shape[%d] = %d but shape[%d] ="
                + " %d",
            shape, axis, size, axis, result.size(axis));
      }
      result = size < 0 ? result : Shapes.withSize(result, axis, size);
    }
    return result;
  }

  /** The requested shape, where -1 stands for an unknown size, or as a scalar for unknown rank. */
  static Shape requestedShape(Tensor shape) {
    if (shape.shape().rank() == 0) {
      if (shape.integer(0) != -1) {
        throw invalidArgument(
            "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
      }
      return Shape.UNKNOWN;
    }
    if (shape.shape().rank() > 1) {
      throw invalidArgument("shape must be at most rank 1 but is rank %d", shape.shape().rank());
    }
    return Shape.of(shape.integers());
  }
}
