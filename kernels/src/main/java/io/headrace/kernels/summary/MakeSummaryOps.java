package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.kernels.kit.Strings;
import io.headrace.proto.tensorflow.Summary;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Ops that make summaries: serialized Summary messages, which clients write to event files. */
final class MakeSummaryOps {
  /** The dtypes that a number of a summary may have. */
  static final String REAL =
      "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";

  private MakeSummaryOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ScalarSummary(tags: string, values: T) -> summary: string")
            .attrs("T: " + REAL)
            .shape(ShapeRules.SCALAR)
            .stateless(MakeSummaryOps::scalars),
        Op.define("HistogramSummary(tag: string, values: T) -> summary: string")
            .attrs("T: " + REAL + " = float")
            .shape(ShapeRules.SCALAR)
            .kernel(node ->
                call -> {
                  if (call.input(0).shape().rank() != 0) {
                    throw invalidArgument("tags must be scalar");
                  }
                  set(call, Summaries.histogram(text(call, 0), call.input(1), node.name()));
                }),
        Op.define("MergeSummary(inputs: N * string) -> summary: string")
            .attrs("N: int")
            .shape(ShapeRules.SCALAR)
            .stateless(MakeSummaryOps::merge),
        Op.define("ImageSummary(tag: string, tensor: T) -> summary: string")
            .attrs(
                "max_images: int = 3",
                "T: {uint8, float, half, double} = float",
                "bad_color: tensor = uint8[255 0 0 255]")
            .shape(ShapeRules.SCALAR)
            .remark("The same pixels, not the same bytes: the JDK's zlib compresses otherwise.")
            .kernel(MakeSummaryOps::image),
        Op.define(
                "AudioSummaryV2(tag: string, tensor: float, sample_rate: float) -> summary: string")
            .attrs("max_outputs: int = 3")
            .shape(ShapeRules.SCALAR)
            .kernel(node -> {
              long maxOutputs = atLeastOne(node, "max_outputs");
              return call -> audio(call, maxOutputs);
            }),
        Op.define("TensorSummary(tensor: T) -> summary: string")
            .attrs(
                "T: type",
                "description: string = ''",
                "labels: list(string) = []",
                "display_name: string = ''")
            .shape(ShapeRules.SCALAR)
            .kernel(node ->
                call ->
                    set(
                        call,
                        Summary.newBuilder()
                            .addValue(
                                Summary.Value.newBuilder()
                                    .setNodeName(node.name())
                                    .setTensor(Summaries.tensor(call.input(0))))
                            .build())),
        Op.define(
                "TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string) ->"
                    + " summary: string")
            .attrs("T: type")
            .shape(ShapeRules.SCALAR)
            .remark("Metadata that cannot be parsed is INVALID_ARGUMENT, not left out.")
            .stateless(MakeSummaryOps::tensor));
  }

  /** An attr that counts from 1 on. */
  static long atLeastOne(NodeSpec node, String name) {
    long value = node.attrs().integer(name);
    if (value < 1 || value > Integer.MAX_VALUE) {
      throw invalidArgument("%s must be from 1 up to 2^31 - 1, got %d", name, value);
    }
    return value;
  }

  /** The single string of input {@code index}. */
  static String text(KernelCall call, int index) {
    Tensor tensor = call.input(index);
    if (tensor.elements() != 1) {
      throw invalidArgument("input %d must be a scalar, got shape %s", index, tensor.shape());
    }
    return Strings.text(tensor.string(0));
  }

  /** The single number of input {@code index}. */
  static float sampleRate(KernelCall call, int index) {
    Tensor rate = call.input(index);
    if (rate.elements() != 1) {
      throw invalidArgument("sample_rate must be a scalar, got shape %s", rate.shape());
    }
    return rate.floats()[0];
  }

  private static void set(KernelCall call, Summary summary) {
    call.setOutput(0, Tensor.scalar(summary.toByteArray()));
  }

  private static void scalars(KernelCall call) {
    Tensor tags = call.input(0);
    Tensor values = call.input(1);
    if (!tags.shape().equals(values.shape())) {
      throw invalidArgument(
          "tags and values are not the same shape: %s != %s%s",
          tags.shape(),
          values.shape(),
          tags.elements() == 1 ? " (tag '" + Strings.text(tags.string(0)) + "')" : "");
    }
    Summary.Builder summary = Summary.newBuilder();
    for (int i = 0; i < tags.elements(); i++) {
      summary
          .addValueBuilder()
          .setTag(Strings.text(tags.string(i)))
          .setSimpleValue(Summaries.scalar(values, i));
    }
    set(call, summary.build());
  }

  private static void merge(KernelCall call) {
    Summary.Builder merged = Summary.newBuilder();
    Set<String> tags = new HashSet<>();
    for (int input = 0; input < call.inputs(); input++) {
      Tensor summaries = call.input(input);
      for (int i = 0; i < summaries.elements(); i++) {
        for (Summary.Value value : parse(summaries.string(i)).getValueList()) {
          if (!value.getTag().isEmpty() && !tags.add(value.getTag())) {
            throw invalidArgument("Duplicate tag %s found in summary inputs ", value.getTag());
          }
          merged.addValue(value);
        }
      }
    }
    set(call, merged.build());
  }

  private static Summary parse(byte[] serialized) {
    try {
      return Summary.parseFrom(serialized);
    } catch (InvalidProtocolBufferException _) {
      throw invalidArgument("Could not parse one of the summary inputs");
    }
  }

  private static Kernel.Sync image(NodeSpec node) {
    long maxImages = atLeastOne(node, "max_images");
    Tensor badColor = node.attrs().tensor("bad_color");
    if (badColor.dtype() != DataType.UINT8) {
      throw invalidArgument("bad_color must be uint8, got %s", badColor.dtype().tfName());
    }
    if (badColor.shape().rank() != 1) {
      throw invalidArgument("bad_color must be a vector, got shape %s", badColor.shape());
    }
    return call -> {
      if (call.input(0).shape().rank() != 0) {
        throw invalidArgument("Tags must be a scalar");
      }
      String tag = text(call, 0);
      set(
          call,
          ImageSummaries.summary(tag, call.input(1), maxImages, badColor, call.cancellation()));
    };
  }

  private static void audio(KernelCall call, long maxOutputs) {
    if (call.input(0).shape().rank() != 0) {
      throw invalidArgument("Tag must be a scalar");
    }
    set(call, Summaries.audio(text(call, 0), call.input(1), sampleRate(call, 2), maxOutputs));
  }

  private static void tensor(KernelCall call) {
    if (call.input(0).shape().rank() != 0) {
      throw invalidArgument("tag must be scalar");
    }
    if (call.input(2).shape().rank() != 0) {
      throw invalidArgument("serialized_summary_metadata must be scalar");
    }
    Summary.Value.Builder value =
        Summary.Value.newBuilder()
            .setTag(text(call, 0))
            .setTensor(Summaries.tensor(call.input(1)))
            .setMetadata(Summaries.metadata(call.input(2).string(0)));
    set(call, Summary.newBuilder().addValue(value).build());
  }
}
