package io.headrace.kernels.variable;

import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One update of a parameter and its slots, recorded by a {@link Rule} as a sequence of assignments.
 * The assigned expressions range over the op's arguments, by name; later assignments see the values
 * of earlier ones.
 */
final class OptimizerUpdate {
  /** The arithmetic of an optimizer. */
  @FunctionalInterface
  interface Rule {
    /** Records the assignments on {@code update}. */
    void write(OptimizerUpdate update);
  }

  /**
   * An assignment.
   *
   * @param target the position of the assigned argument
   * @param kernel computes the new value from all arguments
   */
  record Step(int target, ElementwiseKernel kernel) {}

  private final Attrs attrs;
  private final DataType dtype;
  private final boolean isSquareRootPower;
  private final Map<String, Integer> positions = new HashMap<>();
  private final List<DataType> dtypes;
  private final List<Step> steps = new ArrayList<>();

  private OptimizerUpdate(
      Attrs attrs, List<String> arguments, List<DataType> dtypes, boolean isSquareRootPower) {
    this.attrs = attrs;
    this.dtype = dtypes.getFirst();
    this.dtypes = dtypes;
    this.isSquareRootPower = isSquareRootPower;
    for (String argument : arguments) {
      positions.put(argument, positions.size());
    }
  }

  /**
   * Records the assignments of {@code rule} for a node with {@code attrs}.
   *
   * @param arguments names of the parameter, the slots and the other arguments
   * @param dtypes their dtypes
   * @param isSquareRootPower the value of {@link #isSquareRootPower}
   */
  static List<Step> steps(
      Rule rule,
      Attrs attrs,
      List<String> arguments,
      List<DataType> dtypes,
      boolean isSquareRootPower) {
    OptimizerUpdate update = new OptimizerUpdate(attrs, arguments, dtypes, isSquareRootPower);
    rule.write(update);
    return List.copyOf(update.steps);
  }

  /** The argument {@code name}; for the parameter and the slots, the value assigned last. */
  Expression get(String name) {
    int position = position(name);
    return new Expression.Input(position, dtypes.get(position)).convert(dtype);
  }

  private int position(String name) {
    Integer position = positions.get(name);
    if (position == null) {
      throw new IllegalArgumentException("no argument is called " + name);
    }
    return position;
  }

  /** A constant. */
  Expression number(double value) {
    return Expression.constant(dtype, value);
  }

  /** A bool attr. */
  boolean flag(String attr) {
    return attrs.bool(attr);
  }

  /** Whether {@code lr_power} is -0.5, FTRL's common case: a square root in place of a power. */
  boolean isSquareRootPower() {
    return isSquareRootPower;
  }

  /** Assigns {@code value} to {@code name}. */
  void set(String name, Expression value) {
    steps.add(new Step(position(name), ElementwiseKernel.of(value, dtypes)));
  }

  /** Adds {@code difference} to {@code name}. */
  void add(String name, Expression difference) {
    set(name, get(name).add(difference));
  }

  /** Subtracts {@code difference} from {@code name}. */
  void subtract(String name, Expression difference) {
    set(name, get(name).sub(difference));
  }
}
