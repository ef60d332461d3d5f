package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.journal.FaultInjectingJournal;
import io.headrace.journal.InMemoryJournal;
import io.headrace.journal.Journal;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The journal of one dispatcher process in a {@link Simulation}. Its writes take time, fail, stall,
 * and hit a full disk; a crash loses the write in flight or keeps it.
 */
final class SimulatedDisk implements Journal {
  private static final long MILLI = 1_000_000;

  private final VirtualProcess process;
  private final RandomGenerator random;
  private final InMemoryJournal memory;
  private final JournalOracle ledger;
  private final FaultInjectingJournal faults;
  private double failures;
  private boolean full;
  private long stallNanos;
  private boolean writing;

  /**
   * A disk with the content of {@code memory}.
   *
   * @param process the dispatcher process
   * @param random draws delays and faults
   * @param memory the disk's content
   * @param ledger told of each write
   */
  SimulatedDisk(
      VirtualProcess process,
      RandomGenerator random,
      InMemoryJournal memory,
      JournalOracle ledger) {
    this.process = process;
    this.random = random;
    this.memory = memory;
    this.ledger = ledger;
    faults = new FaultInjectingJournal(new Recorded(memory, ledger));
    faults.hold();
  }

  /** Makes the fraction {@code share} of all writes fail. */
  void fail(double share) {
    failures = share;
  }

  void setFull(boolean full) {
    this.full = full;
  }

  /** Delays the next write. */
  void stall(long nanos) {
    stallNanos = nanos;
  }

  boolean isWriting() {
    return writing;
  }

  /** Crashes the disk; returns what a restart finds, with the write in flight or without it. */
  InMemoryJournal crash() {
    if (random.nextBoolean()) {
      faults.release();
    }
    return memory.reopen();
  }

  @Override
  public UUID id() {
    return faults.id();
  }

  @Override
  public long epoch() {
    return faults.epoch();
  }

  @Override
  public void replay(Consumer<byte[]> reader) {
    if (random.nextDouble() < failures) {
      throw new StatusException(StatusCode.UNAVAILABLE, "the disk can't be read");
    }
    DispatcherState replayed = new DispatcherState();
    faults.replay(record -> {
      replayed.apply(JournalOracle.parse(record));
      reader.accept(record);
    });
    ledger.replayed(replayed);
  }

  @Override
  public CompletableFuture<Long> append(List<byte[]> records) {
    ledger.decided(records);
    injectFault();
    return written(faults.append(records));
  }

  @Override
  public void resume() {
    faults.resume();
  }

  @Override
  public CompletableFuture<Long> compact(List<byte[]> records) {
    if (full || random.nextDouble() < failures) {
      faults.failNextCompaction();
    }
    return written(faults.compact(records));
  }

  @Override
  public void close() {
    // The content stays.
  }

  private void injectFault() {
    if (full) {
      faults.failNextAppend();
    } else if (random.nextDouble() < failures) {
      if (random.nextBoolean()) {
        faults.failNextAppend();
      } else {
        faults.failNextAppendButKeepIt();
      }
    }
  }

  private CompletableFuture<Long> written(CompletableFuture<Long> write) {
    writing = true;
    process.after(MILLI / 10 + random.nextLong(5 * MILLI) + stallNanos, this::flush);
    stallNanos = 0;
    return write;
  }

  private void flush() {
    writing = false;
    faults.release();
    faults.hold();
  }

  /** Tells the ledger of each write that reaches the disk. */
  private record Recorded(Journal disk, JournalOracle ledger) implements Journal {
    @Override
    public UUID id() {
      return disk.id();
    }

    @Override
    public long epoch() {
      return disk.epoch();
    }

    @Override
    public void replay(Consumer<byte[]> reader) {
      disk.replay(reader);
    }

    @Override
    public CompletableFuture<Long> append(List<byte[]> records) {
      ledger.written(records);
      return disk.append(records);
    }

    @Override
    public void resume() {
      disk.resume();
    }

    @Override
    public CompletableFuture<Long> compact(List<byte[]> records) {
      ledger.compacted(records);
      return disk.compact(records);
    }

    @Override
    public void close() {
      disk.close();
    }
  }
}
