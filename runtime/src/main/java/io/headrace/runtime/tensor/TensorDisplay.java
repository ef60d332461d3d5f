package io.headrace.runtime.tensor;

import java.util.Arrays;

/**
 * The text of a tensor: dtype, shape, and its values in NumPy's brackets, on one line. Of a tensor
 * of more than {@value #ALL_SHOWN} values, dimensions are cut to their first and last values.
 */
final class TensorDisplay {
  private static final int ALL_SHOWN = 100;

  /** Bounds the values and brackets of a tensor of many short or empty dimensions. */
  private static final int MOST_SHOWN = 1_000;

  private static final int STRING_BYTES_SHOWN = 64;

  private final Tensor tensor;
  private final int edge;
  private final StringBuilder text;
  private int shown;

  private TensorDisplay(Tensor tensor) {
    this.tensor = tensor;
    this.edge = tensor.shape().rank() <= 2 ? 3 : 1;
    this.text = new StringBuilder(tensor.typeAndShape()).append(' ');
  }

  static String of(Tensor tensor) {
    TensorDisplay result = new TensorDisplay(tensor);
    result.append(0, 0);
    return result.text.toString();
  }

  /** Appends the block of dimension {@code dim} that starts at value {@code first}. */
  private void append(int dim, int first) {
    shown++;
    Shape shape = tensor.shape();
    if (dim == shape.rank()) {
      text.append(value(first));
      return;
    }
    int size = (int) shape.size(dim);
    int stride = shape.dropFirst(dim + 1).elements();
    boolean cut = tensor.elements() > ALL_SHOWN && size > 2 * edge + 1;
    text.append('[');
    for (int i = 0; i < size; i = cut && i == edge - 1 ? size - edge : i + 1) {
      text.append(i == 0 ? "" : " ").append(cut && i == size - edge ? "... " : "");
      if (shown >= MOST_SHOWN) {
        text.append("...");
        break;
      }
      append(dim + 1, first + i * stride);
    }
    text.append(']');
  }

  private String value(int index) {
    if (tensor.dtype() == DataType.STRING) {
      byte[] bytes = tensor.string(index);
      return bytes.length <= STRING_BYTES_SHOWN
          ? TensorValueText.quoted(bytes)
          : TensorValueText.quoted(Arrays.copyOf(bytes, STRING_BYTES_SHOWN)) + "...";
    }
    return TensorValueText.text(tensor, index);
  }
}
