package io.headrace.cli.text;

import io.headrace.proto.headrace.TracedCall;
import io.headrace.proto.headrace.TracedStage;
import io.headrace.proto.headrace.TracedTask;
import java.util.ArrayList;
import java.util.List;

/**
 * A stage while a traced element was made: its calls and their times, over all its threads.
 *
 * @param stage the stage
 * @param calls its calls
 * @param rows the rows that they returned
 * @param micros the time inside them
 * @param ownMicros the part of it in no wait and in no call of an input: the stage's work
 */
record StageTimes(TracedStage stage, long calls, long rows, long micros, long ownMicros) {
  /** The stage's name with its function. */
  static String label(TracedStage stage) {
    return stage.getFunction().isEmpty()
        ? stage.getName()
        : "%s(%s)".formatted(stage.getName(), stage.getFunction());
  }

  /** Whether it did anything while the element's chunk was made. */
  boolean hasWorked() {
    return calls > 0 || micros > 0;
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
    List<Sums> sums = task.getStagesList().stream().map(Sums::leftOut).toList();
    for (TracedCall call : task.getCallsList()) {
      if (call.getStage() >= 0 && call.getStage() < count && isWhileMade(task, call)) {
        sums.get(call.getStage()).add(call, micros(task, call));
      }
    }
    for (int i = 0; i < count; i++) {
      TracedStage stage = task.getStages(i);
      int consumer = stage.getConsumer();
      if (consumer >= 0 && consumer < count && !stage.getReadAhead()) {
        sums.get(consumer).below += sums.get(i).next;
      }
    }
    List<StageTimes> all = new ArrayList<>();
    for (int i = count - 1; i >= 0; i--) {
      all.add(sums.get(i).of(task.getStages(i)));
    }
    return all;
  }

  /** The part of a call in which the chunk of the element was made. */
  private static long micros(TracedTask task, TracedCall call) {
    long queued = task.getQueuedMicros();
    if (queued == 0) {
      return call.getEndMicros() - call.getBeginMicros();
    }
    return Math.min(call.getEndMicros(), queued)
        - Math.max(call.getBeginMicros(), task.getMakingMicros());
  }

  /** The sums of a stage's calls. */
  private static final class Sums {
    private long calls;
    private long rows;
    private long next;
    private long work;
    private long wait;

    /** The time inside the calls of its inputs that are within its own. */
    private long below;

    static Sums leftOut(TracedStage stage) {
      Sums sums = new Sums();
      sums.calls = stage.getCallsLeftOut();
      sums.rows = stage.getRowsLeftOut();
      sums.next = stage.getNextMicrosLeftOut();
      sums.work = stage.getWorkMicrosLeftOut();
      sums.wait = stage.getWaitMicrosLeftOut();
      return sums;
    }

    void add(TracedCall call, long micros) {
      switch (call.getKind()) {
        case NEXT -> {
          calls++;
          rows += call.getRows();
          next += micros;
        }
        case WORK -> work += micros;
        case WAIT -> wait += micros;
        case ROOM, UNRECOGNIZED -> {}
      }
    }

    StageTimes of(TracedStage stage) {
      return new StageTimes(
          stage, calls, rows, next + work, Math.max(0, next + work - wait - below));
    }
  }
}
