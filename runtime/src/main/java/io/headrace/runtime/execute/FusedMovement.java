package io.headrace.runtime.execute;

import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.elementwise.StridedPlan;
import io.headrace.runtime.execute.OperandPaths.Operand;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Computes a group of elementwise and moving steps as one program of a device. Where the movements
 * of a call are no views of its inputs, or an element has an error, the device runs the steps one
 * by one. Thread-safe.
 */
final class FusedMovement implements Kernel.Sync {
  private final Program group;

  /** Null if the device has no kernel for all steps. */
  private final @Nullable Whole whole;

  /** Runs the steps one by one. */
  private final ProgramInstance steps;

  /** The CPU's kernels of the moving steps, which tell the movements. */
  private final List<Kernel.Sync> moving = new ArrayList<>();

  /** The steps as one program. */
  private record Whole(List<Operand> operands, StridedKernel kernel) {}

  private FusedMovement(Program group, @Nullable Whole whole, ProgramInstance steps) {
    this.group = group;
    this.whole = whole;
    this.steps = steps;
    for (Program.Step step : group.steps()) {
      boolean isMoving = FusedRole.of(step) != FusedRole.ELEMENTWISE;
      moving.add(
          isMoving && CpuKernels.create(step.node()) instanceof Kernel.Sync kernel
              ? kernel
              : FusedMovement::notUsed);
    }
  }

  private static void notUsed(KernelCall call) {
    throw new IllegalStateException("an elementwise step tells no movements");
  }

  /** A kernel of {@code device} for {@code group}. */
  static Kernel.Sync of(Program group, DeviceKernels device) {
    Whole whole =
        OperandPaths.of(group)
            .flatMap(paths ->
                device
                    .strided(group.name(), paths.program())
                    .map(kernel -> new Whole(paths.operands(), kernel)))
            .orElse(null);
    return new FusedMovement(group, whole, new ProgramInstance(group, device, Long.MAX_VALUE));
  }

  @Override
  public void compute(KernelCall call) {
    call.setOutput(0, result(call, null).orElseGet(() -> oneByOne(call)));
  }

  @Override
  public boolean computeRows(RowsCall call) {
    Optional<Tensor> result = result(call, call);
    if (result.isEmpty()) {
      result = columns(call);
    }
    result.ifPresent(value -> call.setOutput(0, value));
    return result.isPresent();
  }

  private Optional<Tensor> result(KernelCall call, @Nullable RowsCall many) {
    Whole all = whole;
    if (all == null) {
      return Optional.empty();
    }
    MovementShapes shapes = new MovementShapes(group, moving, call, many);
    Optional<StridedPlan> plan;
    try {
      plan = shapes.plan(all.operands());
    } catch (StatusException _) {
      return Optional.empty(); // a step tells the error
    }
    return plan.flatMap(known ->
        all.kernel()
            .compute(
                all.operands().stream().map(Operand::argument).map(call::input).toList(),
                known,
                shapes.result(),
                call.cancellation()));
  }

  private Tensor oneByOne(KernelCall call) {
    return steps
        .call(IntStream.range(0, call.inputs()).mapToObj(call::input).toList(), call.step())
        .getFirst();
  }

  /** The result for many rows, step by step; nothing if one of the rows fails. */
  private Optional<Tensor> columns(RowsCall call) {
    List<Integer> rowsFirst = new ArrayList<>();
    IntStream.range(0, call.inputs()).filter(call::isRows).forEach(rowsFirst::add);
    List<Column> columns = new ArrayList<>();
    rowsFirst.forEach(index -> columns.add(new Column.Stacked(call.input(index))));
    List<Tensor> captured = new ArrayList<>();
    for (int i = 0; i < call.inputs(); i++) {
      if (!call.isRows(i)) {
        rowsFirst.add(i);
        captured.add(call.input(i));
      }
    }
    RowsResult result =
        steps.withArguments(rowsFirst).callRows(call.rows(), columns, captured, call.step());
    return result.rows() == call.rows()
        ? Optional.of(Column.stack(result.columns().getFirst()).tensor())
        : Optional.empty();
  }
}
