package io.headrace.worker;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.dataset.execute.pass.Stage;
import io.headrace.dataset.execute.pass.StageRecorder;
import io.headrace.proto.headrace.TraceOrder;
import io.headrace.proto.headrace.TracedCall;
import io.headrace.proto.headrace.TracedStage;
import io.headrace.proto.headrace.TracedTask;
import io.headrace.proto.headrace.TracedTask.Delivery;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.TraceMark;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.time.Ticker;
import io.headrace.runtime.time.WallTime;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The trace of the next row that a task makes: when the row was where, and what the stages of the
 * task's pass did from the order until the row left the worker. The traced row is the first of the
 * first chunk that the pass begins to make behind the order. Thread-safe; its methods do not block.
 */
final class RowTrace {
  /*
   * The task's thread makes the row, any reader's thread takes and sends it, under the queue's lock
   * or not; so the lock here is the innermost one. The thread that ends the trace, once, hands the
   * report to `onEnd`, which goes on elsewhere.
   */

  /** A moment that has not come. */
  private static final long NEVER = Long.MIN_VALUE;

  /** Shorter waits for room are none. */
  private static final long LEAST_ROOM_NANOS = 100_000;

  private static final int MAX_ROOMS = 256;

  private final TraceOrder order;
  private final Ticker ticker;
  private final WallTime time;
  private final boolean cached;
  private final BiConsumer<RowTrace, Report> onEnd;
  private final StageRecorder recorder = new StageRecorder();
  private final long begunNanos;

  @GuardedBy("this")
  private final List<Room> rooms = new ArrayList<>();

  @GuardedBy("this")
  private @Nullable Stage user;

  @GuardedBy("this")
  private long makingNanos = NEVER;

  @GuardedBy("this")
  private long queuedNanos = NEVER;

  @GuardedBy("this")
  private long takenNanos = NEVER;

  @GuardedBy("this")
  private long sentNanos = NEVER;

  @GuardedBy("this")
  private long position;

  @GuardedBy("this")
  private int rows;

  @GuardedBy("this")
  private long bytes;

  @GuardedBy("this")
  private boolean ended;

  /** A time in which the task's thread waited for room in the buffer. */
  private record Room(Thread thread, long begunNanos, long endedNanos) {}

  /** The report of an ended trace, whose making takes a while. */
  @FunctionalInterface
  interface Report {
    /** The message. Called once, away from the threads that make and send rows. */
    TracedTask message();
  }

  /**
   * A trace that begins now.
   *
   * @param order what the dispatcher asked for
   * @param ticker measures, as the pass's stages do
   * @param clock the wall clock
   * @param cached the row goes into a cross-trainer cache, where the trace ends
   * @param onEnd called once with the report; must not block
   */
  RowTrace(
      TraceOrder order,
      Ticker ticker,
      InstantSource clock,
      boolean cached,
      BiConsumer<RowTrace, Report> onEnd) {
    this.order = order;
    this.ticker = ticker;
    this.cached = cached;
    this.onEnd = onEnd;
    time = new WallTime(ticker, clock);
    begunNanos = ticker.nanoTime();
  }

  /** The number of the trace. */
  long id() {
    return order.getTrace();
  }

  /** Records the stages of the pass of {@code passUser} from now on. */
  synchronized void attach(Stage passUser) {
    if (!ended) {
      user = passUser;
      passUser.record(recorder);
    }
  }

  /** When the trace began, by the task's ticker. */
  long begunNanos() {
    return begunNanos;
  }

  /** This thread, the task's, has waited for room in the buffer. */
  synchronized void waitedForRoom(long sinceNanos) {
    long now = ticker.nanoTime();
    if (!ended && now - sinceNanos >= LEAST_ROOM_NANOS && rooms.size() < MAX_ROOMS) {
      rooms.add(new Room(Thread.currentThread(), sinceNanos, now));
    }
  }

  /** The pass begins to make a chunk. */
  synchronized void begins() {
    if (queuedNanos == NEVER) {
      makingNanos = ticker.nanoTime();
      recorder.begin(makingNanos);
    }
  }

  /** {@code chunk} is made, and about to be put into the buffer. */
  synchronized void made(Chunk chunk) {
    if (queuedNanos == NEVER && makingNanos != NEVER) {
      queuedNanos = ticker.nanoTime();
      position = chunk.position();
      rows = chunk.rows();
      bytes = chunk.byteSize();
      recorder.keep();
    }
  }

  /** Rows from position {@code first} on were taken out of the buffer. */
  void taken(long first, int count) {
    synchronized (this) {
      if (queuedNanos == NEVER || takenNanos != NEVER || !isAmong(first, count)) {
        return;
      }
      takenNanos = ticker.nanoTime();
    }
    if (cached) {
      end(Delivery.CACHE, "");
    }
  }

  /** The mark of the traced row if it is among the rows of {@code item}, which were taken. */
  synchronized @Nullable TraceMark mark(StreamItem item) {
    boolean here =
        item instanceof StreamItem.Rows
            && takenNanos != NEVER
            && !ended
            && isAmong(item.position(), item.rows());
    return here ? new TraceMark(order.getTrace(), position) : null;
  }

  /** The traced row was sent by stream, or given to a reader of this process. */
  void streamed() {
    sent(Delivery.STREAM);
  }

  /** The row at {@code at} was sent in an answer to GetElement. */
  void answered(long at) {
    boolean isTraced;
    synchronized (this) {
      isTraced = takenNanos != NEVER && at == position;
    }
    if (isTraced) {
      sent(Delivery.GET_ELEMENT);
    }
  }

  private void sent(Delivery how) {
    synchronized (this) {
      if (sentNanos != NEVER) {
        return;
      }
      sentNanos = ticker.nanoTime();
    }
    end(how, "");
  }

  /** The pass has ended, as {@code reason} says: if it has not made the row, none will come. */
  void passEnded(String reason) {
    boolean made;
    synchronized (this) {
      made = queuedNanos != NEVER;
    }
    if (!made) {
      end(Delivery.DELIVERY_UNSPECIFIED, reason);
    }
  }

  /** The task has ended for {@code reason}, and its rows are gone. */
  void taskEnded(String reason) {
    end(Delivery.DELIVERY_UNSPECIFIED, reason);
  }

  /** The time is over. {@code state} says what the task does where no stage is at work. */
  void giveUp(String state) {
    end(Delivery.DELIVERY_UNSPECIFIED, missing(state));
  }

  /** Ends the trace without a report: another one has begun. */
  void abandon() {
    @Nullable Stage of;
    synchronized (this) {
      ended = true;
      of = user;
    }
    if (of != null) {
      of.stopRecording(recorder);
    }
  }

  @GuardedBy("this")
  private boolean isAmong(long first, int count) {
    return position >= first && position < first + count;
  }

  private void end(Delivery how, String missing) {
    @Nullable Stage of;
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      of = user;
    }
    if (of != null) {
      of.stopRecording(recorder);
    }
    // One end for all open calls, behind those of the recorded ones, so that they contain them.
    long endedNanos = ticker.nanoTime();
    List<StageRecorder.Call> open = of == null ? List.of() : openCalls(of, endedNanos);
    onEnd.accept(this, () -> message(how, missing, endedNanos, open));
  }

  private List<StageRecorder.Call> openCalls(Stage of, long now) {
    return of.places().stream()
        .flatMap(place -> place.stage().openCalls(recorder, now).stream())
        .toList();
  }

  /** The reason why the row has not come, as far as it can be seen. */
  private synchronized String missing(String state) {
    long now = ticker.nanoTime();
    if (takenNanos != NEVER) {
      return "element %d was taken out of the worker's buffer %s ago, and is not sent yet"
          .formatted(position, seconds(now - takenNanos));
    }
    if (queuedNanos != NEVER) {
      return "element %d has been in the worker's buffer for %s: no reader has taken it"
          .formatted(position, seconds(now - queuedNanos));
    }
    String made = "no element was made within " + seconds(now - begunNanos) + ": ";
    Stage of = user;
    return made + (of == null ? state : deepestCall(of, now).orElse(state));
  }

  /** The stage that is at work, for which the others wait. */
  private Optional<String> deepestCall(Stage of, long now) {
    List<Stage.Place> places = of.places();
    Set<Integer> waitFor = new HashSet<>();
    String found = null;
    for (int i = places.size() - 1; i >= 0; i--) {
      Stage.Place place = places.get(i);
      List<StageRecorder.Call> open = place.stage().openCalls(recorder, now);
      if (open.isEmpty() && !waitFor.contains(i)) {
        continue;
      }
      if (!waitFor.contains(i) && found == null) {
        long since = open.stream().mapToLong(call -> now - call.begunNanos()).max().orElse(0);
        found =
            "%s has been in one call for %s%s"
                .formatted(
                    label(place),
                    seconds(since),
                    i == 0 ? "" : ", and the stages behind it wait for their input");
      }
      waitFor.add(place.consumer());
    }
    return Optional.ofNullable(found);
  }

  private static String label(Stage.Place place) {
    return place.function().isEmpty()
        ? place.name()
        : "%s(%s)".formatted(place.name(), place.function());
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
  }

  private synchronized TracedTask message(
      Delivery how, String missing, long endedNanos, List<StageRecorder.Call> open) {
    TracedTask.Builder message =
        TracedTask.newBuilder()
            .setTaskId(order.getTaskId())
            .setBeginMicros(time.micros(begunNanos))
            .setEndMicros(time.micros(endedNanos))
            .setDelivery(how)
            .setMissing(missing)
            .setMakingMicros(micros(makingNanos))
            .setQueuedMicros(micros(queuedNanos))
            .setTakenMicros(micros(takenNanos))
            .setSentMicros(micros(sentNanos))
            .setPosition(position)
            .setRows(rows)
            .setBytes(bytes)
            .setCallsLeftOut(recorder.leftOut());
    Map<Thread, Integer> threads = new LinkedHashMap<>();
    addCalls(message, open, endedNanos, threads);
    Map<String, Integer> named = new HashMap<>();
    threads.keySet().forEach(thread -> message.addThreads(name(thread, named)));
    return message.build();
  }

  private void addCalls(
      TracedTask.Builder message,
      List<StageRecorder.Call> open,
      long endedNanos,
      Map<Thread, Integer> threads) {
    Map<Stage, Integer> stages = new HashMap<>();
    Stage of;
    List<Room> waits;
    synchronized (this) {
      of = user;
      waits = List.copyOf(rooms);
    }
    if (of != null) {
      for (Stage.Place place : of.places()) {
        stages.put(place.stage(), stages.size());
        message.addStages(stage(place));
      }
    }
    for (Room room : waits) {
      message.addCalls(
          TracedCall.newBuilder()
              .setKind(TracedCall.Kind.ROOM)
              .setStage(-1)
              .setThread(index(room.thread(), threads))
              .setBeginMicros(time.micros(room.begunNanos()))
              .setEndMicros(time.micros(room.endedNanos())));
    }
    recorder.calls().stream()
        .filter(call -> call.endedNanos() <= endedNanos)
        .forEach(call -> message.addCalls(toProto(call, stages, threads)));
    open.forEach(call -> message.addCalls(toProto(call, stages, threads)));
  }

  private TracedStage.Builder stage(Stage.Place place) {
    StageRecorder.LeftOut leftOut = recorder.leftOut(place.stage());
    return TracedStage.newBuilder()
        .setConsumer(place.consumer())
        .setName(place.name())
        .setFunction(place.function())
        .setReadAhead(place.readAhead())
        .setCallsLeftOut(leftOut.calls())
        .setRowsLeftOut(leftOut.rows())
        .setNextMicrosLeftOut(leftOut.nextNanos() / 1000)
        .setWorkMicrosLeftOut(leftOut.workNanos() / 1000)
        .setWaitMicrosLeftOut(leftOut.waitNanos() / 1000);
  }

  private TracedCall toProto(
      StageRecorder.Call call, Map<Stage, Integer> stages, Map<Thread, Integer> threads) {
    return TracedCall.newBuilder()
        .setKind(
            switch (call.kind()) {
              case NEXT -> TracedCall.Kind.NEXT;
              case WAIT -> TracedCall.Kind.WAIT;
              case WORK -> TracedCall.Kind.WORK;
            })
        .setStage(stages.getOrDefault(call.stage(), -1))
        .setThread(call.thread() == null ? -1 : index(call.thread(), threads))
        .setBeginMicros(time.micros(call.begunNanos()))
        .setEndMicros(time.micros(call.endedNanos()))
        .setRows(call.rows())
        .setOpen(call.open())
        .build();
  }

  private static int index(Thread thread, Map<Thread, Integer> threads) {
    return threads.computeIfAbsent(thread, _ -> threads.size());
  }

  /** A name that no other thread of the trace has. */
  private static String name(Thread thread, Map<String, Integer> named) {
    String own = thread.getName().isEmpty() ? "thread-" + thread.threadId() : thread.getName();
    int before = named.merge(own, 1, Integer::sum);
    return before == 1 ? own : own + "#" + before;
  }

  private long micros(long nanos) {
    return nanos == NEVER ? 0 : time.micros(nanos);
  }
}
