package io.headrace.dispatcher;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnsafeByteOperations;
import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.journal.Journal;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The single loop that owns the dispatcher's state, with group commit: a turn decides the waiting
 * requests one by one, applies their records, and journals these as one batch. Replies leave once
 * the batch is durable.
 *
 * <p>If an append fails, the state is rebuilt from the journal. All requests of the batch,
 * read-only ones included because they may have seen its changes, get UNAVAILABLE. Thread-safe.
 */
final class CommitLoop implements AutoCloseable {
  /*
   * `running` is true from the hand-over of a turn to the executor until its batch is durable and
   * no request waits, so turns never overlap on any executor. The lock that guards it also
   * publishes the state from one turn's thread to the next. No foreign code runs under it.
   *
   * After a failed append the whole journal is replayed: the state has no undo, and a second copy
   * would double the cost of each record. Compaction bounds the replay to twice the live state plus
   * `compactAfter`. It happens once per outage, however long: while `refused`, nothing is applied
   * before the journal has taken a record that changes nothing.
   */

  private static final Logger LOGGER = System.getLogger(CommitLoop.class.getName());
  private static final int MAX_BATCH = 1024;

  private final Executor executor;
  private final Journal journal;
  private final Ticker ticker;
  private final Observer observer;
  private final int maxWaiting;
  private final int compactAfter;

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Queue<Request<?>> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private boolean running;

  @GuardedBy("lock")
  private boolean closed;

  private DispatcherState state = new DispatcherState();

  /** The state may differ from the journal; no decision is made before a rebuild. */
  private boolean inDoubt;

  /** The journal refused the last batch and has taken nothing since. */
  private boolean refused;

  private long recordsSinceCompaction;
  private long recordsOfLastCompaction;

  /** Decides one request on the loop, at {@code nowNanos} of the loop's ticker. */
  @FunctionalInterface
  interface Decider<R> {
    Decision<R> decide(DispatcherState state, long nowNanos);
  }

  /** Callbacks on the loop. */
  interface Observer {
    /**
     * The records that follow from {@code state}. Called after each request, and again after the
     * returned records have been applied, until there are none. The records become durable with the
     * request's.
     */
    default List<JournalRecord> consequences(DispatcherState state) {
      return List.of();
    }

    /** Called after every turn: {@code records} are durable, and applied to {@code state}. */
    void committed(DispatcherState state, List<JournalRecord> records);

    /**
     * Called when {@code state} has been replayed from the journal, at the start or after a failed
     * write.
     */
    void rebuilt(DispatcherState state, long nowNanos);
  }

  /**
   * A loop that is not open yet.
   *
   * @param executor runs the turns
   * @param journal keeps the records
   * @param ticker the clock for deciders
   * @param observer gets the callbacks
   * @param maxWaiting bound of the request queue; further requests are refused
   * @param compactAfter least number of journal records before a compaction
   */
  CommitLoop(
      Executor executor,
      Journal journal,
      Ticker ticker,
      Observer observer,
      int maxWaiting,
      int compactAfter) {
    this.executor = executor;
    this.journal = journal;
    this.ticker = ticker;
    this.observer = observer;
    this.maxWaiting = maxWaiting;
    this.compactAfter = compactAfter;
  }

  /**
   * Replays the journal.
   *
   * @throws StatusException DATA_LOSS, naming the record, if the journal can't be replayed
   */
  void open() {
    long read = rebuild();
    notifyRebuilt();
    recordsOfLastCompaction = state.snapshot().size();
    recordsSinceCompaction = Math.max(0, read - recordsOfLastCompaction);
  }

  /**
   * Queues a request. The future completes with the reply once it is durable, or with the exception
   * that {@code decider} threw.
   */
  <R> CompletableFuture<R> submit(Decider<R> decider) {
    Request<R> request = new Request<>(decider);
    @Nullable StatusException refusal = null;
    boolean start = false;
    synchronized (lock) {
      if (closed || waiting.size() >= maxWaiting) {
        refusal = refusal(closed);
      } else {
        waiting.add(request);
        start = !running;
        running = true;
      }
    }
    if (refusal != null) {
      request.reply.completeExceptionally(refusal);
    } else if (start) {
      executor.execute(this::takeTurn);
    }
    return request.reply;
  }

  /** Refuses all waiting and future requests. */
  @Override
  public void close() {
    List<Request<?>> refused;
    synchronized (lock) {
      closed = true;
      refused = List.copyOf(waiting);
      waiting.clear();
    }
    refused.forEach(request -> request.reply.completeExceptionally(refusal(true)));
  }

  private static StatusException refusal(boolean closed) {
    return new StatusException(
        StatusCode.UNAVAILABLE,
        closed ? "the dispatcher is stopping" : "the dispatcher has too many requests waiting");
  }

  private void takeTurn() {
    Turn turn = new Turn();
    if (inDoubt) {
      tryRebuild();
    }
    for (Request<?> request : takeWaiting()) {
      turn.run(request);
    }
    if (turn.needsProbe) {
      probe(turn);
    } else {
      append(turn);
    }
  }

  /** Appends the turn's records, if it has any, and ends the turn when they are durable. */
  private void append(Turn turn) {
    if (inDoubt || turn.bytes.isEmpty()) {
      end(turn, null);
      return;
    }
    CompletableFuture<Long> appended = journal.append(turn.bytes);
    if (appended.isDone() && !appended.isCompletedExceptionally()) {
      // The append completed on this thread, so the turn can end without a hand-over.
      end(turn, null);
    } else {
      var _ = appended.whenComplete((_, failure) -> onLoop(turn, () -> end(turn, failure)));
    }
  }

  /** Tests whether the journal takes records again, with one that changes nothing. */
  private void probe(Turn turn) {
    var _ =
        journal
            .append(List.of(state.idsUsed().toByteArray()))
            .whenComplete((_, failure) -> onLoop(turn, () -> endProbe(turn, failure)));
  }

  private void endProbe(Turn turn, @Nullable Throwable failure) {
    if (failure == null) {
      LOGGER.log(Level.INFO, "the journal takes records again");
      refused = false;
      recordsSinceCompaction++;
      turn.runHeld();
    } else {
      // The test record changed nothing, so the state is valid whether or not it was written.
      journal.resume();
      turn.held.forEach(Request::fail);
    }
    append(turn);
  }

  private void onLoop(Turn turn, Runnable step) {
    try {
      executor.execute(step);
    } catch (RejectedExecutionException e) {
      // The process is stopping, so no rebuild will run, and the waiting callers must be failed
      // here.
      turn.requests.forEach(Request::fail);
      turn.held.forEach(Request::fail);
    }
  }

  private void end(Turn turn, @Nullable Throwable failure) {
    if (failure != null) {
      LOGGER.log(Level.ERROR, "the journal refused a batch and is replayed: " + failure);
      inDoubt = true;
      refused = true;
    }
    if (inDoubt) {
      tryRebuild();
      turn.requests.forEach(Request::fail);
    } else {
      recordsSinceCompaction += turn.records.size();
      turn.requests.forEach(Request::answer);
      callBack(() -> observer.committed(state, turn.records));
    }
    if (!inDoubt && recordsSinceCompaction >= Math.max(compactAfter, recordsOfLastCompaction)) {
      compact();
    } else {
      startNextTurn();
    }
  }

  private void startNextTurn() {
    synchronized (lock) {
      running = !waiting.isEmpty();
      if (!running) {
        return;
      }
    }
    executor.execute(this::takeTurn);
  }

  private List<Request<?>> takeWaiting() {
    List<Request<?>> taken = new ArrayList<>();
    synchronized (lock) {
      while (taken.size() < MAX_BATCH && !waiting.isEmpty()) {
        taken.add(waiting.remove());
      }
    }
    return taken;
  }

  private void compact() {
    List<byte[]> snapshot = state.snapshot().stream().map(JournalRecord::toByteArray).toList();
    var _ =
        journal
            .compact(snapshot)
            .whenComplete(
                (_, failure) -> executor.execute(() -> endCompaction(snapshot.size(), failure)));
  }

  private void endCompaction(int records, @Nullable Throwable failure) {
    if (failure != null) {
      LOGGER.log(Level.WARNING, "the journal could not be compacted", failure);
    }
    recordsSinceCompaction = 0;
    recordsOfLastCompaction = records;
    if (failure == null && !inDoubt) {
      // The rebuilt state is equal, and releases the old records' byte arrays, which its graphs
      // alias.
      rebuildOrDoubt();
    } else {
      tryRebuild();
    }
    startNextTurn();
  }

  /**
   * Rebuilds the state; if the journal can't be read, the state stays in doubt for the next turn.
   */
  private void tryRebuild() {
    rebuildOrDoubt();
    if (!inDoubt) {
      notifyRebuilt();
    }
  }

  private void rebuildOrDoubt() {
    try {
      var _ = rebuild();
      inDoubt = false;
    } catch (RuntimeException e) {
      LOGGER.log(Level.ERROR, "the journal can't be read", e);
      inDoubt = true;
    }
  }

  private void notifyRebuilt() {
    DispatcherState rebuilt = state;
    callBack(() -> observer.rebuilt(rebuilt, ticker.nanoTime()));
  }

  /** An exception in an observer must not stop the loop. */
  private static void callBack(Runnable observer) {
    try {
      observer.run();
    } catch (RuntimeException e) {
      LOGGER.log(Level.ERROR, "following a change failed", e);
    }
  }

  /** Returns the number of records replayed. */
  private long rebuild() {
    DispatcherState rebuilt = new DispatcherState();
    long[] number = {0};
    journal.replay(record -> replay(++number[0], record, rebuilt));
    state = rebuilt;
    return number[0];
  }

  private static void replay(long number, byte[] record, DispatcherState state) {
    try {
      state.apply(parse(record));
    } catch (StatusException e) {
      throw e.in("journal record " + number);
    }
  }

  /** Parses a record. Its bytes fields alias {@code bytes}, which must not be modified. */
  private static JournalRecord parse(byte[] bytes) {
    ByteString string = UnsafeByteOperations.unsafeWrap(bytes);
    CodedInputStream in = string.newCodedInput();
    in.enableAliasing(true);
    try {
      return JournalRecord.parseFrom(in);
    } catch (IOException e) {
      throw new StatusException(StatusCode.DATA_LOSS, "it can't be read: " + e.getMessage(), e);
    }
  }

  /** One batch of requests. */
  private final class Turn {
    final List<Request<?>> requests = new ArrayList<>();
    final List<JournalRecord> records = new ArrayList<>();
    final List<byte[]> bytes = new ArrayList<>();

    /** Requests to decide again once the journal takes records. */
    final List<Request<?>> held = new ArrayList<>();

    /** The turn has changes to journal, but the journal refused the last batch. */
    boolean needsProbe;

    void run(Request<?> request) {
      if (inDoubt) {
        requests.add(request);
        return;
      }
      try {
        List<JournalRecord> decided = request.decide(state, ticker.nanoTime());
        if (refused) {
          holdOrAnswer(request, !decided.isEmpty());
        } else {
          requests.add(request);
          decided.forEach(this::apply);
          applyConsequences();
        }
      } catch (RuntimeException e) {
        LOGGER.log(Level.ERROR, "a decision does not fit the state", e);
        inDoubt = true;
      }
    }

    /**
     * Holds back a request that changes state; a read-only one is answered from the present state.
     */
    private void holdOrAnswer(Request<?> request, boolean changes) {
      (changes ? held : requests).add(request);
      needsProbe |= changes || !observer.consequences(state).isEmpty();
    }

    /** Runs the requests that were held back. */
    void runHeld() {
      held.forEach(this::run);
      held.clear();
    }

    private void applyConsequences() {
      for (List<JournalRecord> more = observer.consequences(state);
          !more.isEmpty();
          more = observer.consequences(state)) {
        more.forEach(this::apply);
      }
    }

    /** Applies the record in the form that a replay parses. */
    private void apply(JournalRecord record) {
      byte[] written = record.toByteArray();
      JournalRecord read = parse(written);
      state.apply(read);
      bytes.add(written);
      records.add(read);
    }
  }

  /** A decider, its decision, and the reply's future. */
  private static final class Request<R> {
    final CompletableFuture<R> reply = new CompletableFuture<>();
    private final Decider<R> decider;
    private @Nullable Decision<R> decision;
    private @Nullable Throwable failure;

    Request(Decider<R> decider) {
      this.decider = decider;
    }

    List<JournalRecord> decide(DispatcherState state, long nowNanos) {
      // Discard the decision made before the request was held back.
      decision = null;
      failure = null;
      try {
        Decision<R> decided = decider.decide(state, nowNanos);
        decision = decided;
        return decided.records();
      } catch (RuntimeException | Error e) {
        failure = e;
        return List.of();
      }
    }

    void answer() {
      if (decision != null) {
        reply.complete(decision.reply());
      } else if (failure != null) {
        reply.completeExceptionally(failure);
      }
    }

    void fail() {
      reply.completeExceptionally(
          new StatusException(
              StatusCode.UNAVAILABLE, "the dispatcher could not write its journal; try again"));
    }
  }
}
