package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** An instance of a {@link Program}, with kernels of its own. */
final class ProgramInstance implements CallableFunction {
  private final Program program;
  private final Kernel[] kernels;
  private final long largeRowBytes;

  /** An instance for a CPU. */
  ProgramInstance(Program program) {
    this(program, DeviceKernels.cpu(), ColumnarRun.LARGE_ROW_BYTES);
  }

  /**
   * An instance for a device.
   *
   * @param largeRowBytes the mean size of rows above which they run one by one
   */
  ProgramInstance(Program program, DeviceKernels device, long largeRowBytes) {
    this.program = program;
    this.largeRowBytes = largeRowBytes;
    this.kernels = new Kernel[program.steps().size()];
    for (int i = 0; i < kernels.length; i++) {
      Step step = program.steps().get(i);
      kernels[i] =
          step.group()
              .<Kernel>map(group -> ofGroup(step.node().name(), group, device))
              .orElseGet(() -> device.create(step.node()));
    }
  }

  private ProgramInstance(Program program, Kernel[] kernels, long largeRowBytes) {
    this.program = program;
    this.kernels = kernels;
    this.largeRowBytes = largeRowBytes;
  }

  /** The same with its arguments in another order, which names the old positions. */
  ProgramInstance withArguments(List<Integer> positions) {
    return new ProgramInstance(program.withArguments(positions), kernels, largeRowBytes);
  }

  /** A kernel of {@code device} for a fused group. */
  static Kernel.Sync ofGroup(String node, Program group, DeviceKernels device) {
    if (MovementFusion.hasMovements(group)) {
      return FusedMovement.of(group, device);
    }
    FusedKernel host = FusedKernel.of(group);
    return device.fused(node, host.program(), host);
  }

  /** The kernel of the step {@code index}. */
  Kernel kernel(int index) {
    return kernels[index];
  }

  @Override
  public String name() {
    return program.name();
  }

  @Override
  public List<DataType> inputTypes() {
    return program.argumentTypes();
  }

  @Override
  public List<DataType> outputTypes() {
    return program.resultTypes();
  }

  @Override
  public List<Shape> outputShapes() {
    return program.resultShapes();
  }

  @Override
  public boolean isStateful() {
    return program.isStateful();
  }

  @Override
  public boolean touchesResources() {
    return program.touchesResources();
  }

  @Override
  public List<Tensor> call(List<Tensor> inputs, StepContext step) {
    checkArguments(inputs.size());
    for (int i = 0; i < inputs.size(); i++) {
      checkArgument(i, inputs.get(i).dtype());
    }
    return SequentialRun.run(program, kernels, step, inputs);
  }

  @Override
  public RowsResult callRows(
      int rows, List<Column> columns, List<Tensor> captured, StepContext step) {
    checkArguments(columns.size() + captured.size());
    for (int i = 0; i < columns.size(); i++) {
      checkArgument(i, columns.get(i).dtype());
    }
    for (int i = 0; i < captured.size(); i++) {
      checkArgument(columns.size() + i, captured.get(i).dtype());
    }
    return new ColumnarRun(program, kernels, largeRowBytes, step).run(rows, columns, captured);
  }

  private void checkArguments(int count) {
    if (count != program.arguments().size()) {
      throw StatusException.invalidArgument(
          "function %s takes %d arguments and was given %d",
          program.name(), program.arguments().size(), count);
    }
  }

  private void checkArgument(int index, DataType given) {
    DataType declared = program.argumentTypes().get(index);
    if (declared != given) {
      throw StatusException.invalidArgument(
          "argument %d of function %s is %s and was given %s",
          index, program.name(), declared.tfName(), given.tfName());
    }
  }
}
