package io.headrace.cli.text;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.headrace.proto.headrace.ElementTrace;
import io.headrace.proto.headrace.TracedCall;
import io.headrace.proto.headrace.TracedReader;
import io.headrace.proto.headrace.TracedTask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The trace of an element as a file of Chrome's trace events, which Perfetto (ui.perfetto.dev)
 * opens. Worker and reader are processes; a worker's threads have the calls of the stages, which
 * contain one another, and the first track of each process has the element's way. Times are
 * microseconds since 1970, each by its own machine's clock.
 */
public final class TraceEvents {
  static final int WORKER = 1;
  static final int READER = 2;

  /** The track of the element in each process. */
  static final int ELEMENT = 1;

  private static final int FIRST_THREAD = 2;

  private final ElementTrace trace;
  private final List<JsonObject> metadata = new ArrayList<>();
  private final List<JsonObject> events = new ArrayList<>();

  private TraceEvents(ElementTrace trace) {
    this.trace = trace;
  }

  /** The file's object: {@code traceEvents} in the order of their times, and what they are of. */
  public static JsonObject file(ElementTrace trace) {
    return new TraceEvents(trace).file();
  }

  private JsonObject file() {
    if (trace.hasTask()) {
      addWorker(trace.getTask());
      if (trace.hasReader()) {
        addReader(trace.getReader(), trace.getTask());
      }
    }
    events.sort(
        Comparator.comparingLong((JsonObject event) -> event.get("ts").getAsLong())
            .thenComparing(Comparator.comparingLong(TraceEvents::duration).reversed()));
    JsonArray all = new JsonArray();
    metadata.forEach(all::add);
    events.forEach(all::add);
    JsonObject file = new JsonObject();
    file.addProperty("displayTimeUnit", "ms");
    JsonObject about = new JsonObject();
    about.addProperty("job", trace.getJobName());
    about.addProperty("job_id", trace.getJobId());
    about.addProperty("repetition", trace.getRepetition());
    about.addProperty("task_id", trace.getTask().getTaskId());
    about.addProperty("missing", trace.getMissing());
    about.addProperty("end", trace.getEnd());
    about.addProperty("calls_left_out", trace.getTask().getCallsLeftOut());
    about.addProperty("clocks", "microseconds since 1970, each process by its own machine's clock");
    file.add("otherData", about);
    file.add("traceEvents", all);
    return file;
  }

  private static long duration(JsonObject event) {
    return event.has("dur") ? event.get("dur").getAsLong() : 0;
  }

  private void addWorker(TracedTask task) {
    long first = task.getBeginMicros();
    name(WORKER, 0, first, "process_name", "worker " + task.getWorkerAddress());
    name(WORKER, ELEMENT, first, "thread_name", element(task));
    for (int i = 0; i < task.getThreadsCount(); i++) {
      name(WORKER, FIRST_THREAD + i, first, "thread_name", task.getThreads(i));
    }
    if (task.getMakingMicros() > 0 && task.getQueuedMicros() > 0) {
      JsonObject made =
          slice(
              WORKER,
              ELEMENT,
              "is made",
              "element",
              task.getMakingMicros(),
              task.getQueuedMicros());
      JsonObject arguments = new JsonObject();
      arguments.addProperty("position", task.getPosition());
      arguments.addProperty("rows of its chunk", task.getRows());
      arguments.addProperty("bytes of its chunk", task.getBytes());
      made.add("args", arguments);
    }
    if (task.getQueuedMicros() > 0) {
      long out = task.getTakenMicros() > 0 ? task.getTakenMicros() : task.getEndMicros();
      var _ =
          slice(WORKER, ELEMENT, "in the worker's buffer", "element", task.getQueuedMicros(), out);
    }
    if (task.getSentMicros() > 0) {
      var _ =
          slice(
              WORKER,
              ELEMENT,
              StageTimes.sent(task),
              "element",
              task.getTakenMicros(),
              task.getSentMicros());
    }
    int unknown = FIRST_THREAD + task.getThreadsCount();
    for (TracedCall call : task.getCallsList()) {
      int track = call.getThread() >= 0 ? FIRST_THREAD + call.getThread() : unknown++;
      if (call.getThread() < 0) {
        name(WORKER, track, first, "thread_name", "began before the trace");
      }
      addCall(task, call, track);
    }
  }

  private void addCall(TracedTask task, TracedCall call, int track) {
    boolean isOfStage = call.getStage() >= 0 && call.getStage() < task.getStagesCount();
    String stage = isOfStage ? StageTimes.label(task.getStages(call.getStage())) : "";
    JsonObject slice =
        slice(
            WORKER,
            track,
            switch (call.getKind()) {
              case NEXT, UNRECOGNIZED -> stage;
              case WAIT -> "waits in " + stage;
              case WORK -> "works for " + stage;
              case ROOM -> "waits for room in the worker's buffer";
            },
            call.getKind().name().toLowerCase(Locale.ROOT),
            call.getBeginMicros(),
            call.getEndMicros());
    JsonObject arguments = new JsonObject();
    arguments.addProperty("rows", call.getRows());
    if (isOfStage) {
      arguments.addProperty("stage", call.getStage());
    }
    if (StageTimes.returnsTheElement(task, call)) {
      arguments.addProperty("element", task.getPosition());
    }
    if (call.getOpen()) {
      arguments.addProperty("ended", false);
    }
    slice.add("args", arguments);
  }

  private void addReader(TracedReader reader, TracedTask task) {
    long first = reader.getReceivedMicros();
    String host = reader.getHost().isEmpty() ? "" : " at " + reader.getHost();
    name(READER, 0, first, "process_name", "reader " + reader.getIterationClientId() + host);
    name(READER, ELEMENT, first, "thread_name", element(task));
    var _ =
        slice(
            READER,
            ELEMENT,
            "in the reader's buffer",
            "element",
            reader.getReceivedMicros(),
            reader.getHandedOverMicros());
    JsonObject handed = event(READER, ELEMENT, "i", "is handed over", reader.getHandedOverMicros());
    handed.addProperty("cat", "element");
    handed.addProperty("s", "t");
    events.add(handed);
    flow("s", WORKER, task.getTakenMicros());
    flow("f", READER, reader.getReceivedMicros());
  }

  private static String element(TracedTask task) {
    return task.getQueuedMicros() == 0 ? "no element" : "element " + task.getPosition();
  }

  /** An end of the arrow from the worker to the reader. */
  private void flow(String phase, int process, long ts) {
    JsonObject flow = event(process, ELEMENT, phase, "on its way", ts);
    flow.addProperty("cat", "element");
    flow.addProperty("id", 1);
    if (phase.equals("f")) {
      flow.addProperty("bp", "e");
    }
    events.add(flow);
  }

  private JsonObject slice(
      int process, int thread, String name, String category, long begin, long end) {
    JsonObject slice = event(process, thread, "X", name, begin);
    slice.addProperty("cat", category);
    slice.addProperty("dur", Math.max(0, end - begin));
    events.add(slice);
    return slice;
  }

  private void name(int process, int thread, long ts, String what, String name) {
    JsonObject event = event(process, thread, "M", what, ts);
    JsonObject arguments = new JsonObject();
    arguments.addProperty("name", name);
    event.add("args", arguments);
    metadata.add(event);
  }

  private static JsonObject event(int process, int thread, String phase, String name, long ts) {
    JsonObject event = new JsonObject();
    event.addProperty("ph", phase);
    event.addProperty("ts", ts);
    event.addProperty("pid", process);
    event.addProperty("tid", thread);
    event.addProperty("name", name);
    return event;
  }
}
