package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.ElementwiseDeclarations.test;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual and ApproximateEqual. */
final class CompareOps {
  static final List<Op> OPS =
      List.of(
          test("Less", "real", Expression::lessThan),
          test("LessEqual", "real", Expression::lessOrEqual),
          test("Greater", "real", Expression::greaterThan),
          test("GreaterEqual", "real", Expression::greaterOrEqual),
          equality("Equal", false),
          equality("NotEqual", true),
          Op.define("ApproximateEqual(x: T, y: T) -> z: bool")
              .attrs("T: {float, double}", "tolerance: float = 0.00001")
              .shape(in -> List.of(Shapes.merge(in.shape(0), in.shape(1))))
              .remark("Inputs of unequal shapes broadcast, where TensorFlow refuses them.")
              .scalar((in, attrs) -> areNear(in.get(0), in.get(1), attrs.floating("tolerance"))));

  private CompareOps() {}

  private static Op equality(String name, boolean negated) {
    return Op.define(name + "(x: T, y: T) -> z: bool")
        .attrs("T: {fixedwidth, string}", "incompatible_shape_error: bool = true")
        .shape(CompareOps::equalityShape)
        .scalarWhere(
            CompareOps::isScalar,
            (in, _) -> {
              Expression equal = in.get(0).equalTo(in.get(1));
              return negated ? equal.not() : equal;
            })
        .kernel(node -> new EqualityKernel(node, negated));
  }

  private static Expression areNear(Expression x, Expression y, double tolerance) {
    return x.sub(y).abs().lessOrEqual(x.same(tolerance));
  }

  private static boolean isScalar(Attrs attrs) {
    return Expression.isScalar(attrs.type("T")) && attrs.bool("incompatible_shape_error");
  }

  /**
   * The broadcast shape; a scalar if the shapes do not broadcast and {@code
   * incompatible_shape_error} is false.
   */
  private static List<Shape> equalityShape(ShapeFunction.Inputs inputs) {
    boolean mustFit = inputs.attrs().bool("incompatible_shape_error");
    return mustFit || EqualityKernel.fit(inputs.shape(0), inputs.shape(1))
        ? ShapeFunctions.BROADCAST.infer(inputs)
        : List.of(Shape.SCALAR);
  }
}
