package io.headrace.kernels.summary;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.headrace.proto.tensorflow.Event;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.Summary;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** WriteSummary, WriteScalarSummary and the like, and ImportEvent: write to an event file. */
final class WriteSummaryOps {
  /** Inputs of every op that writes a summary: the writer and the step. */
  private static final String WRITER = "(writer: resource, step: int64, ";

  private final InstantSource clock;

  private WriteSummaryOps(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * The ops.
   *
   * @param clock dates the events
   */
  static List<Op> ops(InstantSource clock) {
    WriteSummaryOps ops = new WriteSummaryOps(clock);
    return List.of(
        target("WriteSummary" + WRITER + "tensor: T, tag: string, summary_metadata: string)")
            .attrs("T: type")
            .remark("Metadata that cannot be parsed is INVALID_ARGUMENT, not left out.")
            .stateless(ops::writeTensor),
        target("WriteScalarSummary" + WRITER + "tag: string, value: T)")
            .attrs("T: " + SummaryInputs.REAL)
            .stateless(ops::writeScalar),
        target("WriteHistogramSummary" + WRITER + "tag: string, values: T)")
            .attrs("T: " + SummaryInputs.REAL.replace("}", ", bool}") + " = float")
            .stateless(call -> {
              String tag = SummaryInputs.text(call, 2);
              ops.write(call, SummaryValues.histogram(tag, call.input(3), tag));
            }),
        target("WriteImageSummary" + WRITER + "tag: string, tensor: T, bad_color: uint8)")
            .attrs("max_images: int = 3", "T: {uint8, double, float, half} = float")
            .kernel(ops::writeImage),
        target("WriteAudioSummary" + WRITER + "tag: string, tensor: float, sample_rate: float)")
            .attrs("max_outputs: int = 3")
            .kernel(ops::writeAudio),
        target("WriteGraphSummary" + WRITER + "tensor: string)").stateless(ops::writeGraph),
        target("WriteRawProtoSummary" + WRITER + "tensor: string)").stateless(ops::writeRaw),
        target("ImportEvent(writer: resource, event: string)")
            .stateless(WriteSummaryOps::importEvent));
  }

  private static Op.Builder target(String signature) {
    return SummaryWriterOps.target(signature);
  }

  private Event.Builder event(KernelCall call) {
    Tensor step = call.input(1);
    if (step.elements() != 1) {
      throw invalidArgument("step must be a scalar, got shape %s", step.shape());
    }
    Instant now = clock.instant();
    double micros = Math.floorDiv(now.getNano(), 1000);
    return Event.newBuilder()
        .setStep(step.integer(0))
        .setWallTime(now.getEpochSecond() + micros / 1e6);
  }

  private void write(KernelCall call, Summary summary) {
    SummaryWriterOps.writer(call).write(event(call).setSummary(summary).build());
  }

  private void writeTensor(KernelCall call) {
    Summary.Value.Builder value =
        Summary.Value.newBuilder()
            .setTag(SummaryInputs.text(call, 3))
            .setTensor(SummaryValues.tensor(call.input(2)));
    byte[] metadata = call.input(4).string(0);
    if (metadata.length > 0) {
      value.setMetadata(SummaryValues.metadata(metadata));
    }
    write(call, Summary.newBuilder().addValue(value).build());
  }

  private void writeScalar(KernelCall call) {
    Tensor value = call.input(3);
    if (value.elements() < 1) {
      throw invalidArgument("value must be a scalar, got shape %s", value.shape());
    }
    Summary.Value.Builder written =
        Summary.Value.newBuilder()
            .setTag(SummaryInputs.text(call, 2))
            .setSimpleValue(SummaryValues.scalar(value, 0));
    write(call, Summary.newBuilder().addValue(written).build());
  }

  private Kernel.Sync writeImage(NodeSpec node) {
    long maxImages = SummaryInputs.atLeastOne(node, "max_images");
    return call -> {
      Tensor badColor = call.input(4);
      if (badColor.shape().rank() != 1) {
        throw invalidArgument("bad_color must be a vector, got shape %s", badColor.shape());
      }
      String tag = SummaryInputs.text(call, 2);
      write(
          call,
          ImageSummaries.summary(tag, call.input(3), maxImages, badColor, call.cancellation()));
    };
  }

  private Kernel.Sync writeAudio(NodeSpec node) {
    long maxOutputs = SummaryInputs.atLeastOne(node, "max_outputs");
    return call -> {
      float rate = SummaryInputs.sampleRate(call, 4);
      write(
          call, SummaryValues.audio(SummaryInputs.text(call, 2), call.input(3), rate, maxOutputs));
    };
  }

  private void writeGraph(KernelCall call) {
    Tensor graph = call.input(2);
    SummaryWriterOps.checkScalar(graph, "tensor");
    var _ =
        parse(graph.string(0), GraphDef::parseFrom, "Bad tf.GraphDef binary proto tensor string");
    Event event = event(call).setGraphDef(ByteString.copyFrom(graph.string(0))).build();
    SummaryWriterOps.writer(call).write(event);
  }

  private void writeRaw(KernelCall call) {
    Tensor summaries = call.input(2);
    Summary.Builder merged = Summary.newBuilder();
    for (int i = 0; i < summaries.elements(); i++) {
      Summary parsed =
          parse(
              summaries.string(i),
              Summary::parseFrom,
              "Bad tf.compat.v1.Summary binary proto tensor string at index " + i);
      merged.addAllValue(parsed.getValueList());
    }
    write(call, merged.build());
  }

  private static void importEvent(KernelCall call) {
    SummaryWriterOps.checkScalar(call.input(1), "event");
    byte[] event = call.input(1).string(0);
    SummaryWriterOps.writer(call)
        .write(parse(event, Event::parseFrom, "Bad tf.Event binary proto tensor string"));
  }

  private interface Parser<T> {
    T parse(byte[] bytes) throws InvalidProtocolBufferException;
  }

  private static <T> T parse(byte[] bytes, Parser<T> parser, String message) {
    try {
      return parser.parse(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw new StatusException(StatusCode.DATA_LOSS, message, e);
    }
  }
}
