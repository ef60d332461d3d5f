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
 * What one update does to a parameter and its slots, written down by a {@link Rule}: one assignment
 * after the other, of expressions over the op's arguments by their names. Later ones see what
 * earlier ones assigned.
 */
final class OptimizerUpdate {
  /** The arithmetic of an optimizer. */
  @FunctionalInterface
  interface Rule {
    /** Writes down the assignments. */
    void write(OptimizerUpdate update);
  }

  /**
   * An assignment.
   *
   * @param target the position of the argument that is assigned to
   * @param kernel computes the new value from all arguments
   */
  record Step(int target, ElementwiseKernel kernel) {}

  private final Attrs attrs;
  private final DataType dtype;
  private final boolean isPlain;
  private final Map<String, Integer> positions = new HashMap<>();
  private final List<DataType> dtypes;
  private final List<Step> steps = new ArrayList<>();

  private OptimizerUpdate(
      Attrs attrs, List<String> arguments, List<DataType> dtypes, boolean isPlain) {
    this.attrs = attrs;
    this.dtype = dtypes.getFirst();
    this.dtypes = dtypes;
    this.isPlain = isPlain;
    for (String argument : arguments) {
      positions.put(argument, positions.size());
    }
  }

  /**
   * The assignments of {@code rule} for a node with {@code attrs}.
   *
   * @param arguments names of the parameter, the slots and the other arguments
   * @param dtypes their dtypes
   * @param isPlain what {@link #isPlain} is to answer
   */
  static List<Step> steps(
      Rule rule, Attrs attrs, List<String> arguments, List<DataType> dtypes, boolean isPlain) {
    OptimizerUpdate update = new OptimizerUpdate(attrs, arguments, dtypes, isPlain);
    rule.write(update);
    return List.copyOf(update.steps);
  }

  /** The argument {@code name}: of the parameter and the slots, the value so far. */
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

  /** The number {@code value}. */
  Expression number(double value) {
    return Expression.constant(dtype, value);
  }

  /** A bool attr. */
  boolean flag(String attr) {
    return attrs.bool(attr);
  }

  /** Whether the learning rate falls with the square root, the common case that needs no powers. */
  boolean isPlain() {
    return isPlain;
  }

  /** Assigns {@code value} to {@code name}. */
  void set(String name, Expression value) {
    steps.add(new Step(position(name), ElementwiseKernel.of(value, dtypes)));
  }

  /** Adds {@code difference} to {@code name}. */
  void add(String name, Expression difference) {
    set(name, get(name).add(difference));
  }

  /** Takes {@code difference} from {@code name}. */
  void subtract(String name, Expression difference) {
    set(name, get(name).sub(difference));
  }
}
