package io.headrace.kernels.variable;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.DuplicateIndices;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.runtime.op.ArgSpec;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Applies a gradient to a parameter and its optimizer slots, all of them variables: densely, or to
 * the rows that {@code indices} selects. The kernel holds the locks of all these variables during
 * an update.
 */
final class OptimizerKernel implements Kernel.Sync {
  private static final Set<String> GRADIENTS = Set.of("grad", "delta");

  /** The arguments of which TensorFlow takes a single element of any rank. */
  private static final Set<String> SINGLES = Set.of("sign_decay");

  private final boolean outputsReference;
  private final int states;
  private final int gradient;

  /** The input position of {@code indices}; -1 for a dense update. */
  private final int indices;

  /** Whether TensorFlow demands signs of the op's scalars. */
  private final boolean signed;

  /** Whether TensorFlow demands that the rows of a sparse update have elements. */
  private final boolean refusesEmptyRows;

  private final List<String> arguments = new ArrayList<>();
  private final List<OptimizerUpdate.Step> steps;
  private final List<OptimizerUpdate.Step> squareRootSteps;

  /** A kernel for {@code rule}; the first {@code states} arguments are variables. */
  OptimizerKernel(NodeSpec node, int states, OptimizerUpdate.Rule rule) {
    this.states = states;
    this.outputsReference = !node.op().outputs().isEmpty();
    DataType dtype = node.attrs().type("T");
    List<DataType> dtypes = new ArrayList<>();
    int indicesAt = -1;
    for (ArgSpec argument : node.op().inputs()) {
      if (argument.name().equals("indices")) {
        indicesAt = arguments.size();
      } else {
        arguments.add(argument.name());
        dtypes.add(argument.name().equals("global_step") ? DataType.INT64 : dtype);
      }
    }
    this.indices = indicesAt;
    this.gradient = arguments.indexOf(arguments.contains("grad") ? "grad" : "delta");
    this.signed =
        (indices >= 0 && arguments.contains("lr_power"))
            || node.op().name().endsWith("ApplyProximalAdagrad");
    this.refusesEmptyRows = node.op().name().matches(".*Apply(Adagrad|Ftrl|Proximal).*");
    this.steps = OptimizerUpdate.steps(rule, node.attrs(), arguments, dtypes, false);
    this.squareRootSteps =
        arguments.contains("lr_power")
            ? OptimizerUpdate.steps(rule, node.attrs(), arguments, dtypes, true)
            : steps;
  }

  @Override
  public void compute(KernelCall call) {
    Tensor[] operands = new Tensor[arguments.size()];
    List<VariableResource> variables = new ArrayList<>();
    for (int i = 0; i < states; i++) {
      variables.add(VariableResource.of(call.input(i)));
    }
    for (int i = states; i < operands.length; i++) {
      operands[i] = argument(i, call.input(indices >= 0 && i >= indices ? i + 1 : i));
    }
    VariableResource.withLocks(variables, () -> update(call, variables, operands));
    if (outputsReference) {
      call.setOutput(0, call.input(0));
    }
  }

  /** The gradient, or a scalar; INVALID_ARGUMENT if it is none. */
  private Tensor argument(int position, Tensor value) {
    String name = arguments.get(position);
    if (SINGLES.contains(name) && value.elements() == 1) {
      return value.reshape(Shape.SCALAR);
    }
    if (!GRADIENTS.contains(name) && value.shape().rank() != 0) {
      throw invalidArgument("%s is not a scalar: %s", name, value.shape());
    }
    if (signed) {
      checkSign(name, value);
    }
    return value;
  }

  /** The signs that FTRL on rows and proximal Adagrad demand of their scalars. */
  private static void checkSign(String argument, Tensor value) {
    String wanted =
        switch (argument) {
          case "lr" -> "positive";
          case "l1", "l2", "l2_shrinkage" -> "non-negative";
          case "lr_power" -> "non-positive";
          default -> "";
        };
    if (wanted.isEmpty()) {
      return;
    }
    double number =
        NumericElements.floating(
            value.dtype(), TensorMemory.array(value), TensorMemory.offset(value));
    boolean fits =
        switch (wanted) {
          case "positive" -> number > 0;
          case "non-negative" -> number >= 0;
          default -> number <= 0;
        };
    if (!fits) {
      throw invalidArgument("%s is not a %s scalar: %s", argument, wanted, value.shape());
    }
  }

  private void update(KernelCall call, List<VariableResource> variables, Tensor[] operands) {
    for (int i = 0; i < states; i++) {
      operands[i] = variables.get(i).lockedValue();
      checkState(i, variables.get(i), operands);
    }
    if (indices < 0) {
      updateAll(call, variables, operands);
    } else {
      updateRows(call, variables, operands);
    }
  }

  private void checkState(int state, VariableResource variable, Tensor[] operands) {
    DataType dtype = operands[gradient].dtype();
    if (operands[state].dtype() != dtype) {
      throw invalidArgument(
          "Trying to update variable with wrong dtype. Expected %s got %s for variable %s",
          operands[state].dtype().tfName(), dtype.tfName(), variable.name());
    }
    checkSameShape(operands, state);
  }

  private void checkSameShape(Tensor[] operands, int other) {
    if (!operands[0].shape().equals(operands[other].shape())) {
      throw invalidArgument(
          "var and %s do not have the same shape%s %s",
          arguments.get(other), operands[0].shape(), operands[other].shape());
    }
  }

  private void updateAll(KernelCall call, List<VariableResource> variables, Tensor[] operands) {
    checkSameShape(operands, gradient);
    run(call, operands);
    for (int i = 0; i < states; i++) {
      variables.get(i).replaceLocked(operands[i]);
    }
  }

  /** Runs the steps; each replaces the operand it assigns to by the new value. */
  private void run(KernelCall call, Tensor[] operands) {
    for (OptimizerUpdate.Step step : chosen(operands)) {
      operands[step.target()] = step.kernel().apply(operands, 0, call.cancellation());
    }
  }

  private List<OptimizerUpdate.Step> chosen(Tensor[] operands) {
    int power = arguments.indexOf("lr_power");
    if (power < 0) {
      return steps;
    }
    Tensor value = operands[power];
    return NumericElements.floating(
                value.dtype(), TensorMemory.array(value), TensorMemory.offset(value))
            == -0.5
        ? squareRootSteps
        : steps;
  }

  private void updateRows(KernelCall call, List<VariableResource> variables, Tensor[] operands) {
    Tensor rows = call.input(indices);
    Shape shape = operands[0].shape();
    checkRows(shape, operands[gradient].shape(), rows);
    int[][] rounds = DuplicateIndices.rounds(rows, shape.size(0));
    Object[] arrays = new Object[states];
    for (int i = 0; i < states; i++) {
      arrays[i] = variables.get(i).writableArray();
    }
    for (int[] round : rounds) {
      call.cancellation().check();
      updateRound(call, arrays, operands, rows, round);
    }
  }

  private void checkRows(Shape shape, Shape gradient, Tensor rows) {
    if (shape.rank() < 1) {
      throw invalidArgument("var must be at least 1 dimensional");
    }
    if (rows.shape().rank() != 1) {
      throw invalidArgument("indices must be one-dimensional");
    }
    if (gradient.rank() != shape.rank()) {
      throw invalidArgument("var and grad must have the same rank: %s vs. %s", shape, gradient);
    }
    for (int axis = 1; axis < shape.rank(); axis++) {
      if (shape.size(axis) != gradient.size(axis)) {
        throw invalidArgument("var and grad must match in dimension %d", axis);
      }
    }
    if (refusesEmptyRows && gradient.dropFirst(1).elements() == 0) {
      throw invalidArgument("Inner dimension should be greater than zero.");
    }
    if (gradient.size(0) != rows.elements()) {
      throw invalidArgument("grad must be the same size as indices in the first dimension.");
    }
  }

  /** Updates the rows at positions {@code round} of the indices, which are distinct rows. */
  private void updateRound(
      KernelCall call, Object[] arrays, Tensor[] operands, Tensor rows, int[] round) {
    Tensor[] gathered = operands.clone();
    Tensor gradients = operands[gradient];
    DataType dtype = gradients.dtype();
    int width = gradients.shape().dropFirst(1).elements();
    Shape shape = gradients.shape().dropFirst(1).prepend(round.length);
    Object some = dtype.kind().newArray(shape.elements());
    for (int i = 0; i < round.length; i++) {
      int from = TensorMemory.offset(gradients) + round[i] * width;
      dtype.kind().copy(TensorMemory.array(gradients), from, some, i * width, width);
    }
    gathered[gradient] = Tensor.wrap(dtype, shape, some);
    for (int state = 0; state < states; state++) {
      Object held = dtype.kind().newArray(shape.elements());
      for (int i = 0; i < round.length; i++) {
        int from = (int) rows.integer(round[i]) * width;
        dtype.kind().copy(arrays[state], from, held, i * width, width);
      }
      gathered[state] = Tensor.wrap(dtype, shape, held);
    }
    run(call, gathered);
    for (int state = 0; state < states; state++) {
      for (int i = 0; i < round.length; i++) {
        int to = (int) rows.integer(round[i]) * width;
        dtype.kind().copy(TensorMemory.array(gathered[state]), i * width, arrays[state], to, width);
      }
    }
  }
}
