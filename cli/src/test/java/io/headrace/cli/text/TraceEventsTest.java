package io.headrace.cli.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.headrace.proto.headrace.ElementTrace;
import io.headrace.proto.headrace.TracedCall;
import io.headrace.proto.headrace.TracedReader;
import io.headrace.proto.headrace.TracedStage;
import io.headrace.proto.headrace.TracedTask;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Traces as files and as text. */
final class TraceEventsTest {
  private static final long NOW = 1_790_000_000_000_000L;

  /** A map that takes 9 ms of the 10 ms of a batch, whose row is 2 ms on its way. */
  private static ElementTrace trace() {
    return ElementTrace.newBuilder()
        .setJobId(5000)
        .setJobName("training")
        .setTask(
            TracedTask.newBuilder()
                .setTaskId(3)
                .setWorkerAddress("w:1")
                .setBeginMicros(NOW)
                .setMakingMicros(NOW + 1_000)
                .setQueuedMicros(NOW + 11_000)
                .setTakenMicros(NOW + 12_000)
                .setSentMicros(NOW + 12_500)
                .setEndMicros(NOW + 12_500)
                .setDelivery(TracedTask.Delivery.STREAM)
                .setPosition(7)
                .setRows(4)
                .setBytes(32)
                .addThreads("task-3")
                .addStages(TracedStage.newBuilder().setConsumer(-1).setName("BatchV2"))
                .addStages(TracedStage.newBuilder().setName("Map").setFunction("decode"))
                .addCalls(call(TracedCall.Kind.NEXT, 1, 1_500, 10_500).setRows(8))
                .addCalls(call(TracedCall.Kind.NEXT, 0, 1_000, 11_000).setRows(4))
                .addCalls(call(TracedCall.Kind.ROOM, -1, 11_500, 12_000)))
        .setReader(
            TracedReader.newBuilder()
                .setIterationClientId(9)
                .setHost("10.0.0.2")
                .setTaskId(3)
                .setPosition(7)
                .setReceivedMicros(NOW + 14_500)
                .setHandedOverMicros(NOW + 15_000))
        .build();
  }

  private static TracedCall.Builder call(TracedCall.Kind kind, int stage, long begin, long end) {
    return TracedCall.newBuilder()
        .setKind(kind)
        .setStage(stage)
        .setBeginMicros(NOW + begin)
        .setEndMicros(NOW + end);
  }

  private static List<JsonObject> events(ElementTrace trace) {
    return StreamSupport.stream(
            TraceEvents.file(trace).getAsJsonArray("traceEvents").spliterator(), false)
        .map(JsonElement::getAsJsonObject)
        .toList();
  }

  private static JsonObject event(String phase, String name) {
    return events(trace()).stream()
        .filter(event -> event.get("ph").getAsString().equals(phase))
        .filter(event -> event.get("name").getAsString().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void everyEvent_hasWhatTheFormatNeeds() {
    assertThat(events(trace()))
        .isNotEmpty()
        .allSatisfy(event -> {
          assertThat(event.keySet()).contains("ph", "ts", "pid", "tid", "name");
          assertThat(event.get("ph").getAsString()).isIn("M", "X", "i", "s", "f");
          assertThat(event.get("ts").getAsLong()).isGreaterThanOrEqualTo(NOW);
        })
        .filteredOn(event -> event.get("ph").getAsString().equals("X"))
        .allSatisfy(event -> assertThat(event.get("dur").getAsLong()).isNotNegative());
  }

  @Test
  void processesAndThreads_haveNames() {
    assertThat(events(trace()))
        .filteredOn(event -> event.get("ph").getAsString().equals("M"))
        .extracting(
            event -> event.get("name").getAsString(),
            event -> event.get("pid").getAsInt(),
            event -> event.getAsJsonObject("args").get("name").getAsString())
        .containsExactly(
            tuple("process_name", 1, "worker w:1"),
            tuple("thread_name", 1, "element 7"),
            tuple("thread_name", 1, "task-3"),
            tuple("process_name", 2, "reader 9 at 10.0.0.2"),
            tuple("thread_name", 2, "element 7"));
  }

  @Test
  void callThatReturnedTheElement_isMarked() {
    assertThat(event("X", "BatchV2").getAsJsonObject("args").get("element").getAsLong())
        .isEqualTo(7);
    assertThat(event("X", "Map(decode)").getAsJsonObject("args").has("element")).isFalse();
  }

  @Test
  void elementsWay_isOnTracksOfItsOwn() {
    assertThat(event("X", "in the worker's buffer").get("dur").getAsLong()).isEqualTo(1_000);
    assertThat(event("X", "written to the stream").get("dur").getAsLong()).isEqualTo(500);
    assertThat(event("X", "in the reader's buffer").get("pid").getAsInt()).isEqualTo(2);
    assertThat(event("s", "on its way").get("id")).isEqualTo(event("f", "on its way").get("id"));
  }

  @Test
  void events_areInTheOrderOfTheirTimes_outerOnesFirst() {
    List<String> names =
        events(trace()).stream()
            .filter(event -> event.get("ph").getAsString().equals("X"))
            .map(event -> event.get("name").getAsString())
            .toList();

    assertThat(names)
        .containsSubsequence(
            "BatchV2", "Map(decode)", "in the worker's buffer", "in the reader's buffer");
  }

  @Test
  void text_hasALineForEachStep() {
    assertThat(new TraceText(trace()).lines())
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80))
        .anySatisfy(line -> assertThat(line).contains("element 7 of task 3, in a chunk of 4 rows"))
        .anySatisfy(line -> assertThat(line).matches(" +Map\\(decode\\) +1 +8 +9.0 ms +9.0 ms"))
        .anySatisfy(line -> assertThat(line).matches(" +BatchV2 +1 +4 +10.0 ms +1.0 ms"))
        .anySatisfy(line -> assertThat(line).matches(" +in the worker's buffer .* 1.0 ms .*"))
        .anySatisfy(line -> assertThat(line).matches(" +on its way, by two clocks .* 2.0 ms .*"))
        .anySatisfy(line -> assertThat(line).matches(" +in the reader's buffer .* 500 us .*"));
  }

  @Test
  void callsThatAreNotInTheFile_countInTheSums() {
    ElementTrace whole = trace();
    TracedTask.Builder task = whole.getTask().toBuilder().removeCalls(0);
    task.getStagesBuilder(1)
        .setCallsLeftOut(2)
        .setRowsLeftOut(8)
        .setNextMicrosLeftOut(9_000)
        .setWaitMicrosLeftOut(500);
    task.setCallsLeftOut(2);

    assertThat(new TraceText(whole.toBuilder().setTask(task).build()).lines())
        .anySatisfy(line -> assertThat(line).matches(" +Map\\(decode\\) +2 +8 +9.0 ms +8.5 ms"))
        .anySatisfy(line -> assertThat(line).matches(" +BatchV2 +1 +4 +10.0 ms +1.0 ms"))
        .contains("2 calls of stages are not in the file");
  }

  @Test
  void inputThatIsReadAhead_isNotWithinItsConsumer() {
    ElementTrace whole = trace();
    TracedTask.Builder task = whole.getTask().toBuilder();
    task.getStagesBuilder(1).setReadAhead(true);

    assertThat(new TraceText(whole.toBuilder().setTask(task).build()).lines())
        .anySatisfy(line -> assertThat(line).matches(" +BatchV2 +1 +4 +10.0 ms +10.0 ms"));
  }

  @Test
  void elementThatLayReady_isSaidToHaveLain() {
    ElementTrace whole = trace();
    TracedTask.Builder task =
        whole.getTask().toBuilder()
            .removeCalls(0)
            .setTakenMicros(NOW + 911_000)
            .setSentMicros(NOW + 911_500)
            .setEndMicros(NOW + 911_500);
    TracedReader.Builder reader =
        whole.getReader().toBuilder()
            .setReceivedMicros(NOW + 912_000)
            .setHandedOverMicros(NOW + 912_500);

    assertThat(new TraceText(whole.toBuilder().setTask(task).setReader(reader).build()).lines())
        .noneSatisfy(line -> assertThat(line).contains("Map(decode)"))
        .contains(
            "1 more stages had done their part of it before: a buffer held it ready",
            "99 % of its way: in the worker's buffer");
  }

  @Test
  void traceWithoutAnElement_hasItsCallsAlone() {
    ElementTrace open =
        ElementTrace.newBuilder()
            .setMissing("task 3: no element was made")
            .setTask(
                TracedTask.newBuilder()
                    .setBeginMicros(NOW)
                    .setEndMicros(NOW + 5)
                    .addStages(TracedStage.newBuilder().setConsumer(-1).setName("Map"))
                    .addCalls(call(TracedCall.Kind.NEXT, 0, 1, 5).setThread(-1).setOpen(true)))
            .build();

    assertThat(events(open))
        .filteredOn(event -> event.get("ph").getAsString().equals("X"))
        .singleElement()
        .satisfies(event -> assertThat(event.get("name").getAsString()).isEqualTo("Map"));
    assertThat(new TraceText(open).lines().getFirst()).endsWith(": no element");
  }
}
