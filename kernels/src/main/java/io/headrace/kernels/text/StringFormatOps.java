package io.headrace.kernels.text;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.PerElement;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.Strings;
import io.headrace.kernels.kit.TensorListing;
import io.headrace.kernels.movement.SegmentOps;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Ops that format text, join it by segment and cut it into n-grams. */
final class StringFormatOps {
  private StringFormatOps() {}

  static List<Op> ops() {
    List<Op> ops = new ArrayList<>(UnicodeOps.ops());
    ops.add(
        Op.define("StringFormat(inputs: [T]) -> output: string")
            .attrs(
                "T: list(type)",
                "template: string = \"%s\"",
                "placeholder: string = \"%s\"",
                "summarize: int = 3")
            .shape(in -> {
              parts(in.attrs().string("template"), in.attrs().string("placeholder"), in.count());
              return List.of(Shape.SCALAR);
            })
            .kernel(StringFormatOps::formatter));
    ops.add(
        Op.define(
                "UnsortedSegmentJoin(inputs: string, segment_ids: Tindices, num_segments:"
                    + " Tnumsegments) -> output: string")
            .attrs(
                "separator: string = \"\"",
                "Tindices: {int32, int64}",
                "Tnumsegments: {int32, int64} = int32")
            .shape(SegmentOps::unsortedRule)
            .kernel(node -> {
              byte[] separator = Strings.attr(node.attrs(), "separator");
              return call -> segmentJoin(call, separator);
            }));
    ops.add(
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
            .shape(StringFormatOps::ngramsRule)
            .kernel(node -> new StringNgrams(node.attrs())::compute));
    ops.add(
        Op.define("DecodeCompressed(bytes: string) -> output: string")
            .attrs("compression_type: string = \"\"")
            .remark("ZSTD is not supported.")
            .shape(ShapeRules.SAME)
            .kernel(node -> {
              Inflating inflating = Inflating.ofName(node.attrs().string("compression_type"));
              return new PerElement(input -> Strings.map(input, inflating::inflate));
            }));
    return ops;
  }

  /** What lies between the placeholders of a template, one for each of {@code inputs}. */
  private static List<String> parts(String template, String placeholder, int inputs) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    if (placeholder.isEmpty()) {
      template.codePoints().forEach(c -> parts.add(Character.toString(c)));
    } else {
      for (int at = template.indexOf(placeholder); at >= 0; ) {
        parts.add(template.substring(from, at));
        from = at + placeholder.length();
        at = template.indexOf(placeholder, from);
      }
      parts.add(template.substring(from));
    }
    if (parts.size() - 1 != inputs) {
      throw invalidArgument(
          "num placeholders in template and num inputs must match: %d vs. %d",
          parts.size() - 1, inputs);
    }
    return parts;
  }

  private static Kernel.Sync formatter(NodeSpec node) {
    List<String> parts =
        parts(
            node.attrs().string("template"),
            node.attrs().string("placeholder"),
            node.inputTypes().size());
    long summarize = node.attrs().integer("summarize");
    return call -> {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      text.writeBytes(Strings.bytes(parts.getFirst()));
      for (int i = 0; i < call.inputs(); i++) {
        text.writeBytes(TensorListing.of(call.input(i), summarize));
        text.writeBytes(Strings.bytes(parts.get(i + 1)));
      }
      call.setOutput(0, Tensor.scalar(text.toByteArray()));
    };
  }

  private static void segmentJoin(KernelCall call, byte[] separator) {
    Tensor inputs = call.input(0);
    Tensor ids = call.input(1);
    Tensor count = call.input(2);
    checkSegments(inputs.shape(), ids.shape(), count);
    long segments = count.integer(0);
    Shape inner = inputs.shape().dropFirst(ids.shape().rank());
    Shape shape = inner.prepend(segments);
    byte[][] joined = (byte[][]) TensorLimit.allocate(DataType.STRING, shape);
    int block = inner.elements();
    ByteArrayOutputStream[] texts = new ByteArrayOutputStream[joined.length];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = new ByteArrayOutputStream();
    }
    for (int i = 0; i < ids.elements(); i++) {
      call.cancellation().check();
      long id = ids.integer(i);
      if (id < 0 || id >= segments) {
        throw invalidArgument(
            "segment_ids are not allowed to exceed num_segments or to have negative values.");
      }
      for (int j = 0; j < block; j++) {
        ByteArrayOutputStream text = texts[(int) id * block + j];
        if (text.size() > 0) {
          text.writeBytes(separator);
        }
        text.writeBytes(inputs.string(i * block + j));
      }
    }
    for (int i = 0; i < texts.length; i++) {
      joined[i] = texts[i].toByteArray();
    }
    call.setOutput(0, Tensor.of(DataType.STRING, shape, joined));
  }

  private static void checkSegments(Shape inputs, Shape ids, Tensor count) {
    if (count.elements() == 0) {
      throw invalidArgument("Number of segments cannot be empty.");
    }
    if (count.integer(0) < 0) {
      throw invalidArgument("Number of segments must be non-negative but got %d", count.integer(0));
    }
    if (ids.rank() == 0) {
      throw invalidArgument("Segment_id cannot have rank 0");
    }
    if (ids.rank() > inputs.rank()) {
      throw StatusException.of(
          StatusCode.OUT_OF_RANGE,
          "Invalid segment_id rank %d for input with %d dimension(s)",
          ids.rank(),
          inputs.rank());
    }
    for (int axis = 0; axis < ids.rank(); axis++) {
      if (ids.size(axis) != inputs.size(axis)) {
        throw invalidArgument(
            "Segment dimension is %d while input dimension is %d in rank %d",
            ids.size(axis), inputs.size(axis), axis);
      }
    }
  }

  private static List<Shape> ngramsRule(ShapeRule.Inputs in) {
    Shapes.withRank(in.shape(0), 1);
    return List.of(Shape.of(Shape.UNKNOWN_DIMENSION), Shapes.withRank(in.shape(1), 1));
  }
}
