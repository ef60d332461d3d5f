package io.headrace.dataset;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Builds a dataset node that applies a function to a dataset's elements: its inputs are the
 * dataset, the function's captured tensors and further constants; the function is an attr.
 */
final class FunctionDatasetNode {
  private final DatasetNodeBuilder.Target target;
  private final Dataset input;
  private final TracedFunction function;
  private final Structure result;
  private final List<Consumer<NodeBuilder>> steps = new ArrayList<>();
  private String functionAttr = "f";

  FunctionDatasetNode(
      DatasetNodeBuilder.Target target, Dataset input, TracedFunction function, Structure result) {
    this.target = target;
    this.input = input;
    this.function = function;
    this.result = result;
  }

  FunctionDatasetNode input(Tensor constant) {
    steps.add(op -> op.input(constant));
    return this;
  }

  FunctionDatasetNode attr(String name, boolean value) {
    steps.add(op -> op.attr(name, value));
    return this;
  }

  FunctionDatasetNode attr(String name, String value) {
    steps.add(op -> op.attr(name, value));
    return this;
  }

  FunctionDatasetNode functionAttr(String name) {
    functionAttr = name;
    return this;
  }

  Output build(String opName) {
    NodeBuilder op = target.graph().op(opName).input(target.build(input));
    op.inputs(function.captured());
    steps.forEach(step -> step.accept(op));
    return DatasetNodeBuilder.typed(op.attr(functionAttr, function), result);
  }
}
