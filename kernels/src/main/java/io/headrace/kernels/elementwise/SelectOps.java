package io.headrace.kernels.elementwise;

import io.headrace.kernels.kit.IndexedBroadcastKernel;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.BroadcastingKernel;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** Select and SelectV2: an element of one of two values, by a condition. */
final class SelectOps {
  static final List<Op> OPS =
      List.of(
          Op.define("SelectV2(condition: bool, t: T, e: T) -> output: T")
              .attrs("T: type")
              .scalarWhere(
                  SelectOps::isScalar,
                  (in, _) -> Expression.select(in.get(0), in.get(1), in.get(2)))
              .kernel(SelectOps::movement),
          Op.define("Select(condition: bool, t: T, e: T) -> output: T")
              .attrs("T: type")
              .shape(SelectOps::selectShape)
              .kernel(RowKernel.made(node -> new SelectKernel(elements(node)))));

  private SelectOps() {}

  private static boolean isScalar(Attrs attrs) {
    return Expression.isScalar(attrs.type("T"));
  }

  private static BroadcastingKernel elements(NodeSpec node) {
    DataType dtype = node.attrs().type("T");
    if (!Expression.isScalar(dtype)) {
      return movement(node);
    }
    Expression choice =
        Expression.select(
            new Expression.Input(0, DataType.BOOL),
            new Expression.Input(1, dtype),
            new Expression.Input(2, dtype));
    return ElementwiseKernel.of(choice, node.inputTypes());
  }

  private static BroadcastingKernel movement(NodeSpec node) {
    DataType dtype = node.attrs().type("T");
    ElementKind kind = dtype.kind();
    return new IndexedBroadcastKernel(
        dtype,
        (inputs, at, out, elements) -> {
          byte[] condition = (byte[]) TensorMemory.array(inputs[0]);
          for (int i = 0; i < elements; i++) {
            int chosen = condition[at[0][i]] != 0 ? 1 : 2;
            kind.copy(TensorMemory.array(inputs[chosen]), at[chosen][i], out, i, 1);
          }
        });
  }

  /** The result has the shape that both values share. */
  private static List<Shape> selectShape(ShapeFunction.Inputs inputs) {
    return List.of(Shapes.merge(inputs.shape(1), inputs.shape(2)));
  }
}
