package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.ElementwiseDeclarations.binary;
import static io.headrace.kernels.kit.ElementwiseDeclarations.gradientOfOutput;
import static io.headrace.kernels.kit.ElementwiseDeclarations.unary;
import static io.headrace.runtime.expression.Expression.select;

import io.headrace.kernels.kit.StringConcat;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * Arithmetic of one and two operands: sums, products, quotients, remainders, powers, Maximum and
 * Minimum, Neg, Abs, Sign, Square, and Reciprocal with its gradient.
 */
final class ArithmeticOps {
  private static final String SIGNED = "{floating, int8, int16, int32, int64}";

  private static final String NEGATIVE = "{floating, complex, int8, int16, int32, int64}";

  private static final String INEXACT = "{floating, complex}";

  /** HotSpot's vector instructions order the zeros; TensorFlow's do not. */
  private static final String ZERO_SIGN = "Of +0 and -0, +0 is the larger; TensorFlow takes y.";

  private static final String BY_ZERO =
      "Integer division by zero is INVALID_ARGUMENT, as of the other divisions, not INTERNAL.";

  private static final Op ADD =
      Op.define("Add(x: T, y: T) -> z: T")
          .attrs("T: {floating, complex, uint8, int8, int16, int32, int64, string}")
          .scalarWhere(ArithmeticOps::isNumber, (in, _) -> in.get(0).add(in.get(1)))
          .stateless(StringConcat.JOIN);

  private static final Op TRUNCATE_DIV =
      Op.define("TruncateDiv(x: T, y: T) -> z: T")
          .attrs("T: real")
          .remark(BY_ZERO)
          .scalar((in, _) -> truncateDiv(in.get(0), in.get(1)));

  private static final Op TRUNCATE_MOD =
      Op.define("TruncateMod(x: T, y: T) -> z: T")
          .attrs("T: {float, double, int32, int64}")
          .remark(BY_ZERO)
          .scalar((in, _) -> mod(in.get(0), in.get(1)));

  private static final Op ATAN2 =
      Op.define("Atan2(y: T, x: T) -> z: T")
          .attrs("T: floating")
          .scalar((in, _) -> in.get(0).apply(ScalarOperation.ATAN2, in.get(1)));

  static final List<Op> OPS =
      List.of(
          binary("AddV2", "number", Expression::add),
          ADD,
          binary("Sub", "number", Expression::sub),
          binary("Mul", "number", Expression::mul),
          binary("RealDiv", INEXACT, Expression::div),
          binary("Div", "number", Expression::div),
          TRUNCATE_DIV,
          binary("FloorDiv", "real", ArithmeticOps::floorDiv),
          binary("FloorMod", "real", (x, y) -> x.apply(ScalarOperation.FLOOR_MOD, y)),
          TRUNCATE_MOD,
          binary("Mod", "{float, double, int32, int64}", ArithmeticOps::mod),
          binary("DivNoNan", INEXACT, ArithmeticOps::divNoNan),
          binary("MulNoNan", INEXACT, (x, y) -> zeroWhere(y, x.mul(y))),
          binary("Xdivy", INEXACT, (x, y) -> select(x.equalTo(x.same(0)), x, x.div(y))),
          binary("Xlogy", INEXACT, (x, y) -> zeroWhere(x, x.mul(y.apply(ScalarOperation.LOG)))),
          binary("Xlog1py", INEXACT, (x, y) -> zeroWhere(x, x.mul(y.apply(ScalarOperation.LOG1P)))),
          binary("Pow", NEGATIVE, (x, y) -> x.apply(ScalarOperation.POW, y)),
          ATAN2,
          binary(
              "SquaredDifference",
              "{floating, complex, int32, int64}",
              ArithmeticOps::squaredDifference),
          extremum("Maximum", ScalarOperation.MAX),
          extremum("Minimum", ScalarOperation.MIN),
          unary("Neg", NEGATIVE, Expression::neg),
          unary("Abs", SIGNED, Expression::abs),
          unary("Sign", NEGATIVE, x -> x.apply(ScalarOperation.SIGN)),
          unary("Square", "number", x -> x.mul(x)),
          unary("Reciprocal", INEXACT, x -> x.same(1).div(x)),
          unary("Inv", INEXACT, x -> x.same(1).div(x)),
          gradientOfOutput("ReciprocalGrad", ArithmeticOps::reciprocalGradient),
          gradientOfOutput("InvGrad", ArithmeticOps::reciprocalGradient));

  private ArithmeticOps() {}

  private static Op extremum(String name, ScalarOperation operation) {
    return Op.define(name + "(x: T, y: T) -> z: T")
        .attrs("T: real")
        .remark(ZERO_SIGN)
        .scalar((in, _) -> in.get(0).apply(operation, in.get(1)));
  }

  private static boolean isNumber(Attrs attrs) {
    return attrs.type("T") != DataType.STRING;
  }

  private static Expression truncateDiv(Expression x, Expression y) {
    return x.dtype().isFloating() ? truncated(x.div(y)) : x.div(y);
  }

  private static Expression truncated(Expression x) {
    Expression down = x.apply(ScalarOperation.FLOOR);
    return select(x.lessThan(x.same(0)), x.apply(ScalarOperation.CEIL), down);
  }

  private static Expression floorDiv(Expression x, Expression y) {
    return x.dtype().isFloating()
        ? x.div(y).apply(ScalarOperation.FLOOR)
        : x.apply(ScalarOperation.FLOOR_DIV, y);
  }

  private static Expression mod(Expression x, Expression y) {
    return x.apply(ScalarOperation.MOD, y);
  }

  /** A complex 0 over anything is a positive 0. */
  private static Expression divNoNan(Expression x, Expression y) {
    Expression quotient = zeroWhere(y, x.div(y));
    return x.dtype().isComplex() ? zeroWhere(x, quotient) : quotient;
  }

  /** 0 where {@code zero} is 0, otherwise {@code value}. */
  private static Expression zeroWhere(Expression zero, Expression value) {
    return select(zero.equalTo(zero.same(0)), value.same(0), value);
  }

  private static Expression squaredDifference(Expression x, Expression y) {
    Expression difference = x.sub(y);
    return difference.conjugate().mul(difference);
  }

  /** 0 where {@code dy} is 0, even if {@code y} is infinite. */
  private static Expression reciprocalGradient(Expression y, Expression dy) {
    Expression inverse = y.conjugate();
    Expression gradient =
        y.dtype().isComplex()
            ? dy.mul(inverse.mul(inverse).neg())
            : inverse.mul(dy.mul(inverse)).neg();
    return select(dy.equalTo(dy.same(0)), dy.same(0), gradient);
  }
}
