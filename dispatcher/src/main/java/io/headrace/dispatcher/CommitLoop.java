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
 * The one loop that owns the dispatcher's state: it takes each waiting request in turn, decides,
 * applies, and journals all their records as one batch; replies leave when the batch is durable.
 *
 * <p>If an append fails, the state is rebuilt from the journal, and the requests of that batch,
 * questions included because of what they may have seen, get UNAVAILABLE. Thread-safe.
 */
final class CommitLoop implements AutoCloseable {
  /*
   * `running` is true from when a turn is handed to the executor until its batch is durable and no
   * request waits, so there is one turn at a time, whatever the executor; the lock that guards it
   * hands the state from one turn's thread to the next one's. Nothing foreign is called under it.
   *
   * After a failed append the whole journal is read: the state has no way back, and a copy to fall
   * back on would cost each record twice. That is bounded by what compaction leaves, twice the live
   * state and `compactAfter`, and it is paid once an outage, however long that is: while `refused`
   * nothing is applied before the journal has taken a record that changes nothing.
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

  /** The state may not be what the journal says: nothing is decided until it was read anew. */
  private boolean inDoubt;

  /** The journal did not take the last batch, and has taken nothing since. */
  private boolean refused;

  private long recordsSinceCompaction;
  private long recordsOfLastCompaction;

  /** Decides one request, on the loop, at {@code nowNanos} of the loop's ticker. */
  @FunctionalInterface
  interface Decider<R> {
    Decision<R> decide(DispatcherState state, long nowNanos);
  }

  /** Told, on the loop, of what became of its turns. */
  interface Observer {
    /**
     * What follows from {@code state}: asked after each request, and again after what it gave was
     * applied, until that is nothing. Its records become durable with the request's.
     */
    default List<JournalRecord> consequences(DispatcherState state) {
      return List.of();
    }

    /** {@code records} are durable, and {@code state} has them. Called after every turn. */
    void committed(DispatcherState state, List<JournalRecord> records);

    /** {@code state} was read from the journal: at the start, or because a write failed. */
    void rebuilt(DispatcherState state, long nowNanos);
  }

  /**
   * A loop that is not open yet.
   *
   * @param maxWaiting how many requests may wait; more are refused
   * @param compactAfter how many records the journal holds at least before it is compacted
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
   * Reads the journal.
   *
   * @throws StatusException DATA_LOSS, naming the record, if it can't be
   */
  void open() {
    long read = rebuild();
    tellRebuilt();
    recordsOfLastCompaction = state.snapshot().size();
    recordsSinceCompaction = Math.max(0, read - recordsOfLastCompaction);
  }

  /**
   * Has {@code decider} called in its turn. The result completes with the reply when it is durable,
   * or with the exception that the decider threw.
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

  /** Refuses what waits and what comes. */
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
    if (turn.waitsForTheJournal) {
      probe(turn);
    } else {
      append(turn);
    }
  }

  /** Ends the turn when its records, if it has some, are durable. */
  private void append(Turn turn) {
    if (inDoubt || turn.bytes.isEmpty()) {
      end(turn, null);
      return;
    }
    CompletableFuture<Long> appended = journal.append(turn.bytes);
    if (appended.isDone() && !appended.isCompletedExceptionally()) {
      // It was written on this thread: nobody else need be woken.
      end(turn, null);
    } else {
      var _ = appended.whenComplete((_, failure) -> onLoop(turn, () -> end(turn, failure)));
    }
  }

  /** Asks whether the journal takes records again, by one that changes nothing. */
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
      // The state is as it was, whatever became of the record.
      journal.resume();
      turn.held.forEach(Request::fail);
    }
    append(turn);
  }

  private void onLoop(Turn turn, Runnable step) {
    try {
      executor.execute(step);
    } catch (RejectedExecutionException e) {
      // The process stops; nobody will rebuild the state, but nobody must be left waiting either.
      turn.requests.forEach(Request::fail);
      turn.held.forEach(Request::fail);
    }
  }

  private void end(Turn turn, @Nullable Throwable failure) {
    if (failure != null) {
      LOGGER.log(Level.ERROR, "the journal did not take a batch, so it is read anew: " + failure);
      inDoubt = true;
      refused = true;
    }
    if (inDoubt) {
      tryRebuild();
      turn.requests.forEach(Request::fail);
    } else {
      recordsSinceCompaction += turn.records.size();
      turn.requests.forEach(Request::answer);
      tell(() -> observer.committed(state, turn.records));
    }
    if (!inDoubt && recordsSinceCompaction >= Math.max(compactAfter, recordsOfLastCompaction)) {
      compact();
    } else {
      goOn();
    }
  }

  private void goOn() {
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
      // It is the same state, and lets go of the old records' bytes, which its graphs were part of.
      letGo();
    } else {
      tryRebuild();
    }
    goOn();
  }

  /** Leaves the state in doubt, for the next turn to try again, where the journal can't be read. */
  private void tryRebuild() {
    letGo();
    if (!inDoubt) {
      tellRebuilt();
    }
  }

  private void letGo() {
    try {
      var _ = rebuild();
      inDoubt = false;
    } catch (RuntimeException e) {
      LOGGER.log(Level.ERROR, "the journal can't be read", e);
      inDoubt = true;
    }
  }

  private void tellRebuilt() {
    DispatcherState rebuilt = state;
    tell(() -> observer.rebuilt(rebuilt, ticker.nanoTime()));
  }

  /** A bug in whoever is told must not stop the loop. */
  private static void tell(Runnable observer) {
    try {
      observer.run();
    } catch (RuntimeException e) {
      LOGGER.log(Level.ERROR, "following a change failed", e);
    }
  }

  /** Gives how many records were read. */
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

  /** Reads a record whose bytes fields are slices of {@code bytes}, which nobody changes. */
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

  /** What one batch comes to. */
  private final class Turn {
    final List<Request<?>> requests = new ArrayList<>();
    final List<JournalRecord> records = new ArrayList<>();
    final List<byte[]> bytes = new ArrayList<>();

    /** Requests that wait to be decided anew, if the journal takes records. */
    final List<Request<?>> held = new ArrayList<>();

    /** Something is to be journaled, by a journal that did not take the last batch. */
    boolean waitsForTheJournal;

    void run(Request<?> request) {
      if (inDoubt) {
        requests.add(request);
        return;
      }
      try {
        List<JournalRecord> decided = request.decide(state, ticker.nanoTime());
        if (refused) {
          put(request, !decided.isEmpty());
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

    /** Puts off a request that changes something; others are answered as things stand. */
    private void put(Request<?> request, boolean changes) {
      (changes ? held : requests).add(request);
      waitsForTheJournal |= changes || !observer.consequences(state).isEmpty();
    }

    /** The journal takes records. */
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

    /** Applies the record as a replay would read it. */
    private void apply(JournalRecord record) {
      byte[] written = record.toByteArray();
      JournalRecord read = parse(written);
      state.apply(read);
      bytes.add(written);
      records.add(read);
    }
  }

  /** A decider with its decision, and whoever waits for it. */
  private static final class Request<R> {
    final CompletableFuture<R> reply = new CompletableFuture<>();
    private final Decider<R> decider;
    private @Nullable Decision<R> decision;
    private @Nullable Throwable failure;

    Request(Decider<R> decider) {
      this.decider = decider;
    }

    List<JournalRecord> decide(DispatcherState state, long nowNanos) {
      // What it came to before it was put off no longer holds.
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
