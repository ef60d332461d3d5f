package io.headrace.runtime.gradient;

import io.headrace.runtime.graph.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The gradient function of an op: maps the gradients of its outputs to those of its inputs. */
@FunctionalInterface
interface GradientRule {
  /** A gradient per input, in order; null for inputs without one, such as an axis or a shape. */
  List<@Nullable Output> gradients(BackpropContext at);
}
