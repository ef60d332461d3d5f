package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedMove;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Collections;
import java.util.List;

/** DynamicPartition distributes the slices of a tensor over several tensors, by index. */
final class DynamicPartitionOps {
  private DynamicPartitionOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DynamicPartition(data: T, partitions: int32) -> (outputs: num_partitions * T)")
            .attrs("num_partitions: int", "T: type")
            .shape(DynamicPartitionOps::partitionRule)
            .kernel(RowKernel.made(DynamicPartitionOps::partition)));
  }

  private static List<Shape> partitionRule(ShapeFunction.Inputs in) {
    int count = in.attrs().count("num_partitions");
    Shape data = in.shape(0);
    Shape partitions = in.shape(1);
    if (data.isUnknownRank() || partitions.isUnknownRank()) {
      return Collections.nCopies(count, Shape.UNKNOWN);
    }
    Shapes.checkRankAtLeast(data, partitions.rank());
    Shape part = data.dropFirst(partitions.rank()).prepend(Shape.UNKNOWN_DIMENSION);
    return Collections.nCopies(count, part);
  }

  private static RowKernel.Body partition(NodeSpec node) {
    int count = node.attrs().count("num_partitions");
    return rows -> {
      if (rows.isMany()) {
        return false;
      }
      partition(rows, count);
      return true;
    };
  }

  private static void partition(Rows rows, int count) {
    Tensor data = rows.all(0);
    Tensor partitions = rows.all(1);
    Shape shape = partitions.shape();
    if (data.shape().rank() < shape.rank() || !data.shape().sub(0, shape.rank()).equals(shape)) {
      throw invalidArgument(
          "data.shape must start with partitions.shape, got data.shape = %s, partitions.shape = %s",
          data.shape(), shape);
    }
    int[] sizes = sizes(partitions, count);
    Shape slice = data.shape().dropFirst(shape.rank());
    int block = slice.elements();
    for (int part = 0; part < count; part++) {
      int[] slices = new int[sizes[part]];
      int next = 0;
      for (int i = 0; i < partitions.elements(); i++) {
        if (partitions.integer(i) == part) {
          slices[next++] = i;
        }
      }
      Shape result = slice.prepend(slices.length);
      Object array = rows.allocate(data.dtype(), result);
      IndexedMove.gather(
          data.dtype().kind(),
          TensorMemory.array(data),
          TensorMemory.offset(data),
          block,
          slices,
          array,
          0);
      rows.set(part, data.dtype(), result, array);
    }
  }

  private static int[] sizes(Tensor partitions, int count) {
    int[] sizes = new int[count];
    for (int i = 0; i < partitions.elements(); i++) {
      long part = partitions.integer(i);
      if (part < 0 || part >= count) {
        throw invalidArgument(
            "partitions%s = %d is not in [0, %d)",
            GatherOps.position(partitions.shape(), i), part, count);
      }
      sizes[(int) part]++;
    }
    return sizes;
  }
}
