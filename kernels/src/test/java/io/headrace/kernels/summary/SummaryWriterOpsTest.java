package io.headrace.kernels.summary;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.headrace.kernels.FakeCall;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.Event;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.Summary;
import io.headrace.proto.tensorflow.SummaryMetadata;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.elementwise.CpuKernels;
import io.headrace.runtime.file.MaskedCrc32c;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.FunctionLookup;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events that the ops write to event files, and when. */
final class SummaryWriterOpsTest {
  @TempDir private Path folder;

  private final Resources resources = new Resources("localhost");
  private final StepContext step = new StepContext(1, Device.HOST, resources, new Cancellation());
  private final Instant now = Instant.parse("2026-01-02T03:04:05.678901234Z");
  private long nanos;
  private final List<Op> ops = SummaryFamily.ops(() -> now, () -> nanos);

  @AfterEach
  void close() {
    resources.close();
  }

  private List<Tensor> run(String name, Map<String, AttrValue> attrs, Tensor... inputs) {
    Op op = ops.stream().filter(o -> o.name().equals(name)).findFirst().orElseThrow();
    NodeSpec node = NodeSpec.of("node", op, new Attrs("node", op, attrs), FunctionLookup.none());
    FakeCall call = FakeCall.of(List.of(inputs), step);
    ((Kernel.Sync) CpuKernels.create(node)).compute(call);
    return call.outputs(node.outputTypes().size());
  }

  private static AttrValue type(DataType dtype) {
    return AttrValue.newBuilder().setTypeValue(dtype.number()).build();
  }

  private Tensor writer() {
    return run("SummaryWriter", Map.of()).getFirst();
  }

  private Tensor create(int maxQueue, int flushMillis) {
    Tensor writer = writer();
    run(
        "CreateSummaryFileWriter",
        Map.of(),
        writer,
        Tensor.scalar(folder.resolve("logs/run").toString()),
        Tensor.scalar(maxQueue),
        Tensor.scalar(flushMillis),
        Tensor.scalar(".v2"));
    return writer;
  }

  private void writeScalar(Tensor writer, long at, float value) {
    Map<String, AttrValue> attrs = Map.of("T", type(DataType.FLOAT32));
    Tensor tag = Tensor.scalar("loss");
    run("WriteScalarSummary", attrs, writer, Tensor.scalar(at), tag, Tensor.scalar(value));
  }

  /** The events after the first, which carries the file version, of the only file. */
  private List<Event> events() {
    List<Event> events = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder.resolve("logs/run"))) {
      List<Path> all = files.toList();
      assertThat(all).hasSize(1);
      assertThat(all.getFirst().getFileName().toString())
          .matches("events\\.out\\.tfevents\\.1767323045\\..+\\.[0-9]+\\.[0-9]+\\.v2");
      ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(all.getFirst()));
      in.order(ByteOrder.LITTLE_ENDIAN);
      while (in.hasRemaining()) {
        assertThat(in.getInt(in.position() + 8))
            .isEqualTo(MaskedCrc32c.of(in.array(), in.position(), 8));
        byte[] event = new byte[(int) in.getLong()];
        in.position(in.position() + 4).get(event);
        assertThat(in.getInt()).isEqualTo(MaskedCrc32c.of(event, 0, event.length));
        events.add(Event.parseFrom(event));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    assertThat(events.getFirst().getFileVersion()).isEqualTo("brain.Event:2");
    return events.subList(1, events.size());
  }

  private static void assertFails(StatusCode code, String message, ThrowingCallable failing) {
    assertThatThrownBy(failing)
        .hasMessageContaining(message)
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(code));
  }

  @Test
  void events_reachTheFile_whenTooManyWait() {
    Tensor writer = create(2, 1_000_000);
    assertThat(events()).isEmpty();
    writeScalar(writer, 1, 0.5f);
    writeScalar(writer, 2, 0.25f);
    assertThat(events()).isEmpty();
    writeScalar(writer, 3, 0.125f);
    assertThat(events()).extracting(Event::getStep).containsExactly(1L, 2L, 3L);
    Event first = events().getFirst();
    assertThat(first.getWallTime()).isEqualTo(1767323045.678901);
    assertThat(first.getSummary().getValue(0).getTag()).isEqualTo("loss");
    assertThat(first.getSummary().getValue(0).getSimpleValue()).isEqualTo(0.5f);
  }

  @Test
  void events_reachTheFile_whenTheLastDidSoLongAgo() {
    Tensor writer = create(100, 2000);
    nanos += Duration.ofSeconds(2).toNanos();
    writeScalar(writer, 1, 0.5f);
    assertThat(events()).isEmpty();
    nanos += 1;
    writeScalar(writer, 2, 0.5f);
    assertThat(events()).hasSize(2);
    writeScalar(writer, 3, 0.5f);
    assertThat(events()).hasSize(2);
    run("FlushSummaryWriter", Map.of(), writer);
    assertThat(events()).hasSize(3);
  }

  @Test
  void events_reachTheFile_beforeTheyTakeMuchMemory() {
    Tensor writer = create(1_000_000, 1_000_000);
    Tensor large = Tensor.scalar("x".repeat(600_000));
    for (int i = 0; i < 2; i++) {
      run(
          "WriteSummary",
          Map.of("T", type(DataType.STRING)),
          writer,
          Tensor.scalar((long) i),
          large,
          Tensor.scalar("t"),
          Tensor.scalar(""));
    }
    assertThat(events()).hasSize(2);
  }

  @Test
  void close_flushesAndEndsTheWriter() {
    Tensor writer = create(100, 1_000_000);
    writeScalar(writer, 1, 0.5f);
    run("CloseSummaryWriter", Map.of(), writer);
    assertThat(events()).hasSize(1);
    assertFails(StatusCode.NOT_FOUND, "does not exist", () -> writeScalar(writer, 2, 1));
    assertFails(
        StatusCode.NOT_FOUND, "does not exist", () -> run("CloseSummaryWriter", Map.of(), writer));
  }

  @Test
  void writer_ofTheSameName_isTheSame_untilItsContainerIsCleared() {
    create(100, 1_000_000);
    create(100, 1_000_000);
    writeScalar(writer(), 1, 0.5f);
    resources.clear("");
    assertThat(events()).hasSize(1);
    assertFails(StatusCode.NOT_FOUND, "does not exist", () -> writeScalar(writer(), 1, 1));
  }

  @Test
  void everyKind_isAnEvent() {
    Tensor writer = create(0, 1_000_000);
    Tensor at = Tensor.scalar(7L);
    Tensor tag = Tensor.scalar("t");
    SummaryMetadata shown = SummaryMetadata.newBuilder().setDisplayName("shown").build();
    Tensor values = Tensor.vector(1, 2, 3);
    Map<String, AttrValue> ints = new HashMap<>(Map.of("T", type(DataType.INT32)));
    run("WriteSummary", ints, writer, at, values, tag, Tensor.scalar(shown.toByteArray()));
    run("WriteHistogramSummary", ints, writer, at, tag, values);
    Tensor image = Tensor.wrap(DataType.UINT8, Shape.of(1, 2, 2, 1), new byte[] {0, 1, 2, 3});
    Tensor color = Tensor.wrap(DataType.UINT8, Shape.of(4), new byte[] {-1, 0, 0, -1});
    Map<String, AttrValue> bytes = Map.of("T", type(DataType.UINT8));
    run("WriteImageSummary", bytes, writer, at, tag, image, color);
    Tensor sound = Tensor.vector(0f, 1, -1).reshape(Shape.of(1, 3));
    run("WriteAudioSummary", Map.of(), writer, at, tag, sound, Tensor.scalar(8000f));
    GraphDef graph = GraphDef.newBuilder().build();
    run("WriteGraphSummary", Map.of(), writer, at, Tensor.scalar(graph.toByteArray()));
    Event event = Event.newBuilder().setStep(99).setWallTime(3.5).build();
    run("ImportEvent", Map.of(), writer, Tensor.scalar(event.toByteArray()));
    Summary summary =
        Summary.newBuilder().addValue(Summary.Value.newBuilder().setTag("raw")).build();
    Tensor twice = Tensor.vector("", "");
    byte[][] both = {summary.toByteArray(), summary.toByteArray()};
    run(
        "WriteRawProtoSummary",
        Map.of(),
        writer,
        at,
        Tensor.wrap(DataType.STRING, twice.shape(), both));

    List<Event> events = events();
    assertThat(value(events.get(0)).getMetadata()).isEqualTo(shown);
    assertThat(TensorProtos.read(value(events.get(0)).getTensor()).ints()).containsExactly(1, 2, 3);
    assertThat(value(events.get(1)).getHisto().getSum()).isEqualTo(6);
    assertThat(value(events.get(2)).getTag()).isEqualTo("t/image/0");
    assertThat(value(events.get(2)).getImage().getEncodedImageString().substring(1, 4))
        .isEqualTo(ByteString.copyFrom("PNG", UTF_8));
    assertThat(value(events.get(3)).getAudio().getLengthFrames()).isEqualTo(3);
    assertThat(events.get(4).hasGraphDef()).isTrue();
    assertThat(events.get(5)).isEqualTo(event);
    assertThat(events.get(6).getSummary().getValueCount()).isEqualTo(2);
  }

  private static Summary.Value value(Event event) {
    assertThat(event.getStep()).isEqualTo(7);
    return event.getSummary().getValue(0);
  }

  @Test
  void whatIsNoMessage_isRefused() {
    Tensor writer = create(0, 1_000_000);
    Tensor at = Tensor.scalar(7L);
    Tensor bad = Tensor.scalar("abc");
    assertFails(
        StatusCode.DATA_LOSS,
        "Bad tf.Event binary proto tensor string",
        () -> run("ImportEvent", Map.of(), writer, bad));
    assertFails(
        StatusCode.DATA_LOSS,
        "Bad tf.GraphDef binary proto tensor string",
        () -> run("WriteGraphSummary", Map.of(), writer, at, bad));
    assertFails(
        StatusCode.DATA_LOSS,
        "Bad tf.compat.v1.Summary binary proto tensor string at index 0",
        () -> run("WriteRawProtoSummary", Map.of(), writer, at, bad));
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "the handle must be that of one summary writer",
        () -> run("FlushSummaryWriter", Map.of(), Tensor.resource("other")));
    assertThat(events()).isEmpty();
  }

  @Test
  void create_whereAFileIs_fails() throws IOException {
    Files.writeString(folder.resolve("logs"), "no folder");
    assertThatThrownBy(() -> create(1, 1)).hasMessageContaining(folder.resolve("logs").toString());
  }
}
