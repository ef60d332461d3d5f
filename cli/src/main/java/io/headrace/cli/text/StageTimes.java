package io.headrace.cli.text;

import io.headrace.proto.headrace.TracedCall;
import io.headrace.proto.headrace.TracedStage;
import io.headrace.proto.headrace.TracedTask;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A stage while a traced element was made: its calls and their times, over all its threads.
 *
 * @param stage the stage
 * @param calls its calls
 * @param rows the rows that they returned
 * @param micros the time inside them
 * @param ownMicros the part of it in no call within: the stage's work
 */
record StageTimes(TracedStage stage, long calls, long rows, long micros, long ownMicros) {
  /** The stage's name with its function. */
  static String label(TracedStage stage) {
    return stage.getFunction().isEmpty()
        ? stage.getName()
        : "%s(%s)".formatted(stage.getName(), stage.getFunction());
  }

  /** How the element left the worker. */
  static String sent(TracedTask task) {
    return task.getDelivery() == TracedTask.Delivery.GET_ELEMENT
        ? "answered to GetElement"
        : "written to the stream";
  }

  /** Whether {@code call} is the one of the last stage that returned the traced element. */
  static boolean returnsTheElement(TracedTask task, TracedCall call) {
    return call.getStage() == 0
        && call.getKind() == TracedCall.Kind.NEXT
        && call.getRows() > 0
        && isWhileMade(task, call)
        && call.getBeginMicros() >= task.getMakingMicros();
  }

  /** Whether {@code call} was under way while the chunk of the element was made. */
  private static boolean isWhileMade(TracedTask task, TracedCall call) {
    long making = task.getMakingMicros();
    long queued = task.getQueuedMicros();
    boolean overlaps = call.getEndMicros() > making && call.getBeginMicros() < queued;
    boolean within = call.getBeginMicros() >= making && call.getEndMicros() <= queued;
    return queued == 0 || overlaps || within;
  }

  /** The stages of {@code task} in the order in which elements pass them. */
  static List<StageTimes> of(TracedTask task) {
    int count = task.getStagesCount();
    long[] calls = new long[count];
    long[] rows = new long[count];
    long[] micros = new long[count];
    long[] own = new long[count];
    Map<Integer, List<TracedCall>> threads = new TreeMap<>();
    int alone = -1;
    for (TracedCall call : task.getCallsList()) {
      if (call.getStage() >= 0 && call.getStage() < count && isWhileMade(task, call)) {
        int thread = call.getThread() >= 0 ? call.getThread() : alone--;
        threads.computeIfAbsent(thread, _ -> new ArrayList<>()).add(call);
      }
    }
    for (List<TracedCall> thread : threads.values()) {
      thread.sort(
          Comparator.comparingLong(TracedCall::getBeginMicros)
              .thenComparing(Comparator.comparingLong(TracedCall::getEndMicros).reversed()));
      Deque<TracedCall> around = new ArrayDeque<>();
      for (TracedCall call : thread) {
        while (!around.isEmpty() && around.peek().getEndMicros() < call.getEndMicros()) {
          around.pop();
        }
        int stage = call.getStage();
        long time = call.getEndMicros() - call.getBeginMicros();
        if (call.getKind() == TracedCall.Kind.NEXT) {
          calls[stage]++;
          rows[stage] += call.getRows();
        }
        if (call.getKind() != TracedCall.Kind.WAIT) {
          micros[stage] += time;
          own[stage] += time;
        }
        if (!around.isEmpty() && around.peek().getKind() != TracedCall.Kind.WAIT) {
          own[around.peek().getStage()] -= time;
        }
        around.push(call);
      }
    }
    List<StageTimes> all = new ArrayList<>();
    for (int i = count - 1; i >= 0; i--) {
      all.add(new StageTimes(task.getStages(i), calls[i], rows[i], micros[i], Math.max(0, own[i])));
    }
    return all;
  }
}
