package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/** DynamicStitch and ParallelDynamicStitch interleave the slices of tensors by index. */
final class DynamicStitchOps {
  private DynamicStitchOps() {}

  static List<Op> ops() {
    return List.of(stitch("DynamicStitch"), stitch("ParallelDynamicStitch"));
  }

  private static Op stitch(String name) {
    return Op.define(name + "(indices: N * int32, data: N * T) -> merged: T")
        .attrs("N: int", "T: type")
        .shape(DynamicStitchOps::stitchRule)
        .kernel(RowKernel.of(DynamicStitchOps::stitch));
  }

  private static List<Shape> stitchRule(ShapeFunction.Inputs in) {
    int count = in.attrs().count("N");
    Shape slice = Shape.UNKNOWN;
    long max = -1;
    boolean known = true;
    for (int i = 0; i < count; i++) {
      Tensor indices = in.constant(i);
      known &= indices != null;
      max = indices == null ? max : Math.max(max, max(indices));
      Shape data = in.shape(count + i);
      Shape place = in.shape(i);
      if (!data.isUnknownRank() && !place.isUnknownRank()) {
        Shapes.checkRankAtLeast(data, place.rank());
        slice = Shapes.merge(slice, data.dropFirst(place.rank()));
      }
    }
    return List.of(
        slice.isUnknownRank() ? slice : slice.prepend(known ? max + 1 : Shape.UNKNOWN_DIMENSION));
  }

  private static long max(Tensor indices) {
    return Arrays.stream(indices.integers()).max().orElse(-1);
  }

  private static boolean stitch(Rows rows) {
    int count = rows.inputs() / 2;
    long size = 0;
    for (int i = 0; i < count; i++) {
      if (rows.varies(i)) {
        return false;
      }
      size = Math.max(size, max(rows.all(i)) + 1);
      checkStitch(rows, i, count);
    }
    Shape slice = slice(rows, 0, count);
    Shape result = slice.prepend(size);
    Object array = rows.allocateZeros(rows.dtype(count), result);
    for (int i = 0; i < count; i++) {
      for (int row = 0; row < rows.count(); row++) {
        int first = row * result.elements();
        put(rows.all(i), rows.row(count + i, row), slice.elements(), array, first, (int) size, i);
      }
    }
    rows.set(0, rows.dtype(count), result, array);
    return true;
  }

  private static Shape slice(Rows rows, int i, int count) {
    return rows.shape(count + i).dropFirst(rows.shape(i).rank());
  }

  private static void checkStitch(Rows rows, int i, int count) {
    Shape indices = rows.shape(i);
    Shape data = rows.shape(count + i);
    if (data.rank() < indices.rank() || !data.sub(0, indices.rank()).equals(indices)) {
      throw invalidArgument(
          "data[%d].shape = %s does not start with indices[%d].shape = %s", i, data, i, indices);
    }
    if (!slice(rows, i, count).equals(slice(rows, 0, count))) {
      throw invalidArgument(
          "Need data[0].shape[%d:] = data[%d].shape[%d:], got data[0].shape = %s, data[%d].shape ="
              + " %s, indices[0].shape = %s, indices[%d].shape = %s",
          rows.shape(0).rank(),
          i,
          indices.rank(),
          rows.shape(count),
          i,
          data,
          rows.shape(0),
          i,
          indices);
    }
  }

  private static void put(
      Tensor indices, Tensor data, int block, Object array, int first, int size, int input) {
    ElementKind kind = data.dtype().kind();
    for (int i = 0; i < indices.elements(); i++) {
      long index = indices.integer(i);
      if (index < 0 || index >= size) {
        throw invalidArgument("indices[%d] is out of range", input);
      }
      int to = first + (int) index * block;
      kind.copy(TensorMemory.array(data), TensorMemory.offset(data) + i * block, array, to, block);
    }
  }
}
