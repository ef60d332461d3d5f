package io.headrace.kernels.kit;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Float8;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.TensorValueText;

/**
 * The text of a tensor in TensorFlow's messages: the first elements in brackets, as {@code
 * Tensor::SummarizeValue} writes them.
 */
public final class TensorText {
  /** Significant digits tried first, and digits that distinguish all values. */
  private static final int FLOAT_DIGITS = 6;

  private static final int FLOAT_ALL_DIGITS = 9;
  private static final int DOUBLE_DIGITS = 15;
  private static final int DOUBLE_ALL_DIGITS = 17;

  private final Tensor tensor;
  private final int limit;
  private final StringBuilder text = new StringBuilder();
  private int next;

  private TensorText(Tensor tensor, int limit) {
    this.tensor = tensor;
    this.limit = limit;
  }

  /** The first {@code maxElements} elements of {@code tensor}; all if negative. */
  public static String summary(Tensor tensor, long maxElements) {
    int all = tensor.elements();
    int limit = (int) (maxElements < 0 ? all : Math.min(maxElements, all));
    return new TensorText(tensor, limit).summary();
  }

  private String summary() {
    if (tensor.shape().rank() == 0) {
      text.append(limit > 0 ? element(tensor, 0) : "");
    } else {
      dimension(0);
    }
    return tensor.elements() > limit ? text.append("...").toString() : text.toString();
  }

  private void dimension(int axis) {
    if (next >= limit) {
      return;
    }
    Shape shape = tensor.shape();
    if (axis == shape.rank() - 1) {
      innermost(axis);
      return;
    }
    for (int i = 0; i < shape.size(axis); i++) {
      boolean opened = next < limit;
      text.append(opened ? "[" : "");
      dimension(axis + 1);
      text.append(opened || next < limit ? "]" : "");
    }
  }

  private void innermost(int axis) {
    for (int i = 0; i < tensor.shape().size(axis); i++) {
      if (next >= limit) {
        text.append(axis != 0 ? "..." : "");
        return;
      }
      text.append(i > 0 ? " " : "").append(element(tensor, next++));
    }
  }

  /** Element {@code index}; strings are escaped, without quotes. */
  static String element(Tensor tensor, int index) {
    int at = TensorMemory.offset(tensor) + index;
    DataType dtype = tensor.dtype();
    if (dtype == DataType.STRING) {
      return escaped(tensor.string(index));
    }
    if (dtype.isFloating()) {
      return number(
          NumericElements.floating(dtype, TensorMemory.array(tensor), at),
          dtype == DataType.FLOAT64);
    }
    if (dtype.isInteger() || dtype == DataType.BOOL) {
      long value = NumericElements.integer(dtype, TensorMemory.array(tensor), at);
      return dtype == DataType.UINT64 ? Long.toUnsignedString(value) : Long.toString(value);
    }
    return switch (dtype) {
      case FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E4M3B11FNUZ, FLOAT4_E2M1FN ->
          number(Float8.value(dtype, ((byte[]) TensorMemory.array(tensor))[at]), false);
      case INT4, UINT4, INT2, UINT2 -> TensorValueText.text(tensor, index);
      default -> "?";
    };
  }

  /** Whether elements of {@code dtype} have a text, other than a question mark. */
  static boolean isText(DataType dtype) {
    return switch (dtype) {
      case BOOL, STRING -> true;
      case FLOAT8_E5M2, FLOAT8_E4M3FN, FLOAT8_E4M3B11FNUZ, FLOAT4_E2M1FN -> true;
      case INT4, UINT4, INT2, UINT2 -> true;
      default -> dtype.isFloating() || dtype.isInteger();
    };
  }

  /**
   * {@code value} in printf's {@code %g}: with 6 significant digits for a float and 15 for a double
   * if this parses back to {@code value}, otherwise with 9 and 17.
   */
  public static String number(double value, boolean isDouble) {
    String text =
        new PrintfFormat((char) 0, -1, isDouble ? DOUBLE_DIGITS : FLOAT_DIGITS, 'g')
            .floating(value);
    boolean exact =
        Double.isNaN(value)
            || Double.isInfinite(value)
            || (isDouble ? Double.parseDouble(text) : Float.parseFloat(text)) == value;
    return exact
        ? text
        : new PrintfFormat((char) 0, -1, isDouble ? DOUBLE_ALL_DIGITS : FLOAT_ALL_DIGITS, 'g')
            .floating(value);
  }

  /** {@code bytes} escaped as in a C string literal. */
  static String escaped(byte[] bytes) {
    StringBuilder text = new StringBuilder();
    for (byte b : bytes) {
      switch (b) {
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        case '"', '\'', '\\' -> text.append('\\').append((char) b);
        default -> {
          int code = b & 0xff;
          boolean printable = code >= ' ' && code < 0x7f;
          text.append(printable ? String.valueOf((char) code) : octal(code));
        }
      }
    }
    return text.toString();
  }

  private static String octal(int code) {
    return "\\" + (code >> 6) + (code >> 3 & 7) + (code & 7);
  }
}
