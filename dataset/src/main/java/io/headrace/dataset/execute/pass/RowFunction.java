package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.CallableFunction.RowsResult;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function's instance in one pass, called with rows. Calls of a stateful instance are serialized.
 */
public final class RowFunction {
  private final CallableFunction function;
  private final List<Tensor> captured;
  private final StepContext step;
  private final @Nullable String transformation;
  private final IteratorPath path;

  RowFunction(
      CallableFunction function,
      List<Tensor> captured,
      StepContext step,
      @Nullable String transformation,
      IteratorPath path) {
    this.function = function;
    this.captured = captured;
    this.step = step;
    this.transformation = transformation;
    this.path = path;
  }

  public String name() {
    return function.name();
  }

  /**
   * A failure of the function, with the transformation and the iterator that called it, in the
   * words of TensorFlow. Failures of a cancelled pass stay as they are.
   */
  public StatusException inContext(StatusException failure) {
    if (transformation == null || step.cancellation().isCancelled()) {
      return failure;
    }
    return failure.in(
        "Error in user-defined function passed to %s transformation with iterator: %s"
            .formatted(transformation, path));
  }

  /** The same for a row of {@code rows}, which the message tells as far as that is short. */
  StatusException inContext(StatusException failure, Chunk rows, int row) {
    StatusException told = inContext(failure);
    if (step.cancellation().isCancelled()) {
      return told;
    }
    return RowDescription.of(rows, row)
        .map(which ->
            new StatusException(told.code(), told.message() + "; the element is " + which, told))
        .orElse(told);
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

  private DatasetValue dataset(List<Tensor> row) {
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

  /** Calls the function once; its result is a dataset. A failure says where it was called. */
  public DatasetValue callForDataset(List<Tensor> row) {
    try {
      return dataset(row);
    } catch (StatusException e) {
      throw inContext(e);
    }
  }

  /**
   * Calls the function, which reduces a window, once; its result is a dataset. Its failures are
   * INTERNAL, as in TensorFlow, with code, message and function in the text.
   */
  public DatasetValue reduceToDataset(List<Tensor> row) {
    try {
      return dataset(row);
    } catch (StatusException e) {
      if (step.cancellation().isCancelled()) {
        throw e;
      }
      String message =
          "Got error code %s and message: {\n%s\n} \nfrom running user-defined function %s: "
              .formatted(e.code(), e.message(), name());
      throw new StatusException(StatusCode.INTERNAL, message, e);
    }
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
