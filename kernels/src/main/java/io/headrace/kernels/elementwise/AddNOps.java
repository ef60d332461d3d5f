package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.variant.VariantMath;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** AddN: the elementwise sum of any number of tensors of one shape. */
final class AddNOps {
  /** Tensors added in one generated loop. */
  private static final int AT_ONCE = 8;

  private AddNOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("AddN(inputs: N * T) -> sum: T")
            .attrs("N: int", "T: {number, variant}")
            .shape(AddNOps::rule)
            .kernel(AddNOps::kernel));
  }

  private static Kernel.Sync kernel(NodeSpec node) {
    return node.attrs().type("T") == DataType.VARIANT
        ? VariantMath::sum
        : RowKernel.made(AddNOps::sum).create(node);
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shape shape = Shape.UNKNOWN;
    for (int i = 0; i < in.count(); i++) {
      shape = Shapes.merge(shape, in.shape(i));
    }
    return List.of(shape);
  }

  private static RowKernel.Body sum(NodeSpec node) {
    DataType dtype = node.attrs().type("T");
    if (!Expression.isScalar(dtype)) {
      return rows -> {
        check(rows, node);
        addParts(rows, dtype);
        return true;
      };
    }
    List<ElementwiseKernel> sums = new ArrayList<>();
    for (int n = 2; n <= AT_ONCE; n++) {
      sums.add(sumOf(n, dtype));
    }
    return rows -> {
      check(rows, node);
      add(rows, sums);
      return true;
    };
  }

  private static ElementwiseKernel sumOf(int count, DataType dtype) {
    Expression sum = new Expression.Input(0, dtype);
    for (int i = 1; i < count; i++) {
      sum = sum.add(new Expression.Input(i, dtype));
    }
    return ElementwiseKernel.of(sum, Collections.nCopies(count, dtype));
  }

  private static void check(Rows rows, NodeSpec node) {
    for (int i = 1; i < rows.inputs(); i++) {
      if (!rows.shape(i).equals(rows.shape(0))) {
        throw invalidArgument(
            "Inputs to operation %s of type AddN must have the same size and shape."
                + "  Input 0: %s != input %d: %s",
            node.name(), rows.shape(0), i, rows.shape(i));
      }
    }
  }

  /** Adds the inputs; {@code sums.get(n - 2)} is the kernel that adds n tensors. */
  private static void add(Rows rows, List<ElementwiseKernel> sums) {
    if (rows.inputs() == 1) {
      rows.setView(0, 0, rows.shape(0));
      return;
    }
    Tensor total = rows.all(0);
    boolean varies = rows.varies(0);
    for (int next = 1; next < rows.inputs(); ) {
      int count = Math.min(AT_ONCE - 1, rows.inputs() - next);
      Tensor[] operands = new Tensor[count + 1];
      operands[0] = total;
      long mask = varies ? 1 : 0;
      for (int i = 1; i <= count; i++, next++) {
        operands[i] = rows.all(next);
        mask |= rows.varies(next) ? 1L << i : 0;
      }
      total = sums.get(count - 1).apply(operands, mask, rows.cancellation());
      varies |= mask != 0;
    }
    if (rows.isMany() && !varies) {
      rows.setSame(0, total);
    } else {
      rows.set(0, total);
    }
  }

  /** Adds complex inputs, part by part. */
  private static void addParts(Rows rows, DataType dtype) {
    Shape shape = rows.shape(0);
    Object array = rows.allocate(dtype, shape);
    int elements = shape.elements();
    for (int row = 0; row < rows.count(); row++) {
      rows.cancellation().check();
      for (int i = 0; i < rows.inputs(); i++) {
        Tensor input = rows.row(i, row);
        Combiner how = i == 0 ? Combiner.UPDATE : Combiner.ADD;
        how.into(dtype, array, row * elements, input.array(), input.offset(), elements);
      }
    }
    rows.set(0, dtype, shape, array);
  }
}
