package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.RunArrays;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link Program} over many rows: step by step over whole columns where kernels
 * support that, and row by row otherwise. Large rows run row by row through all steps, since
 * columns of them would not fit in the cache.
 */
final class ColumnarRun {
  /*
   * A register holds a column, or a value common to all rows. If row r fails at some step, the
   * later steps run for the rows before r only, and may fail at an earlier row. After the last
   * step, `active` rows are complete, and `failure` is the error of the next row.
   */

  /** The row size above which rows run one by one through all steps. */
  static final long LARGE_ROW_BYTES = 8192;

  /** The row size up to which results of row-by-row runs are stacked in one array. */
  private static final long STACKED_ROW_BYTES = 1024;

  private final Program program;
  private final Kernel[] kernels;
  private final long largeRowBytes;
  private final StepContext context;
  private final @Nullable Tensor[] constants;
  private final @Nullable Column[] columns;
  private int active;
  private @Nullable StatusException failure;

  ColumnarRun(Program program, Kernel[] kernels, long largeRowBytes, StepContext context) {
    this.program = program;
    this.kernels = kernels;
    this.largeRowBytes = largeRowBytes;
    this.context = context;
    this.constants = program.newRegisters();
    this.columns = new Column[program.initial().size()];
  }

  RowsResult run(int rows, List<Column> inputs, List<Tensor> captured) {
    if (rows == 1 || program.isStateful() || areLarge(rows, inputs)) {
      return rowByRow(rows, inputs, captured);
    }
    context.cancellation().check();
    active = rows;
    for (int i = 0; i < inputs.size(); i++) {
      columns[program.arguments().get(i)] = inputs.get(i);
    }
    for (int i = 0; i < captured.size(); i++) {
      constants[program.arguments().get(inputs.size() + i)] = captured.get(i);
    }
    try (var _ = RunArrays.begin()) { // no arrays of a run that this one is in
      for (int i = 0; i < kernels.length && active > 0; i++) {
        Step step = program.steps().get(i);
        run(kernels[i], step);
        for (int register : step.dead()) {
          constants[register] = null;
          columns[register] = null;
        }
      }
    }
    return result();
  }

  private boolean areLarge(int rows, List<Column> inputs) {
    long bytes = 0;
    for (Column input : inputs) {
      bytes += input.byteSize();
    }
    return bytes > (double) rows * largeRowBytes;
  }

  private RowsResult rowByRow(int rows, List<Column> inputs, List<Tensor> captured) {
    List<List<Tensor>> results = new ArrayList<>(rows);
    StatusException failed = null;
    for (int row = 0; row < rows && failed == null; row++) {
      List<Tensor> arguments = new ArrayList<>(inputs.size() + captured.size());
      for (Column input : inputs) {
        arguments.add(input.row(row));
      }
      arguments.addAll(captured);
      try {
        results.add(SequentialRun.run(program, kernels, context, arguments));
      } catch (StatusException e) {
        failed = e;
      }
    }
    List<Column> outputs = new ArrayList<>();
    for (int i = 0; i < program.results().size() && !results.isEmpty(); i++) {
      int result = i;
      outputs.add(columnOf(results.stream().map(r -> r.get(result)).toList()));
    }
    return new RowsResult(results.size(), outputs, failed);
  }

  /**
   * A column of separately computed rows, stacked in one array if they are small and of one shape.
   */
  private static Column columnOf(List<Tensor> rows) {
    if (rows.size() == 1) {
      return Column.ofRow(rows.getFirst());
    }
    Tensor first = rows.getFirst();
    boolean stack =
        first.dtype() != DataType.VARIANT
            && first.dtype() != DataType.RESOURCE
            && first.byteSize() <= STACKED_ROW_BYTES
            && rows.stream().allMatch(row -> row.shape().equals(first.shape()));
    return stack
        ? new Column.Stacked(Column.stackRows(rows))
        : new Column.Listed(first.dtype(), rows);
  }

  private RowsResult result() {
    if (active == 0) {
      return new RowsResult(0, List.of(), failure);
    }
    List<Column> outputs = new ArrayList<>();
    for (int register : program.results()) {
      Column column = columns[register];
      outputs.add(
          column != null
              ? column.slice(0, active)
              : repeated(Objects.requireNonNull(constants[register]), active));
    }
    return new RowsResult(active, outputs, failure);
  }

  /** A column whose rows are all {@code value}. */
  private static Column repeated(Tensor value, int rows) {
    Tensor[] all = new Tensor[rows];
    Arrays.fill(all, value);
    return columnOf(Arrays.asList(all));
  }

  private void run(Kernel kernel, Step step) {
    boolean anyRows = false;
    for (int input : step.inputs()) {
      anyRows |= columns[input] != null;
    }
    if (!anyRows) {
      runOnce(kernel, step);
    } else if (!(kernel instanceof Kernel.Sync sync && runOverColumns(sync, step))) {
      runRowByRow(kernel, step);
    }
  }

  /** Runs a step whose inputs, and therefore outputs, are the same for all rows. */
  private void runOnce(Kernel kernel, Step step) {
    StepCall call = new StepCall(context, constants);
    call.at(step.inputs(), step.firstOutput());
    try {
      SequentialRun.compute(kernel, call, step);
    } catch (StatusException e) {
      active = 0;
      failure = e;
    }
  }

  private boolean runOverColumns(Kernel.Sync kernel, Step step) {
    for (int input : step.inputs()) {
      if (columns[input] instanceof Column.Listed) {
        return false;
      }
    }
    ColumnsCall call = new ColumnsCall(step);
    long before = context.kernelTimes().nanos();
    try {
      boolean whole = kernel.computeRows(call);
      step.addTime(context.kernelTimes(), before);
      return whole;
    } catch (RuntimeException e) {
      // The row-by-row run attributes the error to its row.
      return false;
    }
  }

  private void runRowByRow(Kernel kernel, Step step) {
    int outputs = step.outputs();
    List<List<Tensor>> results = new ArrayList<>(outputs);
    for (int i = 0; i < outputs; i++) {
      results.add(new ArrayList<>(active));
    }
    @Nullable Tensor[] registers = constants.clone();
    StepCall call = new StepCall(context, registers);
    call.at(step.inputs(), step.firstOutput());
    int rows = active;
    for (int row = 0; row < rows; row++) {
      for (int input : step.inputs()) {
        Column column = columns[input];
        if (column != null) {
          registers[input] = column.row(row);
        }
      }
      try {
        SequentialRun.compute(kernel, call, step);
      } catch (StatusException e) {
        active = row;
        failure = e;
        break;
      }
      for (int i = 0; i < outputs; i++) {
        results.get(i).add(Objects.requireNonNull(registers[step.firstOutput() + i]));
      }
    }
    for (int i = 0; i < outputs && active > 0; i++) {
      columns[step.firstOutput() + i] = columnOf(results.get(i));
    }
  }

  /** The call of a step's kernel over all active rows. */
  private final class ColumnsCall implements RowsCall {
    private final Step step;

    ColumnsCall(Step step) {
      this.step = step;
    }

    @Override
    public int rows() {
      return active;
    }

    @Override
    public boolean isRows(int index) {
      return columns[step.inputs().get(index)] != null;
    }

    @Override
    public int inputs() {
      return step.inputs().size();
    }

    @Override
    public Tensor input(int index) {
      int register = step.inputs().get(index);
      Column column = columns[register];
      return column == null
          ? Objects.requireNonNull(constants[register])
          : Column.stack(column.slice(0, active)).tensor();
    }

    @Override
    public void setOutput(int index, Tensor value) {
      columns[step.firstOutput() + index] = new Column.Stacked(value);
    }

    @Override
    public StepContext step() {
      return context;
    }
  }
}
