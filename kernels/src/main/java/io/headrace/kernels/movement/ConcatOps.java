package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Ops that join tensors into one: along an axis of theirs, or along a new one. */
final class ConcatOps {
  private ConcatOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Pack(values: N * T) -> output: T")
            .attrs("N: int", "T: type", "axis: int = 0")
            .shape(ConcatOps::packRule)
            .kernel(RowKernel.made(ConcatOps::pack)),
        Op.define("ConcatV2(values: N * T, axis: Tidx) -> output: T")
            .attrs("N: int", "T: type", "Tidx: {int32, int64} = int32")
            .shape(in -> concatRule(in, 0, in.count() - 1))
            .kernel(RowKernel.of(rows -> concat(rows, 0, rows.inputs() - 1))),
        Op.define("ParallelConcat(values: N * T) -> output: T")
            .attrs("N: int", "T: type", "shape: shape")
            .remark(
                "Values that do not make attr shape are INVALID_ARGUMENT; TensorFlow leaves what is"
                    + " missing as it finds it.")
            .shape(in -> List.of(in.attrs().shape("shape")))
            .kernel(RowKernel.made(ConcatOps::parallelConcat)),
        Op.define("Concat(concat_dim: int32, values: N * T) -> output: T")
            .attrs("N: int", "T: type")
            .shape(in -> concatRule(in, 1, 0))
            .kernel(RowKernel.of(rows -> concat(rows, 1, 0))));
  }

  private static RowKernel.Body pack(NodeSpec node) {
    long axis = node.attrs().integer("axis");
    return rows -> {
      Shape shape = rows.shape(0);
      for (int i = 1; i < rows.inputs(); i++) {
        if (!rows.shape(i).equals(shape)) {
          throw invalidArgument(
              "Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
              shape, i, rows.shape(i));
        }
      }
      int at = packAxis(axis, shape.rank());
      Shape result =
          Shapes.concat(shape.sub(0, at), shape.sub(at, shape.rank()).prepend(rows.inputs()));
      join(rows, 0, rows.inputs(), at, result);
      return true;
    };
  }

  /** Rows of one value each make {@code shape}. */
  private static RowKernel.Body parallelConcat(NodeSpec node) {
    Shape shape = node.attrs().shape("shape");
    return rows -> {
      if (shape.rank() < 1 || shape.size(0) != rows.inputs()) {
        throw invalidArgument("%d values cannot make a tensor of shape %s", rows.inputs(), shape);
      }
      Shape one = shape.dropFirst(1).prepend(1);
      for (int i = 0; i < rows.inputs(); i++) {
        if (!rows.shape(i).equals(one)) {
          throw invalidArgument("values[%d] must have shape %s, and has %s", i, one, rows.shape(i));
        }
      }
      join(rows, 0, rows.inputs(), 0, shape);
      return true;
    };
  }

  private static int packAxis(long axis, int rank) {
    Integer at = Shapes.axis(axis, rank + 1);
    if (at == null) {
      throw invalidArgument("axis = %d not in [%d, %d)", axis, -(rank + 1), rank + 1);
    }
    return at;
  }

  private static List<Shape> packRule(ShapeRule.Inputs in) {
    Shape merged = in.shape(0);
    for (int i = 1; i < in.count(); i++) {
      merged = Shapes.merge(merged, in.shape(i));
    }
    if (merged.isUnknownRank()) {
      return List.of(Shape.UNKNOWN);
    }
    int at = packAxis(in.attrs().integer("axis"), merged.rank());
    return List.of(
        Shapes.concat(merged.sub(0, at), merged.sub(at, merged.rank()).prepend(in.count())));
  }

  /** Joins the inputs {@code first} to {@code first + N - 1} along the axis that another says. */
  private static boolean concat(Rows rows, int first, int axisInput) {
    Tensor dim = rows.same(axisInput);
    if (dim == null) {
      return false;
    }
    int values = rows.inputs() - 1;
    checkConcatDim(dim);
    Shape shape = rows.shape(first);
    if (shape.rank() == 0) {
      throw invalidArgument("ConcatOp : Can't concatenate scalars (use tf.stack instead)");
    }
    Integer axis = Shapes.axis(dim.integer(0), shape.rank());
    if (axis == null) {
      throw invalidArgument(
          "ConcatOp : Expected concatenating dimensions in the range [%d, %d), but got %d",
          -shape.rank(), shape.rank(), dim.integer(0));
    }
    long size = 0;
    for (int i = 0; i < values; i++) {
      checkFits(shape, rows.shape(first + i), axis, i);
      size += rows.shape(first + i).size(axis);
    }
    join(rows, first, values, axis, Shapes.withSize(shape, axis, size));
    return true;
  }

  private static void checkConcatDim(Tensor dim) {
    if (dim.elements() != 1) {
      throw invalidArgument(
          "axis tensor should be a scalar integer, but got shape %s", dim.shape());
    }
  }

  private static void checkFits(Shape first, Shape other, int axis, int index) {
    if (other.rank() != first.rank()) {
      throw invalidArgument(
          "ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
          first, index, other);
    }
    for (int i = 0; i < first.rank(); i++) {
      if (i != axis && first.size(i) != other.size(i)) {
        throw invalidArgument(
            "ConcatOp : Dimension %d in both shapes must be equal: shape[0] = %s vs. shape[%d] ="
                + " %s",
            i, first, index, other);
      }
    }
  }

  /** Lays the blocks that inputs have from {@code axis} on side by side. */
  private static void join(Rows rows, int first, int values, int axis, Shape result) {
    DataType dtype = rows.dtype(first);
    Object array = rows.allocate(dtype, result);
    int all = result.elements();
    int outer = result.sub(0, axis).elements();
    int block = outer == 0 ? 0 : all / outer;
    int at = 0;
    for (int i = first; i < first + values; i++) {
      Tensor value = rows.all(i);
      int size = outer == 0 ? 0 : rows.shape(i).elements() / outer;
      new StridedMove(dtype.kind())
          .dimension(rows.count(), rows.stride(i), all)
          .dimension(outer, size, block)
          .dimension(size, 1, 1)
          .run(value.array(), value.offset(), array, at, rows.cancellation());
      at += size;
    }
    rows.set(0, dtype, result, array);
  }

  private static List<Shape> concatRule(ShapeRule.Inputs in, int first, int axisInput) {
    int values = in.count() - 1;
    Tensor dim = in.constant(axisInput);
    int rank = -1;
    for (int i = 0; i < values; i++) {
      rank = Math.max(rank, in.shape(first + i).rank());
    }
    if (dim == null || rank < 0) {
      return List.of(rank < 0 ? Shape.UNKNOWN : Shapes.ofRank(rank));
    }
    Integer axis = Shapes.axis(dim.integer(0), rank);
    if (axis == null) {
      throw invalidArgument("axis %d of a shape of %d dimensions", dim.integer(0), rank);
    }
    return List.of(concatenated(in, first, values, Shapes.ofRank(rank), axis));
  }

  private static Shape concatenated(
      ShapeRule.Inputs in, int first, int values, Shape unknown, int axis) {
    Shape merged = unknown;
    long size = 0;
    for (int i = first; i < first + values; i++) {
      Shape shape = Shapes.withRank(in.shape(i), unknown.rank());
      size = Shapes.add(size, shape.size(axis));
      merged = Shapes.merge(merged, Shapes.withSize(shape, axis, Shape.UNKNOWN_DIMENSION));
    }
    return Shapes.withSize(merged, axis, size);
  }
}
