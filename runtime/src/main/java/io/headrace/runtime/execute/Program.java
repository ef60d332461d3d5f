package io.headrace.runtime.execute;

import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A graph or function as a list of steps over numbered registers, each register set once. Calls of
 * other functions are part of the list. Immutable; shared by all instances.
 *
 * @param name the function's name, for messages
 * @param steps in the order in which they run
 * @param initial the registers as they are before the first step: the constants, and nulls
 * @param arguments the register of each argument
 * @param results the register of each result
 * @param argumentTypes dtypes of the arguments
 * @param resultTypes dtypes of the results
 * @param resultShapes shapes of the results, as far as they are known
 * @param isStateful whether the effect of a step, or of what it calls, is to change
 * @param touchesResources whether a step is handed a variable, a table or a generator
 * @param order what each step needs, if some steps may wait for what others do
 */
record Program(
    String name,
    List<Step> steps,
    List<Optional<Tensor>> initial,
    List<Integer> arguments,
    List<Integer> results,
    List<DataType> argumentTypes,
    List<DataType> resultTypes,
    List<Shape> resultShapes,
    boolean isStateful,
    boolean touchesResources,
    Optional<Order> order) {
  /** New registers with the constants set. */
  @Nullable Tensor[] newRegisters() {
    @Nullable Tensor[] registers = new Tensor[initial.size()];
    for (int i = 0; i < registers.length; i++) {
      registers[i] = initial.get(i).orElse(null);
    }
    return registers;
  }

  /**
   * What must be done before a step can run: the steps that make its inputs, and those that its
   * control inputs name.
   *
   * @param needs for each step, other steps by their indices, which are less than its own
   * @param mayWait for each step, whether it may wait for what others do
   */
  record Order(List<List<Integer>> needs, List<Boolean> mayWait) {}

  /**
   * One node, or a group of nodes that work element by element.
   *
   * @param node what its kernel is made from
   * @param inputs the registers of its inputs
   * @param firstOutput the register of its first output; the others follow
   * @param isStateful whether its effect, or that of what it calls, is to change
   * @param dead the registers that nothing needs after it
   * @param group the steps that it stands for, if it stands for several; {@code node} is the last
   */
  record Step(
      NodeSpec node,
      List<Integer> inputs,
      int firstOutput,
      boolean isStateful,
      List<Integer> dead,
      Optional<Program> group) {
    int outputs() {
      return node.outputTypes().size();
    }
  }
}
