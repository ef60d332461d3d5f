package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.PerElement;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.Arrays;
import java.util.List;

/** StringStrip: strings without the white space at both ends. */
final class StringStripOps {
  private StringStripOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("StringStrip(input: string) -> output: string")
            .shape(ShapeFunctions.SAME)
            .kernel(_ -> new PerElement(input -> ByteStrings.map(input, StringStripOps::strip))));
  }

  private static byte[] strip(byte[] bytes) {
    int from = 0;
    int to = bytes.length;
    while (from < to && ByteStrings.isSpace(bytes[from])) {
      from++;
    }
    while (to > from && ByteStrings.isSpace(bytes[to - 1])) {
      to--;
    }
    return Arrays.copyOfRange(bytes, from, to);
  }
}
