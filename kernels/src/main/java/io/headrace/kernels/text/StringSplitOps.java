package io.headrace.kernels.text;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * StringSplit and StringSplitV2: the tokens of a vector of strings, as a sparse matrix with a row
 * for each string.
 */
final class StringSplitOps {
  private StringSplitOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "StringSplit(input: string, delimiter: string)"
                    + " -> (indices: int64, values: string, shape: int64)")
            .attrs("skip_empty: bool = true")
            .shape(StringSplitOps::infer)
            .kernel(node -> {
              boolean skipEmpty = node.attrs().bool("skip_empty");
              return call -> {
                checkVector(call.input(0));
                byte[] delimiters = scalar(call.input(1), "delimiter");
                set(call, text -> splitAtAny(text, delimiters, skipEmpty));
              };
            }),
        Op.define(
                "StringSplitV2(input: string, sep: string)"
                    + " -> (indices: int64, values: string, shape: int64)")
            .attrs("maxsplit: int = -1")
            .shape(StringSplitOps::infer)
            .kernel(node -> {
              long maxSplit = node.attrs().integer("maxsplit");
              return call -> {
                checkVector(call.input(0));
                byte[] separator = scalar(call.input(1), "sep");
                set(call, text -> split(text, separator, maxSplit));
              };
            }));
  }

  private static List<Shape> infer(ShapeFunction.Inputs inputs) {
    return List.of(
        Shape.of(Shape.UNKNOWN_DIMENSION, 2), Shape.of(Shape.UNKNOWN_DIMENSION), Shape.of(2));
  }

  private static void checkVector(Tensor input) {
    if (input.shape().rank() != 1) {
      throw StatusException.invalidArgument("input must be a vector, got shape: %s", input.shape());
    }
  }

  private static byte[] scalar(Tensor scalar, String name) {
    if (scalar.shape().rank() != 0) {
      throw StatusException.invalidArgument(
          "%s must be a scalar, got shape: %s", name, scalar.shape());
    }
    return scalar.string(0);
  }

  private static void set(KernelCall call, Function<byte[], List<byte[]>> split) {
    Tensor input = call.input(0);
    List<byte[]> tokens = new ArrayList<>();
    int[] counts = new int[input.elements()];
    int longest = 0;
    for (int i = 0; i < counts.length; i++) {
      List<byte[]> parts = split.apply(input.string(i));
      tokens.addAll(parts);
      counts[i] = parts.size();
      longest = Math.max(longest, counts[i]);
    }
    Shape shape = Shape.of(tokens.size(), 2);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, shape);
    int at = 0;
    for (int i = 0; i < counts.length; i++) {
      for (int j = 0; j < counts[i]; j++) {
        indices[at++] = i;
        indices[at++] = j;
      }
    }
    call.setOutput(0, Tensor.wrap(DataType.INT64, shape, indices));
    call.setOutput(
        1, Tensor.wrap(DataType.STRING, Shape.of(tokens.size()), tokens.toArray(byte[][]::new)));
    call.setOutput(2, Tensor.vector((long) counts.length, (long) longest));
  }

  /** Splits at every byte in {@code delimiters}; into single bytes if that is empty. */
  private static List<byte[]> splitAtAny(byte[] text, byte[] delimiters, boolean skipEmpty) {
    List<byte[]> parts = new ArrayList<>();
    int from = 0;
    if (delimiters.length == 0) {
      for (byte b : text) {
        parts.add(new byte[] {b});
      }
      return parts;
    }
    for (int i = 0; i <= text.length && text.length > 0; i++) {
      if (i == text.length || contains(delimiters, text[i])) {
        if (i > from || !skipEmpty) {
          parts.add(Arrays.copyOfRange(text, from, i));
        }
        from = i + 1;
      }
    }
    return parts;
  }

  private static boolean contains(byte[] set, byte b) {
    for (byte element : set) {
      if (element == b) {
        return true;
      }
    }
    return false;
  }

  /** Splits as Python's {@code split}: at {@code separator}, or if empty at white space runs. */
  private static List<byte[]> split(byte[] text, byte[] separator, long maxSplit) {
    List<byte[]> parts = new ArrayList<>();
    if (maxSplit == 0) {
      parts.add(text);
    } else if (separator.length == 0) {
      splitAtSpaces(text, maxSplit, parts);
    } else {
      int from = 0;
      int at = ByteStrings.indexOf(text, separator, 0);
      while (at >= 0 && (maxSplit < 0 || parts.size() < maxSplit)) {
        parts.add(Arrays.copyOfRange(text, from, at));
        from = at + separator.length;
        at = ByteStrings.indexOf(text, separator, from);
      }
      parts.add(Arrays.copyOfRange(text, from, text.length));
    }
    return parts;
  }

  private static void splitAtSpaces(byte[] text, long maxSplit, List<byte[]> parts) {
    int from = skipSpaces(text, 0);
    while (from < text.length) {
      int to = from;
      while (to < text.length && !ByteStrings.isSpace(text[to])) {
        to++;
      }
      parts.add(Arrays.copyOfRange(text, from, to));
      from = skipSpaces(text, to);
      if (parts.size() == maxSplit) {
        parts.add(Arrays.copyOfRange(text, from, text.length));
        return;
      }
    }
  }

  private static int skipSpaces(byte[] text, int from) {
    int at = from;
    while (at < text.length && ByteStrings.isSpace(text[at])) {
      at++;
    }
    return at;
  }
}
