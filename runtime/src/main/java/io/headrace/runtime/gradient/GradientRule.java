package io.headrace.runtime.gradient;

import io.headrace.runtime.graph.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How an op hands the gradients of its outputs on to its inputs. */
@FunctionalInterface
interface GradientRule {
  /** A gradient for each input, in order; null where it has none, such as an axis or a shape. */
  List<@Nullable Output> gradients(Backward at);
}
