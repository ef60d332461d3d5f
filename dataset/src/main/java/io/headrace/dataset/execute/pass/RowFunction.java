package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A function's instance in one pass, called with rows. Calls of a stateful instance are serialized.
 */
public final class RowFunction {
  private final CallableFunction function;
  private final List<Tensor> captured;
  private final StepContext step;

  RowFunction(CallableFunction function, List<Tensor> captured, StepContext step) {
    this.function = function;
    this.captured = captured;
    this.step = step;
  }

  public String name() {
    return function.name();
  }

  /** Calls the function for each row of {@code rows}, up to the first that fails. */
  RowsResult callRows(Chunk rows) {
    step.cancellation().check();
    if (!function.isStateful()) {
      return function.callRows(rows.rows(), rows.columns(), captured, step);
    }
    synchronized (function) {
      return function.callRows(rows.rows(), rows.columns(), captured, step);
    }
  }

  /** Calls the function once. */
  public List<Tensor> call(List<Tensor> row) {
    step.cancellation().check();
    List<Tensor> arguments = row;
    if (!captured.isEmpty()) {
      arguments = new ArrayList<>(row);
      arguments.addAll(captured);
    }
    if (!function.isStateful()) {
      return function.call(arguments, step);
    }
    synchronized (function) {
      return function.call(arguments, step);
    }
  }

  /** Calls the function once; its result is a scalar int64. */
  public long callForInteger(List<Tensor> row, String what) {
    Tensor result = single(call(row), what, DataType.INT64);
    return result.integer(0);
  }

  /** Calls the function once; its result is a scalar bool. */
  public boolean callForBool(List<Tensor> row, String what) {
    return single(call(row), what, DataType.BOOL).bool(0);
  }

  /** Calls the function once; its result is a dataset. */
  public DatasetValue callForDataset(List<Tensor> row) {
    List<Tensor> results = call(row);
    if (results.size() == 1
        && results.getFirst().dtype() == DataType.VARIANT
        && results.getFirst().elements() == 1
        && results.getFirst().reference(0) instanceof DatasetValue dataset) {
      return dataset;
    }
    throw StatusException.invalidArgument(
        "function %s must return a dataset, and returned %s", name(), results);
  }

  private Tensor single(List<Tensor> results, String what, DataType dtype) {
    if (results.size() == 1
        && results.getFirst().dtype() == dtype
        && results.getFirst().shape().rank() == 0) {
      return results.getFirst();
    }
    throw StatusException.invalidArgument(
        "%s %s must return a scalar %s, and returned %s", what, name(), dtype.tfName(), results);
  }
}
