package io.headrace.runtime.execute;

import io.headrace.runtime.execute.Program.Step;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link Program} for many rows: step by step over whole columns where kernels can,
 * row by row where they cannot, and where rows are so large that columns of them would only leave
 * the cache.
 */
final class RowsRun {
  /*
   * A register holds a value that is the same for all rows, or a column. When row r fails at some
   * step, all later steps run for the rows before r only; a later step may fail at an earlier row
   * yet. So when all steps are done, `active` rows are right, and `failure` is that of the next.
   */

  /** Rows larger than this are run one by one through all steps. */
  private static final long LARGE_ROW_BYTES = 8192;

  /** Results of row by row runs are put into one array up to this size of a row. */
  private static final long STACKED_ROW_BYTES = 1024;

  private final Program program;
  private final Kernel[] kernels;
  private final StepContext context;
  private final @Nullable Tensor[] constants;
  private final @Nullable Column[] columns;
  private int active;
  private @Nullable StatusException failure;

  RowsRun(Program program, Kernel[] kernels, StepContext context) {
    this.program = program;
    this.kernels = kernels;
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
    for (int i = 0; i < kernels.length && active > 0; i++) {
      Step step = program.steps().get(i);
      run(kernels[i], step);
      for (int register : step.dead()) {
        constants[register] = null;
        columns[register] = null;
      }
    }
    return result();
  }

  private static boolean areLarge(int rows, List<Column> inputs) {
    long bytes = 0;
    for (Column input : inputs) {
      bytes += input.byteSize();
    }
    return bytes > rows * LARGE_ROW_BYTES;
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
        results.add(SingleRun.run(program, kernels, context, arguments));
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

  /** A column of rows that were made one by one: in one array where they are small and alike. */
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

  /** A step whose inputs are the same for all rows: so are its outputs. */
  private void runOnce(Kernel kernel, Step step) {
    StepCall call = new StepCall(context, constants);
    call.at(step.inputs(), step.firstOutput());
    try {
      SingleRun.compute(kernel, call, step);
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
    try {
      return kernel.computeRows(call);
    } catch (RuntimeException e) {
      // Row by row the error finds its row.
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
        SingleRun.compute(kernel, call, step);
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

  /** The call of a step's kernel for all active rows. */
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
