package io.headrace.runtime.execute;

import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.KernelTimes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A compiled graph or function: a list of steps over numbered registers, each register set once.
 * Function calls are inlined. Immutable; shared by all instances.
 *
 * @param name the function's name, for messages
 * @param steps the steps, in execution order
 * @param initial the initial registers: the constants, and empty for the others
 * @param arguments the register of each argument
 * @param results the register of each result
 * @param argumentTypes the dtypes of the arguments
 * @param resultTypes the dtypes of the results
 * @param resultShapes the shapes of the results, as far as they are known
 * @param isStateful whether a step, or a function it calls, has the effect {@code CHANGES}
 * @param touchesResources whether a step takes or returns a resource
 * @param order the dependencies of the steps, if some steps may wait for others
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
  /** The ops of a fused group that a label names. */
  private static final int MAX_FUSED_NAMES = 4;

  /** New registers with the constants set. */
  @Nullable Tensor[] newRegisters() {
    @Nullable Tensor[] registers = new Tensor[initial.size()];
    for (int i = 0; i < registers.length; i++) {
      registers[i] = initial.get(i).orElse(null);
    }
    return registers;
  }

  /**
   * The dependencies of the steps, through inputs and control inputs.
   *
   * @param needs for each step, the indices of the steps it depends on, all less than its own
   * @param mayWait for each step, whether it may wait for other steps
   */
  record Order(List<List<Integer>> needs, List<Boolean> mayWait) {}

  /** {@code steps}, each with the registers whose last use it is. */
  static List<Step> withDead(List<Step> steps, List<Integer> results) {
    Set<Integer> needed = new HashSet<>(results);
    List<Step> marked = new ArrayList<>(steps);
    for (int i = marked.size() - 1; i >= 0; i--) {
      Step step = marked.get(i);
      List<Integer> dead = new ArrayList<>();
      for (int output = 0; output < step.outputs(); output++) {
        if (!needed.contains(step.firstOutput() + output)) {
          dead.add(step.firstOutput() + output);
        }
      }
      for (int input : step.inputs()) {
        if (needed.add(input)) {
          dead.add(input);
        }
      }
      marked.set(
          i,
          new Step(
              step.node(),
              step.inputs(),
              step.firstOutput(),
              step.isStateful(),
              List.copyOf(dead),
              step.group()));
    }
    return List.copyOf(marked);
  }

  /** The same with other steps, which give the same results. */
  Program withSteps(List<Step> others) {
    return new Program(
        name,
        others,
        initial,
        arguments,
        results,
        argumentTypes,
        resultTypes,
        resultShapes,
        isStateful,
        touchesResources,
        order);
  }

  /** The same with its arguments in another order, which names the old positions. */
  Program withArguments(List<Integer> positions) {
    return new Program(
        name,
        steps,
        initial,
        positions.stream().map(arguments::get).toList(),
        results,
        positions.stream().map(argumentTypes::get).toList(),
        resultTypes,
        resultShapes,
        isStateful,
        touchesResources,
        order);
  }

  /**
   * One node, or a fused group: of elementwise nodes, or on some devices of these, of nodes that
   * move elements, and of smaller groups.
   *
   * @param node the node from which the kernel is created; the last one of a group
   * @param inputs the registers of its inputs
   * @param firstOutput the register of its first output; the others follow
   * @param isStateful whether the node, or a function it calls, has the effect {@code CHANGES}
   * @param dead the registers whose last use is this step
   * @param group the steps of a fused group
   * @param mayKeep whether the kernel may refer to its inputs, or to arrays that it allocates,
   *     after the step: it has an effect, reads state, or takes or returns values that hold others
   * @param callsFunctions whether the node calls functions
   */
  record Step(
      NodeSpec node,
      List<Integer> inputs,
      int firstOutput,
      boolean isStateful,
      List<Integer> dead,
      Optional<Program> group,
      boolean mayKeep,
      boolean callsFunctions) {
    Step(
        NodeSpec node,
        List<Integer> inputs,
        int firstOutput,
        boolean isStateful,
        List<Integer> dead,
        Optional<Program> group) {
      this(
          node,
          inputs,
          firstOutput,
          isStateful,
          dead,
          group,
          isStateful
              || node.op().effect().compareTo(Effect.READS) >= 0
              || holdOthers(node.inputTypes())
              || holdOthers(node.outputTypes()),
          node.callsFunctions());
    }

    /** Whether values of a type may refer to other values, as lists and datasets do. */
    private static boolean holdOthers(List<DataType> types) {
      return types.contains(DataType.VARIANT) || types.contains(DataType.RESOURCE);
    }

    int outputs() {
      return node.outputTypes().size();
    }

    /** The dtype of input {@code index}. */
    DataType inputType(int index) {
      return group.map(Program::argumentTypes).orElseGet(node::inputTypes).get(index);
    }

    /**
     * Counts the time since {@code before} as the kernel's; of a node that calls functions, their
     * own nodes have counted theirs.
     */
    void addTime(KernelTimes times, long before) {
      long taken = times.nanos() - before;
      if (taken > 0 && !callsFunctions) {
        times.add(label(), taken);
      }
    }

    /** The op; of a fused group its ops. */
    private String label() {
      return ops().distinct().limit(MAX_FUSED_NAMES).collect(Collectors.joining("+"));
    }

    /** The ops that it computes. */
    private Stream<String> ops() {
      return group
          .map(fused -> fused.steps().stream().flatMap(Step::ops))
          .orElseGet(() -> Stream.of(node.op().name()));
    }
  }
}
