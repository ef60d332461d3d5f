package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

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
import java.util.Collections;
import java.util.List;

/** AddN: the elementwise sum of any number of tensors of one shape. */
final class AddNOps {
  /** Tensors that a generated loop adds up before it adds them to the total. */
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
    int count = node.inputTypes().size();
    int first = count % AT_ONCE;
    first += first < 2 && first < count ? AT_ONCE : 0;
    ElementwiseKernel begin = kernel(added(0, first, dtype), first, dtype);
    Expression total = new Expression.Input(0, dtype);
    ElementwiseKernel more = kernel(total.add(added(1, AT_ONCE + 1, dtype)), AT_ONCE + 1, dtype);
    int head = first;
    return rows -> {
      check(rows, node);
      add(rows, begin, head, more);
      return true;
    };
  }

  /** The sum of the operands {@code from} to {@code to - 1}, from left to right. */
  private static Expression added(int from, int to, DataType dtype) {
    Expression sum = new Expression.Input(from, dtype);
    for (int i = from + 1; i < to; i++) {
      sum = sum.add(new Expression.Input(i, dtype));
    }
    return sum;
  }

  private static ElementwiseKernel kernel(Expression sum, int count, DataType dtype) {
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

  /**
   * Adds the inputs in TensorFlow's order: the first {@code head} of them by {@code begin}, then
   * groups of {@link #AT_ONCE}, each added up before {@code more} adds it to the total.
   */
  private static void add(Rows rows, ElementwiseKernel begin, int head, ElementwiseKernel more) {
    if (rows.inputs() == 1) {
      rows.setView(0, 0, rows.shape(0));
      return;
    }
    Tensor[] operands = new Tensor[head];
    long mask = operands(rows, 0, operands, 0);
    Tensor total = begin.apply(operands, mask, rows.cancellation());
    boolean varies = mask != 0;
    for (int next = head; next < rows.inputs(); next += AT_ONCE) {
      Tensor[] group = new Tensor[AT_ONCE + 1];
      group[0] = total;
      mask = operands(rows, next, group, 1) | (varies ? 1 : 0);
      total = more.apply(group, mask, rows.cancellation());
      varies |= mask != 0;
    }
    if (rows.isMany() && !varies) {
      rows.setSame(0, total);
    } else {
      rows.set(0, total);
    }
  }

  /** Fills {@code operands} from {@code to} on; returns the mask of those that vary by row. */
  private static long operands(Rows rows, int input, Tensor[] operands, int to) {
    long mask = 0;
    for (int i = to; i < operands.length; i++) {
      operands[i] = rows.all(input + i - to);
      mask |= rows.varies(input + i - to) ? 1L << i : 0;
    }
    return mask;
  }
}
