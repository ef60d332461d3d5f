package io.headrace.kernels;

import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** A call of a kernel outside of a graph, which records the outputs. */
public final class FakeCall implements RowsCall {
  private final List<Tensor> inputs;
  private final int rows;
  private final Set<Integer> withRows;
  private final StepContext step;
  private final TreeMap<Integer, Tensor> outputs = new TreeMap<>();

  private FakeCall(List<Tensor> inputs, int rows, Set<Integer> withRows, StepContext step) {
    this.inputs = inputs;
    this.rows = rows;
    this.withRows = withRows;
    this.step = step;
  }

  public static FakeCall of(List<Tensor> inputs, StepContext step) {
    return new FakeCall(inputs, 0, Set.of(), step);
  }

  /** A call of {@code rows} rows; the inputs in {@code withRows} have a leading row dimension. */
  static FakeCall ofRows(int rows, List<Tensor> inputs, Set<Integer> withRows, StepContext step) {
    return new FakeCall(inputs, rows, withRows, step);
  }

  @Override
  public int inputs() {
    return inputs.size();
  }

  @Override
  public Tensor input(int index) {
    return inputs.get(index);
  }

  @Override
  public void setOutput(int index, Tensor value) {
    outputs.put(index, value);
  }

  @Override
  public StepContext step() {
    return step;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public boolean isRows(int index) {
    return withRows.contains(index);
  }

  public boolean hasOutputs() {
    return !outputs.isEmpty();
  }

  /** The outputs in order; fails unless there are {@code count}. */
  public List<Tensor> outputs(int count) {
    if (outputs.size() != count || (count > 0 && outputs.lastKey() != count - 1)) {
      throw new AssertionError("the kernel set outputs " + outputs.keySet() + " of " + count);
    }
    return List.copyOf(outputs.values());
  }
}
