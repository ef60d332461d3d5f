package io.headrace.kernels.text;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.PerElement;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** StringLower and StringUpper, of ASCII letters or of UTF-8 text. */
final class StringLowerUpperOps {
  private static final int CASE = 'a' - 'A';

  private StringLowerUpperOps() {}

  static List<Op> ops() {
    return List.of(
        changed(
            "StringLower", StringLowerUpperOps::lowerAscii, text -> text.toLowerCase(Locale.ROOT)),
        changed(
            "StringUpper", StringLowerUpperOps::upperAscii, text -> text.toUpperCase(Locale.ROOT)));
  }

  private static Op changed(
      String name, UnaryOperator<byte[]> ofAscii, UnaryOperator<String> ofText) {
    return Op.define(name + "(input: string) -> output: string")
        .attrs("encoding: string = \"\"")
        .shape(ShapeFunctions.SAME)
        .kernel(node -> {
          boolean text = isText(node.attrs());
          UnaryOperator<byte[]> map = text ? bytes -> inUtf8(bytes, ofText) : ofAscii;
          return new PerElement(input -> ByteStrings.map(input, map));
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
    // TensorFlow converts the string by way of a C string, which ends at a zero byte.
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
}
