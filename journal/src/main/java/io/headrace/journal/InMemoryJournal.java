package io.headrace.journal;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A journal in memory, for dispatchers without fault tolerance and for tests. Closing it keeps the
 * records, so it can be {@linkplain #reopen reopened}. Thread-safe.
 */
public final class InMemoryJournal implements Journal {
  private final UUID id;
  private final Object lock = new Object();
  private List<byte[]> records = new ArrayList<>();
  private long lastNumber;
  private long epoch = 1;
  private boolean closed;

  /** An empty journal. */
  public InMemoryJournal() {
    this(UUID.randomUUID());
  }

  private InMemoryJournal(UUID id) {
    this.id = id;
  }

  /** A new journal with the records of this one and the next epoch, as after a restart. */
  public InMemoryJournal reopen() {
    InMemoryJournal reopened = new InMemoryJournal(id);
    synchronized (lock) {
      reopened.records.addAll(records);
      reopened.lastNumber = lastNumber;
      reopened.epoch = epoch + 1;
    }
    return reopened;
  }

  @Override
  public UUID id() {
    return id;
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public void replay(Consumer<byte[]> reader) {
    List<byte[]> all;
    synchronized (lock) {
      all = List.copyOf(records);
    }
    all.forEach(reader);
  }

  @Override
  public CompletableFuture<Long> append(List<byte[]> batch) {
    synchronized (lock) {
      return closed ? refused() : add(batch);
    }
  }

  @Override
  public void resume() {
    // Appends never fail with an unknown outcome here.
  }

  @Override
  public CompletableFuture<Long> compact(List<byte[]> batch) {
    synchronized (lock) {
      if (closed) {
        return refused();
      }
      records = new ArrayList<>(batch.size());
      return add(batch);
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
    }
  }

  private CompletableFuture<Long> add(List<byte[]> batch) {
    records.addAll(batch);
    lastNumber += batch.size();
    return CompletableFuture.completedFuture(lastNumber);
  }

  private static CompletableFuture<Long> refused() {
    return CompletableFuture.failedFuture(
        new StatusException(StatusCode.FAILED_PRECONDITION, "the journal is closed"));
  }
}
