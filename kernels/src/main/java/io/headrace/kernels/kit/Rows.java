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
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A kernel's call as so many rows, where a call for one has one: how a {@link RowKernel} sees its
 * inputs and sets its outputs without caring which it is.
 */
public final class Rows {
  private final KernelCall call;
  private final @Nullable RowsCall many;

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

  /** Whether this is a call for many rows, so that outputs have a row dimension. */
  public boolean isMany() {
    return many != null;
  }

  /** Whether rows have values of their own for input {@code index}. */
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

  /** Input {@code index} of the row {@code row}, as a view. */
  public Tensor row(int index, int row) {
    return varies(index) ? call.input(index).row(row) : call.input(index);
  }

  /** Input {@code index} of all rows: with a row dimension if it {@link #varies}. */
  public Tensor all(int index) {
    return call.input(index);
  }

  /** From a row's elements of input {@code index} to the next one's in the array; 0 if shared. */
  public int stride(int index) {
    return varies(index) ? shape(index).elements() : 0;
  }

  /** Input {@code index}, one value for all rows; null if rows differ in it. */
  @Nullable
  public Tensor same(int index) {
    if (!varies(index)) {
      return call.input(index);
    }
    Tensor first = row(index, 0);
    for (int row = 1; row < count(); row++) {
      if (!TensorElements.equal(first, row(index, row))) {
        return null;
      }
    }
    return first;
  }

  /** The shape of an output whose rows have the shape {@code rowShape}. */
  public Shape withRows(Shape rowShape) {
    return many == null ? rowShape : rowShape.prepend(many.rows());
  }

  /** A new array for the rows of an output; RESOURCE_EXHAUSTED if it is too large. */
  public Object allocate(DataType dtype, Shape rowShape) {
    return TensorLimit.allocate(dtype, withRows(rowShape));
  }

  /** The same, of zeros or empty strings. */
  public Object allocateZeros(DataType dtype, Shape rowShape) {
    Object array = allocate(dtype, rowShape);
    if (array instanceof byte[][] strings) {
      Arrays.fill(strings, new byte[0]);
    }
    return array;
  }

  /** Sets output {@code index}: {@code array} holds its rows one after the other. */
  public void set(int index, DataType dtype, Shape rowShape, Object array) {
    call.setOutput(index, Tensor.of(dtype, withRows(rowShape), array));
  }

  /** Sets output {@code index} to a tensor that has a row dimension if {@link #isMany}. */
  public void set(int index, Tensor value) {
    call.setOutput(index, value);
  }

  /** Sets output {@code index} to the elements of input {@code input} as {@code rowShape}. */
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
          .copy(value.array(), value.offset(), array, row * value.elements(), value.elements());
    }
    set(index, value.dtype(), value.shape(), array);
  }

  /** Asked by loops that can take long. */
  public Cancellation cancellation() {
    return call.cancellation();
  }

  /** What must be a bug of a kernel. */
  static StatusException internal(String message) {
    return new StatusException(StatusCode.INTERNAL, message);
  }
}
