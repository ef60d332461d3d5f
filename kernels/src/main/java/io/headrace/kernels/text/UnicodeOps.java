package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.PerElement;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeTranscode and UnicodeScript:
 * encoded text to code points and back.
 */
final class UnicodeOps {
  private static final String ENCODINGS =
      "Encodings other than UTF-8, UTF-16 and UTF-32 are decoded by Java's tables, not ICU's.";
  private static final String[] DECODING = {
    "input_encoding: string",
    "errors: string = 'replace'",
    "replacement_char: int = 65533",
    "replace_control_characters: bool = false"
  };

  private UnicodeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("UnicodeDecode(input: string) -> (row_splits: Tsplits, char_values: int32)")
            .attrs(DECODING)
            .attrs("Tsplits: {int32, int64} = int64")
            .remark(ENCODINGS)
            .shape(in -> decodeRule(in, 2))
            .kernel(node -> decoder(node, false)),
        Op.define(
                "UnicodeDecodeWithOffsets(input: string) -> (row_splits: Tsplits, char_values:"
                    + " int32, char_to_byte_starts: int64)")
            .attrs(DECODING)
            .attrs("Tsplits: {int32, int64} = int64")
            .remark(ENCODINGS)
            .shape(in -> decodeRule(in, 3))
            .kernel(node -> decoder(node, true)),
        Op.define("UnicodeTranscode(input: string) -> output: string")
            .attrs(DECODING)
            .attrs("output_encoding: string")
            .remark(ENCODINGS)
            .shape(ShapeFunctions.SAME)
            .kernel(UnicodeOps::transcoder),
        Op.define("UnicodeEncode(input_values: int32, input_splits: Tsplits) -> output: string")
            .attrs(
                "errors: string = 'replace'",
                "output_encoding: string",
                "replacement_char: int = 65533",
                "Tsplits: {int32, int64} = int64")
            .shape(UnicodeOps::encodeRule)
            .kernel(node -> {
              ErrorPolicy errors = ErrorPolicy.of(node.attrs());
              OutputEncoding output = OutputEncoding.of(node.attrs());
              return call -> encode(call, errors, output);
            }),
        Op.define("UnicodeScript(input: int32) -> output: int32")
            .shape(ShapeFunctions.SAME)
            .kernel(_ -> new PerElement(UnicodeScripts::of)));
  }

  /**
   * The handling of malformed input: the attrs {@code errors}, {@code replacement_char} and {@code
   * replace_control_characters}.
   *
   * @param ignores whether malformed characters are dropped
   * @param fails whether malformed characters fail the op
   * @param replacement the code point that replaces them otherwise
   * @param control whether the policy covers control characters up to U+001F, too
   */
  private record ErrorPolicy(boolean ignores, boolean fails, int replacement, boolean control) {
    static ErrorPolicy of(Attrs attrs) {
      String policy = attrs.string("errors");
      if (!List.of("strict", "replace", "ignore").contains(policy)) {
        throw invalidArgument(
            "errors policy must be one of 'strict', 'replace', or 'ignore', and is '%s'", policy);
      }
      long replacement = attrs.integer("replacement_char");
      if (replacement < 0 || replacement > Character.MAX_CODE_POINT) {
        throw invalidArgument("replacement_char out of unicode codepoint range");
      }
      boolean control =
          attrs.has("replace_control_characters") && attrs.bool("replace_control_characters");
      return new ErrorPolicy(
          policy.equals("ignore"), policy.equals("strict"), (int) replacement, control);
    }

    /** Whether the policy applies to this code point. */
    boolean appliesTo(int codePoint, boolean malformed) {
      return malformed || (control && codePoint <= 0x1F);
    }
  }

  /** The encoding of text outputs: the attr {@code output_encoding}. */
  private enum OutputEncoding {
    UTF_8,
    UTF_16_BE,
    UTF_32_BE;

    static OutputEncoding of(Attrs attrs) {
      String name = attrs.string("output_encoding");
      return switch (name) {
        case "UTF-8" -> UTF_8;
        case "UTF-16-BE" -> UTF_16_BE;
        case "UTF-32-BE" -> UTF_32_BE;
        default ->
            throw invalidArgument(
                "output_encoding must be UTF-8, UTF-16-BE or UTF-32-BE, and is %s", name);
      };
    }

    void write(int codePoint, ByteArrayOutputStream out) {
      switch (this) {
        case UTF_8 -> writeUtf8(codePoint, out);
        case UTF_16_BE -> {
          for (char unit : Character.toChars(codePoint)) {
            out.write(unit >> 8);
            out.write(unit);
          }
        }
        case UTF_32_BE -> {
          out.write(0);
          out.write(codePoint >> 16);
          out.write(codePoint >> 8);
          out.write(codePoint);
        }
      }
    }

    private static void writeUtf8(int codePoint, ByteArrayOutputStream out) {
      boolean surrogate =
          codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
      int c = surrogate ? CodePointDecoder.REPLACEMENT : codePoint;
      if (c < 0x80) {
        out.write(c);
        return;
      }
      int trailBytes = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
      out.write(((0xff00 >> (trailBytes + 1)) & 0xff) | (c >> (6 * trailBytes)));
      for (int i = trailBytes - 1; i >= 0; i--) {
        out.write(0x80 | ((c >> (6 * i)) & 0x3f));
      }
    }
  }

  private static List<Shape> decodeRule(ShapeFunction.Inputs in, int outputs) {
    long strings = Shapes.elements(in.shape(0));
    Shape unknown = Shape.of(Shape.UNKNOWN_DIMENSION);
    Shape splits = Shape.of(strings < 0 ? strings : strings + 1);
    return outputs == 2 ? List.of(splits, unknown) : List.of(splits, unknown, unknown);
  }

  private static Kernel.Sync decoder(NodeSpec node, boolean offsets) {
    ErrorPolicy errors = ErrorPolicy.of(node.attrs());
    CodePointDecoder.Encoding encoding =
        CodePointDecoder.encoding(node.attrs().string("input_encoding"));
    DataType splitType = node.attrs().type("Tsplits");
    return call -> {
      Tensor input = call.input(0);
      Decoded decoded = new Decoded();
      CodePointDecoder.Reader reader = encoding.newReader();
      long[] splits = new long[input.elements() + 1];
      for (int i = 0; i < input.elements(); i++) {
        call.cancellation().check();
        decoded.add(reader.read(input.string(i)), errors);
        splits[i + 1] = decoded.size;
      }
      Shape shape = Shape.of(decoded.size);
      call.setOutput(0, IntegerTensors.vector(splitType, splits));
      call.setOutput(
          1, Tensor.wrap(DataType.INT32, shape, Arrays.copyOf(decoded.codePoints, decoded.size)));
      if (offsets) {
        call.setOutput(
            2, Tensor.wrap(DataType.INT64, shape, Arrays.copyOf(decoded.starts, decoded.size)));
      }
    };
  }

  /** Code points, and the byte offset of each in its string. */
  private static final class Decoded {
    private int[] codePoints = new int[64];
    private long[] starts = new long[64];
    private int size;

    void add(CodePointDecoder text, ErrorPolicy errors) {
      while (text.hasNext()) {
        int start = text.position();
        int codePoint = text.next();
        if (text.wasMalformed() && errors.fails()) {
          throw invalidArgument("Invalid formatting on input string");
        }
        boolean invalid = errors.appliesTo(codePoint, text.wasMalformed());
        if (!invalid || !errors.ignores()) {
          add(invalid ? errors.replacement() : codePoint, start);
        }
      }
    }

    private void add(int codePoint, int start) {
      if (size == codePoints.length) {
        codePoints = Arrays.copyOf(codePoints, size * 2);
        starts = Arrays.copyOf(starts, size * 2);
      }
      codePoints[size] = codePoint;
      starts[size++] = start;
    }
  }

  private static Kernel.Sync transcoder(NodeSpec node) {
    ErrorPolicy errors = ErrorPolicy.of(node.attrs());
    OutputEncoding output = OutputEncoding.of(node.attrs());
    CodePointDecoder.Encoding encoding =
        CodePointDecoder.encoding(node.attrs().string("input_encoding"));
    UnaryOperator<Tensor> transcode =
        input -> {
          CodePointDecoder.Reader reader = encoding.newReader();
          return ByteStrings.map(input, text -> transcode(reader.read(text), errors, output));
        };
    return encoding.hasState()
        ? call -> call.setOutput(0, transcode.apply(call.input(0)))
        : new PerElement(transcode);
  }

  private static byte[] transcode(
      CodePointDecoder text, ErrorPolicy errors, OutputEncoding output) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    while (text.hasNext()) {
      int codePoint = text.next();
      if (!errors.appliesTo(codePoint, text.wasMalformed())) {
        output.write(codePoint, out);
      } else if (errors.fails()) {
        throw invalidArgument("Invalid formatting on input string");
      } else if (!errors.ignores()) {
        output.write(errors.replacement(), out);
      }
    }
    return out.toByteArray();
  }

  private static List<Shape> encodeRule(ShapeFunction.Inputs in) {
    Shapes.withRank(in.shape(0), 1);
    long points = Shapes.withRank(in.shape(1), 1).size(0);
    return List.of(Shape.of(points < 0 ? points : Math.max(0, points - 1)));
  }

  private static void encode(KernelCall call, ErrorPolicy errors, OutputEncoding output) {
    Tensor values = call.input(0);
    Tensor splits = call.input(1);
    if (values.shape().rank() != 1 || splits.shape().rank() != 1) {
      throw invalidArgument(
          "input_values and input_splits must be vectors, and have the shapes %s and %s",
          values.shape(), splits.shape());
    }
    checkSplits(values, splits);
    Shape shape = Shape.of(splits.elements() - 1);
    byte[][] strings = (byte[][]) TensorLimit.allocate(DataType.STRING, shape);
    for (int i = 0; i < strings.length; i++) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      for (int j = (int) splits.integer(i); j < splits.integer(i + 1); j++) {
        write(values.integer(j), errors, output, out);
      }
      strings[i] = out.toByteArray();
    }
    call.setOutput(0, Tensor.wrap(DataType.STRING, shape, strings));
  }

  private static void checkSplits(Tensor values, Tensor splits) {
    if (splits.elements() == 0) {
      throw invalidArgument(
          "Input_splits should contain elements, but given input_values has 0 elements");
    }
    if (splits.integer(0) != 0) {
      throw invalidArgument("First value in input_splits must be zero.");
    }
    if (splits.integer(splits.elements() - 1) != values.elements()) {
      throw invalidArgument("Last value in input_splits must be equal to length of input_tensor.");
    }
    for (int i = 1; i < splits.elements(); i++) {
      if (splits.integer(i) < splits.integer(i - 1)) {
        throw invalidArgument("Values in input_splits must be equal or in ascending order.");
      }
    }
  }

  private static void write(
      long value, ErrorPolicy errors, OutputEncoding output, ByteArrayOutputStream out) {
    boolean surrogate = value >= Character.MIN_SURROGATE && value <= Character.MAX_SURROGATE;
    boolean valid = value >= 0 && value <= Character.MAX_CODE_POINT && !surrogate;
    if (!valid && errors.fails()) {
      throw invalidArgument("Code point is out of range for Unicode, or is a surrogate.");
    }
    if (valid || !errors.ignores()) {
      output.write(valid ? (int) value : errors.replacement(), out);
    }
  }
}
