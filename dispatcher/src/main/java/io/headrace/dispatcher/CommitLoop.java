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
import org.jspecify.annotations.Nullable;

/**
 * The single loop that owns the dispatcher's state, with group commit: a turn decides the waiting
 * requests one by one, applies their records, and journals these as one batch. Replies leave once
 * the batch is durable.
 *
 * <p>If an append fails, the state is rebuilt from the journal. All requests of the batch,
 * read-only ones included because they may have seen its changes, get UNAVAILABLE.
 *
 * <p>If a turn breaks off, as by an OutOfMemoryError, the loop {@linkplain #ended ends}: what it
 * owns may be torn, and the JVM may be unsound. Thread-safe.
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
   *
   * Nothing escapes `step`: what is thrown there would leave `running` set for ever, so it ends the
   * loop. Exceptions of deciders, of `apply` and of callbacks do not get there: they answer the
   * request, rebuild the state, and are logged. Errors do, but for a StackOverflowError or an
   * AssertionError of a decider: these come from its request, so it alone fails, and the state is
   * whole, since a decider does not change it. If they ended the loop, any caller with a deep
   * request could end the dispatcher. Other Errors (no memory, a class that is gone) do not come
   * from the request; the next one would meet them, too.
   */

  private static final Logger LOGGER = System.getLogger(CommitLoop.class.getName());
  private static final int MAX_BATCH = 1024;

  /** Made in advance, for when there is no memory to make it. */
  private final StatusException outOfMemory =
      unavailable("the dispatcher has ended because it ran out of memory");

  private final Executor executor;
  private final Journal journal;
  private final Ticker ticker;
  private final Observer observer;
  private final int maxWaiting;
  private final JournalGrowth growth;

  private final Object lock = new Object();

  @GuardedBy("lock")
  private final Queue<Request<?>> waiting = new ArrayDeque<>();

  @GuardedBy("lock")
  private boolean running;

  /** The refusal of all requests, once the loop is closed or has ended. */
  @GuardedBy("lock")
  private @Nullable StatusException closed;

  private final CompletableFuture<StatusException> ended = new CompletableFuture<>();

  private long turns;

  /** The turn that is under way. */
  private @Nullable Turn turn;

  private DispatcherState state = new DispatcherState();

  /** The state may differ from the journal; no decision is made before a rebuild. */
  private boolean inDoubt;

  /** The journal refused the last batch and has taken nothing since. */
  private boolean refused;

  /**
   * Figures of the loop.
   *
   * @param turns the turns that have begun
   * @param waiting the requests that wait for the next one
   * @param refused the journal refused the last batch and has taken nothing since
   */
  record Figures(long turns, int waiting, boolean refused) {}

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
    growth = new JournalGrowth(compactAfter);
  }

  /**
   * Replays the journal.
   *
   * @throws StatusException DATA_LOSS, naming the record, if the journal can't be replayed
   */
  void open() {
    growth.append(rebuild());
    notifyRebuilt();
    growth.measure(JournalGrowth.Size.of(state.snapshot()));
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
      if (closed != null) {
        refusal = closed;
      } else if (waiting.size() >= maxWaiting) {
        refusal = unavailable("the dispatcher has too many requests waiting");
      } else {
        waiting.add(request);
        start = !running;
        running = true;
      }
    }
    if (refusal != null) {
      request.reply.completeExceptionally(refusal);
    } else if (start) {
      execute(this::takeTurn);
    }
    return request.reply;
  }

  /** The present figures. For deciders only, as they run on the loop. */
  Figures figures() {
    synchronized (lock) {
      return new Figures(turns, waiting.size(), refused);
    }
  }

  /**
   * Completes with the reason if the loop ends on its own, which a {@link #close} is not. All its
   * requests have failed with that reason then, and later ones do. The journal is whole.
   */
  CompletableFuture<StatusException> ended() {
    return ended;
  }

  /** Refuses all waiting and future requests. */
  @Override
  public void close() {
    StatusException reason = closeWith(unavailable("the dispatcher is stopping"));
    failWaiting(reason);
  }

  /** Closes the loop unless it is closed; returns the reason with which it was closed first. */
  private StatusException closeWith(StatusException reason) {
    synchronized (lock) {
      if (closed == null) {
        closed = reason;
      }
      return closed;
    }
  }

  private void failWaiting(StatusException reason) {
    List<Request<?>> refused;
    synchronized (lock) {
      refused = List.copyOf(waiting);
      waiting.clear();
    }
    refused.forEach(request -> request.fail(reason));
  }

  private static StatusException unavailable(String message) {
    return new StatusException(StatusCode.UNAVAILABLE, message);
  }

  /** Runs a step of a turn on the executor. */
  private void execute(Runnable step) {
    try {
      executor.execute(() -> step(step));
    } catch (RuntimeException | Error e) {
      // Also if the executor refuses, as it does while the process stops.
      breakOff(e);
    }
  }

  private void step(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      breakOff(e);
    }
  }

  /** Ends the loop: the turn under way has failed, and there will be no other. */
  private void breakOff(Throwable cause) {
    StatusException own = broken(cause);
    StatusException reason = closeWith(own);
    try {
      if (reason == own) {
        LOGGER.log(Level.ERROR, "the dispatcher ends, because its commit loop broke off", cause);
      }
      if (turn != null) {
        turn.fail(reason);
      }
      failWaiting(reason);
    } finally {
      // Even if there is no memory to tell the callers, who see the connection end then.
      if (reason == own) {
        ended.complete(reason);
      }
    }
  }

  private StatusException broken(Throwable cause) {
    try {
      return unavailable(
          "the dispatcher has ended because of an internal error ("
              + cause.getClass().getName()
              + ", see its log)");
    } catch (OutOfMemoryError e) {
      return outOfMemory;
    }
  }

  private void takeTurn() {
    Turn taken = new Turn();
    turn = taken;
    turns++;
    if (inDoubt) {
      tryRebuild();
    }
    takeWaiting(taken.taken);
    taken.taken.forEach(taken::run);
    if (taken.needsProbe) {
      probe(taken);
    } else {
      append(taken);
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
      var _ = appended.whenComplete((_, failure) -> execute(() -> end(turn, failure)));
    }
  }

  /** Tests whether the journal takes records again, with one that changes nothing. */
  private void probe(Turn turn) {
    var _ =
        journal
            .append(List.of(state.idsUsed().toByteArray()))
            .whenComplete((_, failure) -> execute(() -> endProbe(turn, failure)));
  }

  private void endProbe(Turn turn, @Nullable Throwable failure) {
    if (failure == null) {
      LOGGER.log(Level.INFO, "the journal takes records again");
      refused = false;
      growth.append(JournalGrowth.Size.of(List.of(state.idsUsed())));
      turn.runHeld();
    } else {
      // The test record changed nothing, so the state is valid whether or not it was written.
      journal.resume();
      turn.held.forEach(Request::failUnwritten);
    }
    append(turn);
  }

  private void end(Turn turn, @Nullable Throwable failure) {
    if (failure != null) {
      LOGGER.log(Level.ERROR, "the journal refused a batch and is replayed: " + failure);
      inDoubt = true;
      refused = true;
    }
    if (inDoubt) {
      tryRebuild();
      turn.requests.forEach(Request::failUnwritten);
    } else {
      growth.append(JournalGrowth.Size.ofBytes(turn.bytes));
      turn.requests.forEach(Request::answer);
      callBack(() -> observer.committed(state, turn.records));
    }
    if (!inDoubt && growth.isDue()) {
      compact();
    } else {
      startNextTurn();
    }
  }

  private void startNextTurn() {
    turn = null;
    synchronized (lock) {
      running = !waiting.isEmpty();
      if (!running) {
        return;
      }
    }
    execute(this::takeTurn);
  }

  private void takeWaiting(List<Request<?>> taken) {
    synchronized (lock) {
      while (taken.size() < MAX_BATCH && !waiting.isEmpty()) {
        taken.add(waiting.element());
        waiting.remove();
      }
    }
  }

  private void compact() {
    List<byte[]> snapshot = state.snapshot().stream().map(JournalRecord::toByteArray).toList();
    var _ =
        journal
            .compact(snapshot)
            .whenComplete((_, failure) -> execute(() -> endCompaction(snapshot, failure)));
  }

  private void endCompaction(List<byte[]> snapshot, @Nullable Throwable failure) {
    growth.compact(JournalGrowth.Size.ofBytes(snapshot));
    if (failure == null) {
      // The state of the snapshot is equal, and releases the old records' byte arrays, which the
      // present one's graphs alias.
      DispatcherState rebuilt = new DispatcherState();
      snapshot.forEach(record -> rebuilt.apply(parse(record)));
      state = rebuilt;
    } else {
      LOGGER.log(Level.WARNING, "the journal could not be compacted", failure);
      tryRebuild();
    }
    startNextTurn();
  }

  /**
   * Rebuilds the state; if the journal can't be read, the state stays in doubt for the next turn.
   */
  private void tryRebuild() {
    try {
      var _ = rebuild();
      inDoubt = false;
      notifyRebuilt();
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

  /** Returns the size of the records replayed. */
  private JournalGrowth.Size rebuild() {
    DispatcherState rebuilt = new DispatcherState();
    long[] read = {0, 0};
    journal.replay(record -> {
      read[0]++;
      read[1] += record.length;
      replay(read[0], record, rebuilt);
    });
    state = rebuilt;
    return new JournalGrowth.Size(read[0], read[1]);
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
    /** The requests of the turn, run or not. */
    final List<Request<?>> taken = new ArrayList<>();

    /** The requests to answer when the turn ends. */
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

    void fail(StatusException reason) {
      taken.forEach(request -> request.fail(reason));
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
      } catch (RuntimeException | StackOverflowError | AssertionError e) {
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

    void failUnwritten() {
      fail(unavailable("the dispatcher could not write its journal; try again"));
    }

    void fail(StatusException reason) {
      reply.completeExceptionally(reason);
    }
  }
}
