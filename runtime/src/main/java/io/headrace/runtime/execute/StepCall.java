package io.headrace.runtime.execute;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The call of one step's kernel for one row; reused for the next step. */
final class StepCall implements KernelCall {
  private final StepContext context;
  private final @Nullable Tensor[] registers;
  private List<Integer> inputs = List.of();
  private int firstOutput;

  StepCall(StepContext context, @Nullable Tensor[] registers) {
    this.context = context;
    this.registers = registers;
  }

  void at(List<Integer> inputRegisters, int firstOutputRegister) {
    this.inputs = inputRegisters;
    this.firstOutput = firstOutputRegister;
  }

  @Override
  public int inputs() {
    return inputs.size();
  }

  @Override
  public Tensor input(int index) {
    Tensor value = registers[inputs.get(index)];
    if (value == null) {
      throw new IllegalStateException("register " + inputs.get(index) + " is not set");
    }
    return value;
  }

  @Override
  public void setOutput(int index, Tensor value) {
    if (context.outputs().isLimited() && !isInput(value)) {
      context.outputs().take(value);
    }
    registers[firstOutput + index] = value;
  }

  @SuppressWarnings("ReferenceEquality") // a tensor that is passed on takes no bytes
  private boolean isInput(Tensor value) {
    return inputs.stream().anyMatch(register -> registers[register] == value);
  }

  @Override
  public StepContext step() {
    return context;
  }
}
