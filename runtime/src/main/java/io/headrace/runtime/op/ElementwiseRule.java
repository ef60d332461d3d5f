package io.headrace.runtime.op;

import io.headrace.runtime.expression.Expression;
import java.util.List;

/** The scalar computation of an elementwise op. */
@FunctionalInterface
public interface ElementwiseRule {
  /** The output's element as an expression of the inputs' elements. */
  Expression apply(List<Expression> inputs, Attrs attrs);
}
