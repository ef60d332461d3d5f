package io.headrace.journal;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A journal with injected delays and faults, for tests of its users. Appends can be held back until
 * they are released. The next append or compaction can fail, with its records lost or kept.
 * Delegates to another journal otherwise. Thread-safe.
 */
public final class FaultInjectingJournal implements Journal {
  private final Journal journal;
  private final Object lock = new Object();
  private final Queue<Runnable> held = new ArrayDeque<>();
  private boolean holding;
  private Fault nextFault = Fault.NONE;
  private boolean nextCompactionFails;
  private boolean inDoubt;
  private int appends;
  private int replays;

  private enum Fault {
    NONE,
    RECORDS_LOST,
    RECORDS_KEPT
  }

  /** Wraps {@code journal}, and closes it when closed. */
  public FaultInjectingJournal(Journal journal) {
    this.journal = journal;
  }

  /** Holds appends back from now on. */
  public void hold() {
    synchronized (lock) {
      holding = true;
    }
  }

  /** Releases the held appends, and lets later ones through. */
  public void release() {
    synchronized (lock) {
      holding = false;
    }
    for (Runnable append = next(); append != null; append = next()) {
      append.run();
    }
  }

  /** Makes the next append fail without keeping its records. */
  public void failNextAppend() {
    setNextFault(Fault.RECORDS_LOST);
  }

  /** Makes the next append fail although its records are kept, as when only the reply is lost. */
  public void failNextAppendButKeepIt() {
    setNextFault(Fault.RECORDS_KEPT);
  }

  /** Makes the next compaction fail and keep the old records. */
  public void failNextCompaction() {
    synchronized (lock) {
      nextCompactionFails = true;
    }
  }

  /** The number of append and compact calls. */
  public int appends() {
    synchronized (lock) {
      return appends;
    }
  }

  /** The number of replays. */
  public int replays() {
    synchronized (lock) {
      return replays;
    }
  }

  @Override
  public UUID id() {
    return journal.id();
  }

  @Override
  public long epoch() {
    return journal.epoch();
  }

  @Override
  public void replay(Consumer<byte[]> reader) {
    synchronized (lock) {
      inDoubt = false;
      replays++;
    }
    journal.replay(reader);
  }

  @Override
  public CompletableFuture<Long> append(List<byte[]> records) {
    return holdOrRun(() -> journal.append(records));
  }

  @Override
  public void resume() {
    synchronized (lock) {
      inDoubt = false;
    }
    journal.resume();
  }

  @Override
  public CompletableFuture<Long> compact(List<byte[]> records) {
    synchronized (lock) {
      if (nextCompactionFails) {
        nextCompactionFails = false;
        nextFault = Fault.RECORDS_LOST;
      }
    }
    return holdOrRun(() -> journal.compact(records));
  }

  @Override
  public CompletableFuture<StatusException> lost() {
    return journal.lost();
  }

  @Override
  public void close() {
    journal.close();
  }

  private CompletableFuture<Long> holdOrRun(Supplier<CompletableFuture<Long>> append) {
    CompletableFuture<Long> result = new CompletableFuture<>();
    Runnable run = () -> run(append, result);
    synchronized (lock) {
      appends++;
      if (holding) {
        held.add(run);
        return result;
      }
    }
    run.run();
    return result;
  }

  private void run(Supplier<CompletableFuture<Long>> append, CompletableFuture<Long> result) {
    Fault fault = takeFault();
    if (fault != Fault.RECORDS_LOST) {
      CompletableFuture<Long> kept = append.get();
      if (fault == Fault.NONE) {
        var _ = kept.whenComplete((number, failure) -> complete(number, failure, result));
        return;
      }
    }
    result.completeExceptionally(
        new StatusException(StatusCode.UNAVAILABLE, "injected fault of the journal"));
  }

  private static void complete(
      @Nullable Long number, @Nullable Throwable failure, CompletableFuture<Long> result) {
    if (failure != null) {
      result.completeExceptionally(failure);
    } else {
      result.complete(number);
    }
  }

  private Fault takeFault() {
    synchronized (lock) {
      Fault fault = inDoubt ? Fault.RECORDS_LOST : nextFault;
      nextFault = Fault.NONE;
      inDoubt |= fault != Fault.NONE;
      return fault;
    }
  }

  private void setNextFault(Fault fault) {
    synchronized (lock) {
      nextFault = fault;
    }
  }

  private @Nullable Runnable next() {
    synchronized (lock) {
      return held.poll();
    }
  }
}
