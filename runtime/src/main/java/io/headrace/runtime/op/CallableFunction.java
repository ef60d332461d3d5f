package io.headrace.runtime.op;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An instantiated function. Thread-safe unless it is stateful; a stateful function (random ops,
 * assignments) is called by one thread at a time, row after row.
 */
public interface CallableFunction {
  /** The function's name. */
  String name();

  /** The dtypes of its arguments, captured inputs last. */
  List<DataType> inputTypes();

  /** The dtypes of its results. */
  List<DataType> outputTypes();

  /** The shapes of its results as far as they are known. */
  List<Shape> outputShapes();

  /**
   * Whether any op in the function, or in a function it calls, has the effect {@link
   * Effect#CHANGES}.
   */
  boolean isStateful();

  /** Whether the function may access a resource: a variable, a table, a generator. */
  default boolean touchesResources() {
    return false;
  }

  /**
   * Whether the function may change a resource. Functions that share that resource then run row by
   * row.
   */
  default boolean changesResources() {
    return isStateful() && touchesResources();
  }

  /** Runs once. */
  List<Tensor> call(List<Tensor> inputs, StepContext step);

  /**
   * Calls the function for each of {@code rows} rows of {@code columns}; the arguments {@code
   * captured} follow the columns and are the same for every row. Equivalent to {@link #call} for
   * each row in order, up to the first row that fails.
   */
  RowsResult callRows(int rows, List<Column> columns, List<Tensor> captured, StepContext step);

  /**
   * The results of the rows before the first failure.
   *
   * @param rows the number of rows computed: all of them, unless {@code failure} is set
   * @param columns the results, each of {@code rows} rows; no columns if {@code rows} is 0
   * @param failure the error of row {@code rows}, if any
   */
  record RowsResult(int rows, List<Column> columns, @Nullable StatusException failure) {}
}
