package io.headrace.runtime.op;

import io.headrace.runtime.expression.Expression;
import java.util.List;

/** Says what an elementwise op computes for one element of each of its inputs. */
@FunctionalInterface
public interface ScalarRule {
  /** The value of the output's element, where {@code inputs} are the inputs' elements. */
  Expression apply(List<Expression> inputs, Attrs attrs);
}
