package io.headrace.kernels.elementwise;

import static io.headrace.runtime.expression.Expression.select;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.GeneratedLoops;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.expression.Scan;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.function.BinaryOperator;

/** Cumsum, Cumprod and CumulativeLogsumexp: scans along an axis. */
final class CumsumOps {
  static final List<Op> OPS =
      List.of(
          scan("Cumsum", "number", Expression::add, 0),
          scan("Cumprod", "number", Expression::mul, 1),
          scan("CumulativeLogsumexp", "floating", CumsumOps::logAddExp, Double.NEGATIVE_INFINITY));

  private CumsumOps() {}

  private static Op scan(
      String name, String types, BinaryOperator<Expression> combine, double identity) {
    return Op.define(name + "(x: T, axis: Tidx) -> out: T")
        .attrs(
            "exclusive: bool = false",
            "reverse: bool = false",
            "T: " + types,
            "Tidx: {int32, int64} = int32")
        .shape(ShapeFunctions.SAME)
        .kernel(RowKernel.made(node -> body(node, combine, identity)));
  }

  /**
   * log(e^x + e^y): the larger plus log(1 + e^(the smaller less the larger)). Where y is NaN, x is
   * both, as TensorFlow has it.
   */
  private static Expression logAddExp(Expression x, Expression y) {
    Expression larger = select(x.lessThan(y), y, x);
    Expression difference = select(y.lessThan(x), y, x).sub(larger);
    Expression sum = difference.apply(ScalarOperation.EXP).apply(ScalarOperation.LOG1P).add(larger);
    return select(larger.equalTo(larger.same(Double.NEGATIVE_INFINITY)), larger, sum);
  }

  private static RowKernel.Body body(
      NodeSpec node, BinaryOperator<Expression> combine, double identity) {
    DataType dtype = node.inputTypes().getFirst();
    Expression combined =
        combine.apply(new Expression.Input(0, dtype), new Expression.Input(1, dtype));
    Scan scan =
        GeneratedLoops.scan(
            LoopProgram.of(combined, List.of(dtype, dtype)), Expression.constant(dtype, identity));
    boolean exclusive = node.attrs().bool("exclusive");
    boolean reverse = node.attrs().bool("reverse");
    return rows -> run(rows, scan, exclusive, reverse);
  }

  private static boolean run(Rows rows, Scan scan, boolean exclusive, boolean reverse) {
    Tensor axis = rows.same(1);
    if (axis == null) {
      return false;
    }
    Tensor input = rows.all(0);
    int dimension = axis(axis, rows.shape(0)) + (rows.varies(0) ? 1 : 0);
    Object out = input.dtype().kind().newArray(input.elements());
    if (input.elements() > 0) {
      run(rows, scan, input, out, dimension, exclusive, reverse);
    }
    Tensor result = Tensor.wrap(input.dtype(), input.shape(), out);
    if (rows.varies(0)) {
      rows.set(0, result);
    } else {
      rows.setSame(0, result);
    }
    return true;
  }

  private static int axis(Tensor axis, Shape shape) {
    if (axis.shape().rank() != 0) {
      throw StatusException.invalidArgument("ScanOp: axis must be a scalar, not %s", axis.shape());
    }
    long given = axis.integer(0);
    long index = given < 0 ? given + shape.rank() : given;
    if (index < 0 || index >= shape.rank()) {
      throw StatusException.invalidArgument(
          "ScanOp: Expected scan axis in the range [%d, %d), but got %d",
          -shape.rank(), shape.rank(), index);
    }
    return (int) index;
  }

  private static void run(
      Rows rows,
      Scan scan,
      Tensor input,
      Object out,
      int dimension,
      boolean exclusive,
      boolean reverse) {
    int length = (int) input.shape().size(dimension);
    int width = input.shape().dropFirst(dimension + 1).elements();
    int step = reverse ? -width : width;
    for (int start = 0; start < input.elements(); start += length * width) {
      rows.cancellation().check();
      for (int i = 0; i < width; i++) {
        int first = start + i + (reverse ? (length - 1) * width : 0);
        scan.run(
            TensorMemory.array(input),
            TensorMemory.offset(input) + first,
            out,
            first,
            length,
            step,
            exclusive);
      }
      if (input.elements() - start == length * width) {
        break;
      }
    }
  }
}
