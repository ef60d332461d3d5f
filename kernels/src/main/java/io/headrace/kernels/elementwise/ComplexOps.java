package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import java.util.function.UnaryOperator;

/** Complex, Real, Imag, ComplexAbs, Angle and Conj. */
final class ComplexOps {
  private ComplexOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Complex(real: T, imag: T) -> out: Tout")
            .attrs("T: {float, double} = float", "Tout: complex = complex64")
            .shape(ShapeFunctions.BROADCAST)
            .scalarWhere(
                attrs -> isPair(attrs, "T", "Tout"),
                (in, _) -> new Expression.Pair(in.get(0), in.get(1)))
            .kernel(notPair("T", "Tout")),
        toReal("Real(input: T) -> output: Tout", Expression::real),
        toReal("Imag(input: T) -> output: Tout", Expression::imaginary),
        toReal(
            "ComplexAbs(x: T) -> y: Tout",
            z -> z.real().apply(ScalarOperation.HYPOT, z.imaginary())),
        toReal(
            "Angle(input: T) -> output: Tout",
            z -> z.imaginary().apply(ScalarOperation.ATAN2, z.real())),
        Op.define("Conj(input: T) -> output: T")
            .attrs("T: complex = complex64")
            .scalar((in, _) -> in.getFirst().conjugate()));
  }

  private static Op toReal(String signature, UnaryOperator<Expression> rule) {
    return Op.define(signature)
        .attrs("T: complex = complex64", "Tout: {float, double} = float")
        .shape(ShapeFunctions.SAME)
        .scalarWhere(attrs -> isPair(attrs, "Tout", "T"), (in, _) -> rule.apply(in.getFirst()))
        .kernel(notPair("Tout", "T"));
  }

  private static boolean isPair(Attrs attrs, String realAttr, String complexAttr) {
    return attrs.type(complexAttr).partType() == attrs.type(realAttr);
  }

  /** Refuses a node whose real dtype is not that of its complex dtype's parts. */
  private static Op.KernelMaker notPair(String realAttr, String complexAttr) {
    return node -> {
      DataType real = node.attrs().type(realAttr);
      DataType complex = node.attrs().type(complexAttr);
      throw invalidArgument(
          "%s of node %s (op %s) is %s, and %s must be its real dtype, not %s",
          complexAttr, node.name(), node.op(), complex.tfName(), realAttr, real.tfName());
    };
  }
}
