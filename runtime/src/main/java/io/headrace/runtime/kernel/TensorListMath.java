package io.headrace.runtime.kernel;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of lists of tensors that gradients of loops need: zeros for a list of which
 * nothing depends, and the sum of what several uses of a list contribute. Where an element is not
 * set in one list, a sum has that of the other.
 */
final class TensorListMath {
  private TensorListMath() {}

  /** Sets output 0 to variants like those of input 0, with lists of zeros. */
  static void zerosLike(KernelCall call) {
    call.setOutput(0, zeros(call.input(0)));
  }

  private static Tensor zeros(Tensor tensor) {
    if (tensor.dtype() != DataType.VARIANT) {
      return TensorList.zeros(tensor.dtype(), tensor.shape());
    }
    Object[] lists = new Object[tensor.elements()];
    for (int i = 0; i < lists.length; i++) {
      TensorList list = TensorList.ofElement(tensor, i);
      lists[i] = list.withItems(zeros(list.items()));
    }
    return Tensor.of(DataType.VARIANT, tensor.shape(), lists);
  }

  private static TensorVector zeros(TensorVector items) {
    TensorVector result = items;
    for (int i = 0; i < items.size(); i++) {
      @Nullable Tensor item = items.get(i);
      if (item != null) {
        result = result.with(i, zeros(item));
      }
    }
    return result;
  }

  /** Sets output 0 to the sum of all inputs, variants that hold lists. */
  static void sum(KernelCall call) {
    Tensor total = call.input(0);
    for (int i = 1; i < call.inputs(); i++) {
      call.cancellation().check();
      total = sum(total, call.input(i));
    }
    call.setOutput(0, total);
  }

  private static Tensor sum(Tensor a, Tensor b) {
    if (!a.shape().equals(b.shape()) || a.dtype() != b.dtype()) {
      throw invalidArgument(
          "Trying to add two tensors with incompatible element shapes: %s, %s", a, b);
    }
    if (a.dtype() == DataType.VARIANT) {
      Object[] lists = new Object[a.elements()];
      for (int i = 0; i < lists.length; i++) {
        lists[i] = sum(TensorList.ofElement(a, i), TensorList.ofElement(b, i));
      }
      return Tensor.of(DataType.VARIANT, a.shape(), lists);
    }
    Object array = TensorLimit.allocate(a.dtype(), a.shape());
    Combining.UPDATE.into(a.dtype(), array, 0, a.array(), a.offset(), a.elements());
    Combining.ADD.into(a.dtype(), array, 0, b.array(), b.offset(), a.elements());
    return Tensor.of(a.dtype(), a.shape(), array);
  }

  private static TensorList sum(TensorList a, TensorList b) {
    a.checkType(b.elementType());
    if (a.size() != b.size()) {
      throw invalidArgument(
          "Trying to add two lists of tensors with different lengths. One is %d and the other is"
              + " %d",
          a.size(), b.size());
    }
    Shape shape = TensorList.merge(a.elementShape(), b.elementShape());
    TensorVector items = a.items();
    for (int i = 0; i < a.size(); i++) {
      @Nullable Tensor mine = a.items().get(i);
      @Nullable Tensor other = b.items().get(i);
      if (other != null) {
        items = items.with(i, mine == null ? other : sum(mine, other));
      }
    }
    return new TensorList(items, a.elementType(), shape, a.maxElements());
  }
}
