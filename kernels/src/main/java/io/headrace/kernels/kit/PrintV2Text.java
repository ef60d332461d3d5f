package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.io.ByteArrayOutputStream;

/**
 * The text of a tensor in {@code tf.print} and {@code tf.strings.format}: nested brackets, strings
 * in quotes, and only the first and last elements of long dimensions.
 */
public final class PrintV2Text {
  private final Tensor tensor;
  private final long ends;
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();

  private PrintV2Text(Tensor tensor, long ends) {
    this.tensor = tensor;
    this.ends = ends;
  }

  /**
   * The text of {@code tensor}.
   *
   * @param summarize elements shown at each end of a dimension; negative for all
   */
  public static byte[] of(Tensor tensor, long summarize) {
    long all = tensor.elements();
    long ends = summarize < 0 ? all : Math.min(summarize, all);
    PrintV2Text listing = new PrintV2Text(tensor, ends);
    if (TensorText.isText(tensor.dtype())) {
      listing.dimension(0, 0);
    } else {
      listing.flat(summarize < 0 ? all : summarize);
    }
    return listing.text.toByteArray();
  }

  private static boolean isString(DataType dtype) {
    return dtype == DataType.STRING;
  }

  private void dimension(int axis, int first) {
    int rank = tensor.shape().rank();
    if (axis == rank) {
      element(first);
      return;
    }
    append("[");
    long size = tensor.shape().size(axis);
    int step = tensor.shape().dropFirst(axis + 1).elements();
    for (long i = 0; i < ends && i < size; i++) {
      if (i > 0) {
        space(axis, rank);
      }
      dimension(axis + 1, first + (int) i * step);
    }
    if (size > 2 * ends) {
      space(axis, rank);
      append("...");
    }
    for (long i = Math.max(ends, size - ends); i < size; i++) {
      space(axis, rank);
      dimension(axis + 1, first + (int) i * step);
    }
    append("]");
  }

  private void space(int axis, int rank) {
    append(axis == rank - 1 ? " " : "\n".repeat(rank - axis - 1) + " ".repeat(axis + 1));
  }

  private void element(int index) {
    if (!isString(tensor.dtype())) {
      append(TensorText.element(tensor, index));
      return;
    }
    text.write('"');
    for (byte b : tensor.string(index)) {
      if (b < 0) {
        text.write(b); // non-ASCII bytes may be UTF-8 and are not escaped
      } else {
        append(TensorText.escaped(new byte[] {b}));
      }
    }
    text.write('"');
  }

  /** Question marks for the elements of dtypes without a text. */
  private void flat(long limit) {
    boolean brackets = tensor.shape().rank() > 0;
    append(brackets ? "[" : "");
    for (int i = 0; i < Math.min(limit, tensor.elements()); i++) {
      append(i > 0 ? " ?" : "?");
    }
    append(limit < tensor.elements() ? "..." : "");
    append(brackets ? "]" : "");
  }

  private void append(String part) {
    text.writeBytes(ByteStrings.bytes(part));
  }
}
