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
 * A journal that delays and fails when it is told to, for tests of what depends on one: appends can
 * be held back until they are released, and the next one can fail, with its records lost or, worse,
 * kept. Otherwise it is the journal that it stands before. Thread-safe.
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

  /** Stands before {@code journal}, and closes it when it is closed. */
  public FaultInjectingJournal(Journal journal) {
    this.journal = journal;
  }

  /** From now on appends wait. */
  public void hold() {
    synchronized (lock) {
      holding = true;
    }
  }

  /** Lets the appends that wait, and later ones, through. */
  public void release() {
    synchronized (lock) {
      holding = false;
    }
    for (Runnable append = next(); append != null; append = next()) {
      append.run();
    }
  }

  /** The next append fails, and nothing of it is kept. */
  public void failNextAppend() {
    setNextFault(Fault.RECORDS_LOST);
  }

  /** The next append fails although its records are kept, as when only the answer is lost. */
  public void failNextAppendButKeepIt() {
    setNextFault(Fault.RECORDS_KEPT);
  }

  /** The next compaction fails, and the old records are kept. */
  public void failNextCompaction() {
    synchronized (lock) {
      nextCompactionFails = true;
    }
  }

  /** How many appends were asked for. */
  public int appends() {
    synchronized (lock) {
      return appends;
    }
  }

  /** How often its records were read. */
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
    return through(() -> journal.append(records));
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
    return through(() -> journal.compact(records));
  }

  @Override
  public CompletableFuture<StatusException> lost() {
    return journal.lost();
  }

  @Override
  public void close() {
    journal.close();
  }

  private CompletableFuture<Long> through(Supplier<CompletableFuture<Long>> append) {
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
        var _ = kept.whenComplete((number, failure) -> pass(number, failure, result));
        return;
      }
    }
    result.completeExceptionally(
        new StatusException(StatusCode.UNAVAILABLE, "the journal was told to fail"));
  }

  private static void pass(
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
