package io.headrace.kernels.text;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.kernels.kit.PerElement;
import io.headrace.kernels.kit.Strings;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Ops that make of a string another, or its length. */
final class StringTransformOps {
  private static final int CASE = 'a' - 'A';

  private StringTransformOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StringLength(input: string) -> output: int32")
            .attrs("unit: string = \"BYTE\"")
            .shape(ShapeRules.SAME)
            .kernel(node -> new PerElement(lengths(isUtf8(node.attrs())))),
        changed(
            "StringLower", StringTransformOps::lowerAscii, text -> text.toLowerCase(Locale.ROOT)),
        changed(
            "StringUpper", StringTransformOps::upperAscii, text -> text.toUpperCase(Locale.ROOT)),
        Op.define("StringStrip(input: string) -> output: string")
            .shape(ShapeRules.SAME)
            .kernel(_ -> new PerElement(input -> Strings.map(input, StringTransformOps::strip))));
  }

  /** Whether the attr {@code unit} counts characters rather than bytes. */
  static boolean isUtf8(Attrs attrs) {
    String unit = attrs.string("unit");
    return switch (unit) {
      case "BYTE" -> false;
      case "UTF8_CHAR" -> true;
      default ->
          throw StatusException.invalidArgument(
              "Invalid unit \"%s\": Should be one of: BYTE, UTF8_CHAR", unit);
    };
  }

  private static UnaryOperator<Tensor> lengths(boolean utf8) {
    return input -> {
      int[] lengths = (int[]) TensorLimit.allocate(DataType.INT32, input.shape());
      for (int i = 0; i < lengths.length; i++) {
        byte[] string = input.string(i);
        lengths[i] = utf8 ? characters(string) : string.length;
      }
      return Tensor.of(DataType.INT32, input.shape(), lengths);
    };
  }

  private static int characters(byte[] utf8) {
    int count = 0;
    for (byte b : utf8) {
      count += Strings.isTrailByte(b) ? 0 : 1;
    }
    return count;
  }

  private static Op changed(
      String name, UnaryOperator<byte[]> ofAscii, UnaryOperator<String> ofText) {
    return Op.define(name + "(input: string) -> output: string")
        .attrs("encoding: string = \"\"")
        .shape(ShapeRules.SAME)
        .kernel(node -> {
          boolean text = isText(node.attrs());
          UnaryOperator<byte[]> map = text ? bytes -> inUtf8(bytes, ofText) : ofAscii;
          return new PerElement(input -> Strings.map(input, map));
        });
  }

  private static boolean isText(Attrs attrs) {
    String encoding = attrs.string("encoding");
    if (!encoding.isEmpty() && !encoding.equals("utf-8")) {
      throw StatusException.invalidArgument(
          "only utf-8 or '' (no encoding) is supported, received %s", encoding);
    }
    return !encoding.isEmpty();
  }

  private static byte[] inUtf8(byte[] bytes, UnaryOperator<String> map) {
    // TensorFlow hands the string on as C's, which end at a zero byte.
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return map.apply(new String(bytes, 0, end, UTF_8)).getBytes(UTF_8);
  }

  private static byte[] lowerAscii(byte[] bytes) {
    byte[] result = bytes.clone();
    for (int i = 0; i < result.length; i++) {
      if (result[i] >= 'A' && result[i] <= 'Z') {
        result[i] = (byte) (result[i] + CASE);
      }
    }
    return result;
  }

  private static byte[] upperAscii(byte[] bytes) {
    byte[] result = bytes.clone();
    for (int i = 0; i < result.length; i++) {
      if (result[i] >= 'a' && result[i] <= 'z') {
        result[i] = (byte) (result[i] - CASE);
      }
    }
    return result;
  }

  private static byte[] strip(byte[] bytes) {
    int from = 0;
    int to = bytes.length;
    while (from < to && Strings.isSpace(bytes[from])) {
      from++;
    }
    while (to > from && Strings.isSpace(bytes[to - 1])) {
      to--;
    }
    return Arrays.copyOfRange(bytes, from, to);
  }
}
