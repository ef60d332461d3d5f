package io.headrace.gpu.ptx;

import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.Expression.Apply;
import io.headrace.runtime.expression.Expression.Input;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * The greatest difference between a device's math function and the CPU's.
 *
 * @param function its name and dtype
 * @param worst the greatest difference, in units in the last place
 * @param allowed the most that it may be
 * @param text both, and the arguments
 */
public record MathAccuracy(String function, double worst, double allowed, String text) {
  /** Whether it is within its bound. */
  public boolean isWithin() {
    return worst <= allowed;
  }

  /** Measures a function at {@code count} random arguments of all magnitudes. */
  static MathAccuracy measured(
      CaseRunner runner, ScalarOperation operation, DataType dtype, int count, long seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    List<DataType> inputs = CaseBuilder.inputs(operation, dtype).orElseThrow();
    List<Object> operands = new ArrayList<>();
    List<Expression> variables = new ArrayList<>();
    for (DataType input : inputs) {
      variables.add(new Input(variables.size(), input));
      operands.add(CaseValues.random(input, count, random));
    }
    LoopProgram program = LoopProgram.of(new Apply(operation, variables), inputs);
    BroadcastPlan plan = BroadcastPlan.of(inputs.stream().map(_ -> Shape.of(count)).toList());
    ElementwiseCase one =
        new ElementwiseCase(operation.name(), Optional.of(operation), program, plan, operands);
    return worst(
        operation,
        dtype,
        operands,
        runner.onDevice(one).values(),
        CaseRunner.onCpu(one).values(),
        count);
  }

  private static MathAccuracy worst(
      ScalarOperation operation,
      DataType dtype,
      List<Object> operands,
      Object device,
      Object cpu,
      int count) {
    double worst = -1;
    int at = 0;
    int different = 0;
    for (int i = 0; i < count; i++) {
      double difference =
          Tolerance.difference(
              operation,
              dtype,
              number(dtype, operands.getFirst(), i),
              number(dtype, cpu, i),
              number(dtype, device, i));
      different += difference == 0 ? 0 : 1;
      if (difference > worst) {
        worst = difference;
        at = i;
      }
    }
    String arguments = Double.toHexString(number(dtype, operands.getFirst(), at));
    if (operands.size() > 1) {
      arguments += ", " + Double.toHexString(number(dtype, operands.getLast(), at));
    }
    double allowed = Tolerance.units(operation, dtype);
    String text =
        "greatest difference %.2f ulp (allowed %.1f) at (%s): %s, CPU %s; %d of %d differ"
            .formatted(
                worst,
                allowed,
                arguments,
                number(dtype, device, at),
                number(dtype, cpu, at),
                different,
                count);
    return new MathAccuracy(operation + " " + dtype.tfName(), worst, allowed, text);
  }

  private static double number(DataType dtype, Object array, int index) {
    return CaseValues.number(dtype, CaseValues.bits(array, index));
  }
}
