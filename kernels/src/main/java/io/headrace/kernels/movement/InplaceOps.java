package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * InplaceUpdate, InplaceAdd and InplaceSub, which change rows of a tensor, and Empty and DeepCopy,
 * which make the tensors that programs change this way.
 */
final class InplaceOps {
  private InplaceOps() {}

  static List<Op> ops() {
    return List.of(
        changing("InplaceUpdate", Combiner.UPDATE),
        changing("InplaceAdd", Combiner.ADD),
        changing("InplaceSub", Combiner.SUB),
        Op.define("DeepCopy(x: T) -> y: T")
            .attrs("T: type")
            .stateful()
            .shape(ShapeFunctions.SAME)
            .stateless(call -> {
              checkType(call.input(0).dtype(), Combiner.UPDATE);
              call.setOutput(0, call.input(0));
            }),
        Op.define("Empty(shape: int32) -> output: dtype")
            .attrs("dtype: {number, bool, string}", "init: bool = false")
            .stateful()
            .shape(in -> List.of(Shapes.fromSizes(in, 0)))
            .remark("The elements are zeros, or empty strings, whether init is set or not.")
            .kernel(RowKernel.made(InplaceOps::empty)));
  }

  private static Op changing(String name, Combiner combining) {
    return Op.define(name + "(x: T, i: int32, v: T) -> y: T")
        .attrs("T: type")
        .shape(ShapeFunctions.SAME)
        .remark("x keeps its value, for the other ops that take it; TensorFlow overwrites it.")
        .kernel(RowKernel.of(rows -> change(rows, combining)));
  }

  private static RowKernel.Body empty(NodeSpec node) {
    DataType dtype = node.attrs().type("dtype");
    return rows -> {
      Tensor sizes = rows.same(0);
      if (sizes == null) {
        return false;
      }
      if (sizes.shape().rank() != 1) {
        throw invalidArgument("shape must be a vector of int32, got shape %s", sizes.shape());
      }
      Shape shape = ShapeInputs.shape(sizes);
      rows.set(0, dtype, shape, rows.allocateZeros(dtype, shape));
      return true;
    };
  }

  private static boolean change(Rows rows, Combiner combining) {
    Shape x = rows.shape(0);
    Shape v = rows.shape(2);
    checkShapes(x, rows.shape(1), v);
    DataType dtype = rows.dtype(0);
    Object array = rows.allocateUnset(dtype, x);
    boolean changes = x.elements() > 0 && v.elements() > 0;
    if (changes) {
      checkType(dtype, combining);
    }
    for (int row = 0; row < rows.count(); row++) {
      Tensor tensor = rows.row(0, row);
      int first = row * x.elements();
      dtype
          .kind()
          .copy(
              TensorMemory.array(tensor), TensorMemory.offset(tensor), array, first, x.elements());
      if (changes) {
        changeRow(combining, rows.row(1, row), rows.row(2, row), array, first, x);
      }
      rows.cancellation().check();
    }
    rows.set(0, dtype, x, array);
    return true;
  }

  private static void checkShapes(Shape x, Shape i, Shape v) {
    if (i.rank() != 1) {
      throw invalidArgument("i must be a vector. %s", i);
    }
    if (x.rank() != v.rank()) {
      throw invalidArgument("x and v shape doesn't match (ranks differ): %s vs. %s", x, v);
    }
    for (int axis = 1; axis < x.rank(); axis++) {
      if (x.size(axis) != v.size(axis)) {
        throw invalidArgument("x and v shape doesn't match at index %d : %s vs. %s", axis, x, v);
      }
    }
    if (v.rank() == 0 || i.size(0) != v.size(0)) {
      throw invalidArgument("i and x shape doesn't match at index 0: %s vs. %s", i, v);
    }
  }

  private static void checkType(DataType dtype, Combiner combining) {
    boolean isMoved = dtype == DataType.STRING || dtype == DataType.BOOL;
    if (!dtype.isNumber() && !(isMoved && combining == Combiner.UPDATE)) {
      throw invalidArgument("Unsupported data type: %s", dtype.tfName());
    }
  }

  /**
   * Combines the rows of {@code x}, which begins at {@code first}, with those of {@code v}. Numbers
   * of rows that {@code x} does not have are taken modulo those that it has.
   */
  private static void changeRow(
      Combiner combining, Tensor i, Tensor v, Object array, int first, Shape x) {
    int block = x.dropFirst(1).elements();
    for (int j = 0; j < i.elements(); j++) {
      int at = (int) Math.floorMod(i.integer(j), x.size(0));
      combining.into(
          v.dtype(),
          array,
          first + at * block,
          TensorMemory.array(v),
          TensorMemory.offset(v) + j * block,
          block);
    }
  }
}
