package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.elementwise.ElementwiseKernels;
import io.headrace.runtime.elementwise.ScalarConstants;
import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.LoopProgram;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Computes a group of elementwise steps as one expression. If that fails, runs the steps one by
 * one, so that the error names its node.
 */
final class FusedKernel implements Kernel.Sync {
  private final Program steps;
  private final LoopProgram program;
  private final ElementwiseKernel whole;

  private FusedKernel(Program steps, LoopProgram program) {
    this.steps = steps;
    this.program = program;
    this.whole = ElementwiseKernel.of(program);
  }

  /** A kernel for {@code steps}, which must have one result. */
  static FusedKernel of(Program steps) {
    List<Expression> inputs = new ArrayList<>();
    for (int i = 0; i < steps.arguments().size(); i++) {
      inputs.add(new Expression.Input(i, steps.argumentTypes().get(i)));
    }
    return new FusedKernel(steps, LoopProgram.of(expression(steps, inputs), steps.argumentTypes()));
  }

  /** The result of elementwise {@code steps} as an expression over {@code arguments}. */
  static Expression expression(Program steps, List<Expression> arguments) {
    @Nullable Expression[] values = new Expression[steps.initial().size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = steps.initial().get(i).map(ScalarConstants::of).orElse(null);
    }
    for (int i = 0; i < arguments.size(); i++) {
      values[steps.arguments().get(i)] = arguments.get(i);
    }
    for (Step step : steps.steps()) {
      List<Expression> inputs = new ArrayList<>();
      for (int input : step.inputs()) {
        inputs.add(known(values, input));
      }
      values[step.firstOutput()] = ElementwiseKernels.expression(step.node(), inputs);
    }
    return known(values, steps.results().getFirst());
  }

  /** The computation of the steps as one. */
  LoopProgram program() {
    return program;
  }

  private static Expression known(@Nullable Expression[] values, int register) {
    Expression value = values[register];
    if (value == null) {
      throw new IllegalStateException("register " + register + " is not set");
    }
    return value;
  }

  @Override
  public void compute(KernelCall call) {
    try {
      whole.compute(call);
    } catch (StatusException _) {
      call.setOutput(0, oneByOne(call));
    }
  }

  @Override
  public boolean computeRows(RowsCall call) {
    return whole.computeRows(call);
  }

  private Tensor oneByOne(KernelCall call) {
    Kernel[] kernels = new Kernel[steps.steps().size()];
    for (int i = 0; i < kernels.length; i++) {
      kernels[i] = CpuKernels.create(steps.steps().get(i).node());
    }
    List<Tensor> inputs = new ArrayList<>();
    for (int i = 0; i < call.inputs(); i++) {
      inputs.add(call.input(i));
    }
    return SequentialRun.run(steps, kernels, call.step(), inputs).getFirst();
  }
}
