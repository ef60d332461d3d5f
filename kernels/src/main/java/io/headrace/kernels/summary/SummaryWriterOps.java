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
import io.headrace.runtime.op.ShapeRules;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/** Ops that write summaries to event files of the machine that they run on. */
final class SummaryWriterOps {
  /** Inputs of every op that writes a summary: the writer and the step. */
  private static final String WRITER = "(writer: resource, step: int64, ";

  private final Ticker ticker;
  private final InstantSource clock;

  private SummaryWriterOps(Ticker ticker, InstantSource clock) {
    this.ticker = ticker;
    this.clock = clock;
  }

  /** The ops, with the clocks by which events are dated and handed to files. */
  static List<Op> ops(Ticker ticker, InstantSource clock) {
    SummaryWriterOps ops = new SummaryWriterOps(ticker, clock);
    return List.of(
        Op.define("SummaryWriter() -> writer: resource")
            .attrs("shared_name: string = ''", "container: string = ''")
            .stateful()
            .shape(ShapeRules.SCALAR)
            .kernel(SummaryWriterOps::handle),
        target(
                "CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32,"
                    + " flush_millis: int32, filename_suffix: string)")
            .stateless(ops::create),
        target("FlushSummaryWriter(writer: resource)").stateless(call -> writer(call).flush()),
        target("CloseSummaryWriter(writer: resource)")
            .stateless(call -> EventWriterResource.of(call.input(0)).end()),
        target("WriteSummary" + WRITER + "tensor: T, tag: string, summary_metadata: string)")
            .attrs("T: type")
            .remark("Metadata that cannot be parsed is INVALID_ARGUMENT, not left out.")
            .stateless(ops::writeTensor),
        target("WriteScalarSummary" + WRITER + "tag: string, value: T)")
            .attrs("T: " + MakeSummaryOps.REAL)
            .stateless(ops::writeScalar),
        target("WriteHistogramSummary" + WRITER + "tag: string, values: T)")
            .attrs("T: " + MakeSummaryOps.REAL.replace("}", ", bool}") + " = float")
            .stateless(call -> {
              String tag = MakeSummaryOps.text(call, 2);
              ops.write(call, Summaries.histogram(tag, call.input(3), tag));
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
            .stateless(SummaryWriterOps::importEvent));
  }

  /** An op without outputs. */
  private static Op.Builder target(String signature) {
    return Op.define(signature).stateful().shape(_ -> List.of());
  }

  private static Kernel.Sync handle(NodeSpec node) {
    String container = node.attrs().string("container");
    String shared = node.attrs().string("shared_name");
    String name = shared.isEmpty() ? node.name() : shared;
    return call ->
        call.setOutput(
            0,
            Tensor.resource(
                call.resources()
                    .lookupOrCreate(
                        container,
                        name,
                        EventWriterResource.class,
                        () -> new EventWriterResource(name))));
  }

  private static EventWriter writer(KernelCall call) {
    return EventWriterResource.of(call.input(0)).writer();
  }

  private static void checkScalar(Tensor tensor, String name) {
    if (tensor.shape().rank() != 0) {
      throw invalidArgument("%s must be a scalar", name);
    }
  }

  private void create(KernelCall call) {
    checkScalar(call.input(1), "logdir");
    checkScalar(call.input(2), "max_queue");
    checkScalar(call.input(3), "flush_millis");
    checkScalar(call.input(4), "filename_suffix");
    String folder = MakeSummaryOps.text(call, 1);
    long maxQueue = call.input(2).integer(0);
    Duration flushAfter = Duration.ofMillis(call.input(3).integer(0));
    String suffix = MakeSummaryOps.text(call, 4);
    EventWriterResource.of(call.input(0))
        .begin(() -> EventWriter.open(folder, maxQueue, flushAfter, suffix, ticker, clock));
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
    writer(call).write(event(call).setSummary(summary).build());
  }

  private void writeTensor(KernelCall call) {
    Summary.Value.Builder value =
        Summary.Value.newBuilder()
            .setTag(MakeSummaryOps.text(call, 3))
            .setTensor(Summaries.tensor(call.input(2)));
    byte[] metadata = call.input(4).string(0);
    if (metadata.length > 0) {
      value.setMetadata(Summaries.metadata(metadata));
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
            .setTag(MakeSummaryOps.text(call, 2))
            .setSimpleValue(Summaries.scalar(value, 0));
    write(call, Summary.newBuilder().addValue(written).build());
  }

  private Kernel.Sync writeImage(NodeSpec node) {
    long maxImages = MakeSummaryOps.atLeastOne(node, "max_images");
    return call -> {
      Tensor badColor = call.input(4);
      if (badColor.shape().rank() != 1) {
        throw invalidArgument("bad_color must be a vector, got shape %s", badColor.shape());
      }
      String tag = MakeSummaryOps.text(call, 2);
      write(
          call,
          ImageSummaries.summary(tag, call.input(3), maxImages, badColor, call.cancellation()));
    };
  }

  private Kernel.Sync writeAudio(NodeSpec node) {
    long maxOutputs = MakeSummaryOps.atLeastOne(node, "max_outputs");
    return call -> {
      float rate = MakeSummaryOps.sampleRate(call, 4);
      write(call, Summaries.audio(MakeSummaryOps.text(call, 2), call.input(3), rate, maxOutputs));
    };
  }

  private void writeGraph(KernelCall call) {
    Tensor graph = call.input(2);
    checkScalar(graph, "tensor");
    var _ =
        parse(graph.string(0), GraphDef::parseFrom, "Bad tf.GraphDef binary proto tensor string");
    writer(call).write(event(call).setGraphDef(ByteString.copyFrom(graph.string(0))).build());
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
    checkScalar(call.input(1), "event");
    byte[] event = call.input(1).string(0);
    writer(call).write(parse(event, Event::parseFrom, "Bad tf.Event binary proto tensor string"));
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
