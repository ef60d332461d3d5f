package io.headrace.kernels.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.PerElement;
import io.headrace.kernels.kit.PrintfFormat;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** AsString: formats numbers as text with the flags, width and precision of C's printf. */
final class AsStringOps {
  private static final String FLAGS = " +-0#";

  private AsStringOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("AsString(input: T) -> output: string")
            .attrs(
                "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half,"
                    + " uint32, uint64, complex64, complex128, bool, string}",
                "precision: int = -1",
                "scientific: bool = false",
                "shortest: bool = false",
                "width: int = -1",
                "fill: string = \"\"")
            .shape(ShapeFunctions.SAME)
            .remark("Variants are not written as strings.")
            .kernel(node -> {
              PrintfFormat format = format(node);
              return new PerElement(input -> format(input, format));
            }));
  }

  private static PrintfFormat format(NodeSpec node) {
    Attrs attrs = node.attrs();
    DataType dtype = attrs.type("T");
    boolean scientific = attrs.bool("scientific");
    boolean shortest = attrs.bool("shortest");
    long precision = attrs.integer("precision");
    if (!takesPrecision(dtype)) {
      if (scientific || shortest) {
        throw StatusException.invalidArgument(
            "scientific and shortest format not supported for datatype %s", dtype.tfName());
      }
      if (precision >= 0) {
        throw StatusException.invalidArgument(
            "precision not supported for datatype %s", dtype.tfName());
      }
    }
    if (scientific && shortest) {
      throw StatusException.invalidArgument("Cannot select both scientific and shortest notation");
    }
    char conversion = shortest ? 'g' : scientific ? 'e' : 'f';
    return new PrintfFormat(
        flag(attrs.string("fill")),
        bounded(attrs, "width"),
        bounded(attrs, "precision"),
        conversion);
  }

  private static boolean takesPrecision(DataType dtype) {
    return dtype.isFloating()
        || dtype == DataType.COMPLEX64
        || dtype == DataType.COMPLEX128
        || dtype == DataType.STRING;
  }

  /** A width or precision, bounded so that an attr cannot request gigabytes; -1 if negative. */
  private static int bounded(Attrs attrs, String name) {
    long value = attrs.integer(name);
    if (value > 1 << 16) {
      throw StatusException.invalidArgument(
          "attr %s of AsString must be at most 65536: %d", name, value);
    }
    return (int) Math.max(-1, value);
  }

  private static char flag(String fill) {
    if (fill.length() > 1) {
      throw StatusException.invalidArgument("Fill string must be one or fewer characters");
    }
    if (!fill.isEmpty() && FLAGS.indexOf(fill.charAt(0)) < 0) {
      throw StatusException.invalidArgument("Fill argument not supported: \"%s\"", fill);
    }
    return fill.isEmpty() ? 0 : fill.charAt(0);
  }

  private static Tensor format(Tensor input, PrintfFormat format) {
    byte[][] result = ByteStrings.allocate(input.shape());
    for (int i = 0; i < result.length; i++) {
      result[i] =
          input.dtype() == DataType.STRING
              ? string(input.string(i), format)
              : number(input, i, format).getBytes(ISO_8859_1);
    }
    return Tensor.wrap(DataType.STRING, input.shape(), result);
  }

  /** Stock formats strings only if there is a width, and cuts them to the precision only then. */
  private static byte[] string(byte[] bytes, PrintfFormat format) {
    if (format.width() <= 0) {
      return bytes;
    }
    String text = new String(bytes, ISO_8859_1);
    int cut = format.precision() < 0 ? text.length() : format.precision();
    return format.text(text.substring(0, Math.min(cut, text.length()))).getBytes(ISO_8859_1);
  }

  private static String number(Tensor input, int i, PrintfFormat format) {
    int at = TensorMemory.offset(input) + i;
    boolean unsigned = input.dtype().isUnsigned();
    return switch (TensorMemory.array(input)) {
      case float[] a when input.dtype() == DataType.COMPLEX64 ->
          complex(a[2 * at], a[2 * at + 1], format);
      case double[] a when input.dtype() == DataType.COMPLEX128 ->
          complex(a[2 * at], a[2 * at + 1], format);
      case float[] a -> format.floating(a[at]);
      case double[] a -> format.floating(a[at]);
      case byte[] a when input.dtype() == DataType.BOOL ->
          a[at] != 0 ? "true" : "false"; // as stock, without a width
      case byte[] a when unsigned -> format.unsigned(Integer.toString(a[at] & 0xff));
      case byte[] a -> format.integer(Integer.toString(a[at]));
      case short[] a -> ofShort(a[at], input.dtype(), format);
      case int[] a when unsigned -> format.unsigned(Integer.toUnsignedString(a[at]));
      case int[] a -> format.integer(Integer.toString(a[at]));
      case long[] a when unsigned -> format.unsigned(Long.toUnsignedString(a[at]));
      case long[] a -> format.integer(Long.toString(a[at]));
      default -> throw new AssertionError(input.dtype());
    };
  }

  private static String ofShort(short value, DataType dtype, PrintfFormat format) {
    return switch (dtype) {
      case FLOAT16 -> format.floating(Float.float16ToFloat(value));
      case BFLOAT16 -> format.floating(Float.intBitsToFloat(value << 16));
      case UINT16 -> format.unsigned(Integer.toString(value & 0xffff));
      default -> format.integer(Integer.toString(value));
    };
  }

  private static String complex(double real, double imaginary, PrintfFormat format) {
    return "(" + format.floating(real) + "," + format.floating(imaginary) + ")";
  }
}
