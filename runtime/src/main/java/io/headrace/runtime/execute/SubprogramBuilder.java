package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds a program from a group of steps of a larger program, with registers of its own. */
final class SubprogramBuilder {
  private final Map<Integer, Tensor> constants;
  private final Map<Integer, Integer> numbers = new HashMap<>();
  private final List<Optional<Tensor>> initial = new ArrayList<>();
  private final List<Integer> arguments = new ArrayList<>();
  private final DataType[] argumentTypes;

  /**
   * A builder with the registers {@code inputs} as arguments.
   *
   * @param constants the registers that hold constants; those that are not arguments are copied
   */
  SubprogramBuilder(List<Integer> inputs, Map<Integer, Tensor> constants) {
    this.constants = constants;
    this.argumentTypes = new DataType[inputs.size()];
    inputs.forEach(input -> arguments.add(numberOf(input, Optional.empty())));
  }

  /** The program of {@code members}, in order; its result is the last step's. */
  Program build(String name, List<Step> members) {
    List<Step> steps = new ArrayList<>();
    for (Step member : members) {
      List<Integer> inputs = new ArrayList<>();
      for (int i = 0; i < member.inputs().size(); i++) {
        inputs.add(input(member, i));
      }
      int output = numberOf(member.firstOutput(), Optional.empty());
      steps.add(new Step(member.node(), inputs, output, false, List.of(), member.group()));
    }
    return new Program(
        name,
        List.copyOf(steps),
        List.copyOf(initial),
        List.copyOf(arguments),
        List.of(steps.getLast().firstOutput()),
        List.of(argumentTypes),
        members.getLast().node().outputTypes(),
        List.of(Shape.UNKNOWN),
        false,
        false,
        Optional.empty());
  }

  private int input(Step member, int index) {
    int register = member.inputs().get(index);
    int number = numberOf(register, Optional.ofNullable(constants.get(register)));
    if (number < argumentTypes.length) {
      argumentTypes[number] = member.inputType(index);
    }
    return number;
  }

  private int numberOf(int register, Optional<Tensor> value) {
    Integer known = numbers.get(register);
    if (known != null) {
      return known;
    }
    numbers.put(register, initial.size());
    initial.add(value);
    return initial.size() - 1;
  }
}
