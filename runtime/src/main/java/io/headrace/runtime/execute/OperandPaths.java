package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.elementwise.ElementwiseKernels;
import io.headrace.runtime.elementwise.ScalarConstants;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A group of elementwise and moving steps as one scalar program. Movements commute with elementwise
 * steps, so that all of them become orders in which the operands are read: an operand of the
 * program is an argument of the group with the moving steps between it and the result. Immutable.
 *
 * @param operands the operands of the program
 * @param program computes the result
 */
record OperandPaths(List<Operand> operands, LoopProgram program) {
  /** The instructions up to which steps are repeated for operands that are read in two orders. */
  private static final int MAX_INSTRUCTIONS = 400;

  /**
   * An argument of the group, and the moving steps that its elements pass.
   *
   * @param argument the number of the argument
   * @param movements the indices of the steps, in the order in which they are run
   */
  record Operand(int argument, List<Integer> movements) {
    /** Copies the list. */
    Operand {
      movements = List.copyOf(movements);
    }
  }

  /** Copies the list. */
  OperandPaths {
    operands = List.copyOf(operands);
  }

  /** The program of {@code group}; nothing if it would be too large. */
  static Optional<OperandPaths> of(Program group) {
    return new Reader(group).read();
  }

  /** Reads a group from its result on. */
  private static final class Reader {
    private final Program group;

    /** The step that gives each register. */
    private final Map<Integer, Integer> makers = new HashMap<>();

    private final List<Operand> operands = new ArrayList<>();
    private final List<DataType> types = new ArrayList<>();
    private final Map<Use, Expression> known = new HashMap<>();
    private int visits;

    /** A register as it is read behind some movements. */
    private record Use(int register, List<Integer> movements) {}

    Reader(Program group) {
      this.group = group;
      for (int i = 0; i < group.steps().size(); i++) {
        makers.put(group.steps().get(i).firstOutput(), i);
      }
    }

    Optional<OperandPaths> read() {
      Expression result = value(new Use(group.results().getFirst(), List.of()));
      if (visits > MAX_INSTRUCTIONS || operands.size() > ElementwiseKernel.MAX_INPUTS) {
        return Optional.empty();
      }
      return Optional.of(new OperandPaths(operands, LoopProgram.of(result, types)));
    }

    private Expression value(Use use) {
      Expression value = known.get(use);
      if (value == null) {
        value = made(use);
        known.put(use, value);
      }
      return value;
    }

    private Expression made(Use use) {
      Integer maker = makers.get(use.register());
      if (maker == null) {
        return source(use);
      }
      Step step = group.steps().get(maker);
      visits += step.group().map(nested -> nested.steps().size()).orElse(1);
      if (visits > MAX_INSTRUCTIONS) {
        return new Expression.Input(0, DataType.FLOAT32); // of a program that is not made
      }
      if (step.node().op().name().equals("Identity")) {
        return value(new Use(step.inputs().getFirst(), use.movements()));
      }
      if (FusedRole.of(step) != FusedRole.ELEMENTWISE) {
        List<Integer> movements = new ArrayList<>(List.of(maker));
        movements.addAll(use.movements());
        return value(new Use(step.inputs().getFirst(), List.copyOf(movements)));
      }
      List<Expression> inputs = new ArrayList<>();
      for (int input : step.inputs()) {
        inputs.add(value(new Use(input, use.movements())));
      }
      return step.group()
          .map(nested -> FusedKernel.expression(nested, inputs))
          .orElseGet(() -> ElementwiseKernels.expression(step.node(), inputs));
    }

    /** An argument, or a scalar constant, whose order does not matter. */
    private Expression source(Use use) {
      int argument = group.arguments().indexOf(use.register());
      if (argument < 0) {
        Optional<Tensor> constant = group.initial().get(use.register());
        return ScalarConstants.of(constant.orElseThrow());
      }
      operands.add(new Operand(argument, use.movements()));
      types.add(group.argumentTypes().get(argument));
      return new Expression.Input(operands.size() - 1, types.getLast());
    }
  }
}
