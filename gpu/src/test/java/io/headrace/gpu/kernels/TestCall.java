package io.headrace.gpu.kernels;

import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** A call of a kernel outside of a graph. */
final class TestCall implements RowsCall {
  private final List<Tensor> inputs;
  private final int rows;
  private final Set<Integer> withRows;
  private final StepContext step = StepContext.standalone();
  private final TreeMap<Integer, Tensor> outputs = new TreeMap<>();

  /** A call of {@code rows} rows, which the inputs {@code withRows} have. */
  TestCall(List<Tensor> inputs, int rows, Set<Integer> withRows) {
    this.inputs = List.copyOf(inputs);
    this.rows = rows;
    this.withRows = Set.copyOf(withRows);
  }

  static TestCall of(List<Tensor> inputs) {
    return new TestCall(inputs, 0, Set.of());
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

  List<Tensor> outputs() {
    return new ArrayList<>(outputs.values());
  }
}
