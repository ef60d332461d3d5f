package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.elementwise.BroadcastingKernel;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Collections;
import java.util.List;

/** The Cross op: the cross product of 3-element vectors. */
final class CrossOps {
  private CrossOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Cross(a: T, b: T) -> product: T")
            .attrs("T: real")
            .shape(CrossOps::rule)
            .kernel(node -> new Product(node.attrs().type("T"))));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    Shapes.checkRankAtLeast(in.shape(0), 1);
    Shapes.checkRankAtLeast(in.shape(1), 1);
    Shape shape = Shapes.merge(in.shape(0), in.shape(1));
    if (!shape.isUnknownRank()) {
      Shapes.mergeSize(shape.size(shape.rank() - 1), 3);
    }
    return List.of(shape);
  }

  /** Computes {@code a} x {@code b} elementwise from both operands rotated by one and by two. */
  private static final class Product implements BroadcastingKernel {
    private final ElementwiseKernel difference;

    Product(DataType dtype) {
      Expression[] in = new Expression[4];
      for (int i = 0; i < in.length; i++) {
        in[i] = new Expression.Input(i, dtype);
      }
      this.difference =
          ElementwiseKernel.of(
              in[0].mul(in[3]).sub(in[1].mul(in[2])), Collections.nCopies(4, dtype));
    }

    @Override
    public Tensor apply(Tensor[] operands, long rowsMask, Cancellation stop) {
      Shape a = operands[0].shape().dropFirst((int) (rowsMask & 1));
      Shape b = operands[1].shape().dropFirst((int) (rowsMask >> 1 & 1));
      if (!a.equals(b)) {
        throw invalidArgument("Both inputs must be of same shape: %s vs. %s", a, b);
      }
      if (a.rank() < 1) {
        throw invalidArgument("Input must be at least 1D%s", a);
      }
      if (a.size(a.rank() - 1) != 3) {
        throw new StatusException(
            StatusCode.FAILED_PRECONDITION,
            "Cross-products are only defined for 3-element vectors.");
      }
      Tensor[] rotated = {
        rotated(operands[0], 1, stop),
        rotated(operands[0], 2, stop),
        rotated(operands[1], 1, stop),
        rotated(operands[1], 2, stop)
      };
      return difference.apply(
          rotated, ((rowsMask & 1) * 0b0011) | ((rowsMask >> 1 & 1) * 0b1100), stop);
    }

    /** Each vector rotated left by {@code by} elements. */
    private static Tensor rotated(Tensor vectors, int by, Cancellation stop) {
      Object array = TensorLimit.allocate(vectors.dtype(), vectors.shape());
      ElementKind kind = vectors.dtype().kind();
      for (int i = 0; i < 3; i++) {
        new StridedMove(kind)
            .dimension(vectors.elements() / 3, 3, 3)
            .run(
                TensorMemory.array(vectors),
                TensorMemory.offset(vectors) + (i + by) % 3,
                array,
                i,
                stop);
      }
      return Tensor.wrap(vectors.dtype(), vectors.shape(), array);
    }
  }
}
