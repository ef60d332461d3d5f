package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.ElementwiseDeclarations.testOne;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import java.util.List;

/** IsNan, IsInf and IsFinite. */
final class IsFiniteOps {
  static final List<Op> OPS =
      List.of(
          testOne("IsNan", "floating", x -> x.apply(ScalarOperation.IS_NAN)),
          testOne("IsInf", "floating", x -> x.abs().equalTo(infinity(x))),
          testOne("IsFinite", "floating", x -> x.abs().lessThan(infinity(x))));

  private IsFiniteOps() {}

  private static Expression infinity(Expression x) {
    return x.same(Double.POSITIVE_INFINITY);
  }
}
