package io.headrace.runtime.execute;

import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The context, the arguments and the results of one call of a function whose body a {@link
 * GraphExecutor} runs. Thread-safe.
 */
final class FunctionFrame {
  private final StepContext context;
  private final List<Tensor> arguments;
  private final Map<Integer, Tensor> results = new ConcurrentHashMap<>();

  FunctionFrame(StepContext context, List<Tensor> arguments) {
    this.context = context;
    this.arguments = arguments;
  }

  StepContext context() {
    return context;
  }

  /** The argument that {@code node} stands for, by its attr {@code index}. */
  Tensor argument(GraphNode node) {
    return arguments.get(index(node));
  }

  /** Sets the result that {@code node} stands for, by its attr {@code index}. */
  void setResult(GraphNode node, Tensor value) {
    results.put(index(node), value);
  }

  private static int index(GraphNode node) {
    return (int) node.spec.attrs().integer("index");
  }

  /**
   * A result, once the run has ended.
   *
   * @throws StatusException INTERNAL if it is dead: it comes from a branch that was not taken
   */
  Tensor result(int index) {
    Tensor value = results.get(index);
    if (value == null) {
      throw StatusException.of(StatusCode.INTERNAL, "No return value for index %d.", index);
    }
    return value;
  }
}
