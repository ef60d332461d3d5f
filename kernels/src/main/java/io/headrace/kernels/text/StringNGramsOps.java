package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;

/**
 * StringNGrams: the n-grams of each row of a ragged tensor of tokens, joined with a separator. Rows
 * may be padded on both sides.
 */
final class StringNGramsOps {
  private final byte[] separator;
  private final List<Long> widths;
  private final byte[] leftPad;
  private final byte[] rightPad;
  private final long padWidth;
  private final boolean preservesShort;

  private StringNGramsOps(Attrs attrs) {
    this.separator = ByteStrings.attr(attrs, "separator");
    this.widths = attrs.integers("ngram_widths");
    this.leftPad = ByteStrings.attr(attrs, "left_pad");
    this.rightPad = ByteStrings.attr(attrs, "right_pad");
    this.padWidth = attrs.integer("pad_width");
    this.preservesShort = attrs.bool("preserve_short_sequences");
  }

  static List<Op> ops() {
    return List.of(
        Op.define(
                "StringNGrams(data: string, data_splits: Tsplits) -> (ngrams: string,"
                    + " ngrams_splits: Tsplits)")
            .attrs(
                "separator: string",
                "ngram_widths: list(int)",
                "left_pad: string",
                "right_pad: string",
                "pad_width: int",
                "preserve_short_sequences: bool",
                "Tsplits: {int32, int64} = int64")
            .shape(StringNGramsOps::infer)
            .kernel(node -> new StringNGramsOps(node.attrs())::compute));
  }

  private static List<Shape> infer(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 1);
    return List.of(Shape.of(Shape.UNKNOWN_DIMENSION), Shapes.withRank(in.shape(1), 1));
  }

  /** The padding on each side: below {@code width}, so that no n-gram is padding alone. */
  private long padding(long width) {
    return Math.min(padWidth < 0 ? width - 1 : padWidth, width - 1);
  }

  private long count(long length, long width) {
    return Math.max(0, length + 2 * padding(width) - width + 1);
  }

  void compute(KernelCall call) {
    for (long width : widths) {
      if (width <= 0) {
        throw invalidArgument("ngram_widths must contain positive values");
      }
    }
    Tensor data = call.input(0);
    Tensor splits = call.input(1);
    checkSplits(splits, data.elements());
    int rows = splits.elements() - 1;
    boolean empty = data.elements() == 0 || rows < 0;
    long[] outSplits = new long[splits.elements()];
    for (int row = 0; row < rows && !empty; row++) {
      outSplits[row + 1] = outSplits[row] + count(splits.integer(row + 1) - splits.integer(row));
    }
    Shape shape = empty ? data.shape() : Shape.of(outSplits[rows]);
    byte[][] ngrams = (byte[][]) TensorLimit.allocate(DataType.STRING, shape);
    Arrays.fill(ngrams, ByteStrings.EMPTY);
    for (int row = 0; row < rows && !empty; row++) {
      call.cancellation().check();
      int length = (int) (splits.integer(row + 1) - splits.integer(row));
      new Row(data, (int) splits.integer(row), length, ngrams, (int) outSplits[row]).add();
    }
    call.setOutput(0, Tensor.wrap(DataType.STRING, shape, ngrams));
    call.setOutput(1, IntegerTensors.vector(splits.dtype(), outSplits));
  }

  private static void checkSplits(Tensor splits, int size) {
    if (splits.elements() == 0) {
      return;
    }
    if (splits.integer(0) != 0) {
      throw invalidArgument("First split value must be 0, got %d", splits.integer(0));
    }
    for (int i = 1; i < splits.elements(); i++) {
      if (splits.integer(i) < splits.integer(i - 1) || splits.integer(i) > size) {
        throw invalidArgument(
            "Invalid split value %d, must be in [%d, %d]",
            splits.integer(i), splits.integer(i - 1), size);
      }
    }
    long last = splits.integer(splits.elements() - 1);
    if (last != size) {
      throw invalidArgument("Last split value must be data size. Expected %d, got %d", size, last);
    }
  }

  private long count(long length) {
    long count = 0;
    for (long width : widths) {
      count += count(length, width);
    }
    return preservesShort && length > 0 && count == 0 ? 1 : count;
  }

  /** The n-grams of one row. */
  private final class Row {
    private final Tensor data;
    private final int first;
    private final int length;
    private final byte[][] ngrams;
    private final int from;
    private int at;

    Row(Tensor data, int first, int length, byte[][] ngrams, int from) {
      this.data = data;
      this.first = first;
      this.length = length;
      this.ngrams = ngrams;
      this.from = from;
      this.at = from;
    }

    void add() {
      for (long width : widths) {
        add(count(length, width), width);
      }
      if (preservesShort && at == from && length > 0) {
        if (padWidth < 0) {
          throw invalidArgument(
              "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are"
                  + " not provided, got %d",
              padWidth);
        }
        add(1, length + 2 * padWidth);
      }
    }

    private void add(long count, long width) {
      long padding = padding(width);
      for (long i = 0; i < count; i++) {
        long left = Math.max(0, padding - i);
        long right = Math.max(0, padding - (count - (i + 1)));
        int token = left > 0 ? 0 : (int) (i - padding);
        ngrams[at++] = ngram(left, token, (int) (width - left - right), right);
      }
    }

    private byte[] ngram(long left, int token, int tokens, long right) {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      for (long i = 0; i < left; i++) {
        add(text, leftPad, i == 0);
      }
      for (int i = 0; i < tokens; i++) {
        add(text, data.string(first + token + i), left == 0 && i == 0);
      }
      for (long i = 0; i < right; i++) {
        add(text, rightPad, left == 0 && tokens <= 0 && i == 0);
      }
      return text.toByteArray();
    }

    private void add(ByteArrayOutputStream text, byte[] part, boolean isFirst) {
      if (!isFirst) {
        text.writeBytes(separator);
      }
      text.writeBytes(part);
    }
  }
}
