package io.headrace.kernels.kit;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.RowsCall;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The inputs and outputs of a kernel call as rows, for a {@link RowKernel}. A plain call has one
 * row, and its tensors have no row dimension.
 */
public final class Rows {
  private final KernelCall call;
  private final @Nullable RowsCall many;

  /** A plain call: one row. */
  public Rows(KernelCall call) {
    this.call = call;
    this.many = null;
  }

  Rows(RowsCall call) {
    this.call = call;
    this.many = call;
  }

  /** Number of rows, at least 1. */
  public int count() {
    return many == null ? 1 : many.rows();
  }

  /** Number of inputs. */
  public int inputs() {
    return call.inputs();
  }

  /** Whether this is a call for many rows, whose outputs have a row dimension. */
  public boolean isMany() {
    return many != null;
  }

  /** Whether input {@code index} has a row dimension, with a value for each row. */
  public boolean varies(int index) {
    return many != null && many.isRows(index);
  }

  /** The shape of input {@code index} in each row. */
  public Shape shape(int index) {
    Shape shape = call.input(index).shape();
    return varies(index) ? shape.dropFirst(1) : shape;
  }

  /** The dtype of input {@code index}. */
  public DataType dtype(int index) {
    return call.input(index).dtype();
  }

  /** Input {@code index} of row {@code row}, as a view. */
  public Tensor row(int index, int row) {
    return varies(index) ? call.input(index).row(row) : call.input(index);
  }

  /** Input {@code index} of all rows, with a row dimension if it {@link #varies}. */
  public Tensor all(int index) {
    return call.input(index);
  }

  /** Stride of the rows of input {@code index}, in elements; 0 if all rows share one value. */
  public int stride(int index) {
    return varies(index) ? shape(index).elements() : 0;
  }

  /** Input {@code index} if its value is the same in every row; null if rows differ. */
  @Nullable
  public Tensor same(int index) {
    if (!varies(index)) {
      return call.input(index);
    }
    Tensor first = row(index, 0);
    for (int row = 1; row < count(); row++) {
      if (!TensorEquality.equal(first, row(index, row))) {
        return null;
      }
    }
    return first;
  }

  /** The shape of an output tensor whose rows have {@code rowShape}. */
  public Shape withRows(Shape rowShape) {
    return many == null ? rowShape : rowShape.prepend(many.rows());
  }

  /**
   * A new array for all rows of an output; RESOURCE_EXHAUSTED if it is too large. Strings are null.
   */
  public Object allocate(DataType dtype, Shape rowShape) {
    return TensorLimit.allocate(dtype, withRows(rowShape));
  }

  /** The same, but numbers are undefined: for kernels that write each element. */
  public Object allocateUnset(DataType dtype, Shape rowShape) {
    return TensorLimit.allocateUnset(dtype, withRows(rowShape));
  }

  /** A new array for all rows of an output, filled with zeros or empty strings. */
  public Object allocateZeros(DataType dtype, Shape rowShape) {
    Object array = allocate(dtype, rowShape);
    if (array instanceof byte[][] strings) {
      Arrays.fill(strings, new byte[0]);
    }
    return array;
  }

  /** Sets output {@code index} to the rows in {@code array}, which are contiguous. */
  public void set(int index, DataType dtype, Shape rowShape, Object array) {
    call.setOutput(index, Tensor.wrap(dtype, withRows(rowShape), array));
  }

  /** Sets output {@code index} to {@code value}, which has a row dimension if {@link #isMany}. */
  public void set(int index, Tensor value) {
    call.setOutput(index, value);
  }

  /**
   * Sets output {@code index} to input {@code input} reshaped to {@code rowShape}, sharing its
   * elements where possible.
   */
  public void setView(int index, int input, Shape rowShape) {
    if (varies(input) || many == null) {
      call.setOutput(index, all(input).reshape(withRows(rowShape)));
    } else {
      setSame(index, all(input).reshape(rowShape));
    }
  }

  /** Sets output {@code index} to {@code value}, the same in every row. */
  public void setSame(int index, Tensor value) {
    if (many == null) {
      call.setOutput(index, value);
      return;
    }
    Object array = allocate(value.dtype(), value.shape());
    for (int row = 0; row < count(); row++) {
      value
          .dtype()
          .kind()
          .copy(
              TensorMemory.array(value),
              TensorMemory.offset(value),
              array,
              row * value.elements(),
              value.elements());
    }
    set(index, value.dtype(), value.shape(), array);
  }

  /** The cancellation of the call, which long loops check. */
  public Cancellation cancellation() {
    return call.cancellation();
  }

  /** An INTERNAL error: a bug in a kernel. */
  static StatusException internal(String message) {
    return new StatusException(StatusCode.INTERNAL, message);
  }
}
