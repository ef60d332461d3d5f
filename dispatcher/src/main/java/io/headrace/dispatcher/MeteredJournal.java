package io.headrace.dispatcher;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.journal.Journal;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A journal whose size and commit times are measured; otherwise the journal that it wraps, which it
 * closes. Thread-safe.
 */
final class MeteredJournal implements Journal {
  private final Journal journal;
  private final Ticker ticker;

  @GuardedBy("this")
  private Figures figures = new Figures(0, 0, OptionalLong.empty());

  /**
   * Figures of a journal.
   *
   * @param records the records that a replay would deliver
   * @param bytes their bytes, without what the storage adds
   * @param lastCommitNanos how long the last append took to become durable; empty before the first
   */
  record Figures(long records, long bytes, OptionalLong lastCommitNanos) {
    private Figures sized(long newRecords, long newBytes) {
      return new Figures(newRecords, newBytes, lastCommitNanos);
    }

    private Figures appended(List<byte[]> batch, long nanos) {
      return new Figures(
          records + batch.size(), bytes + bytesOf(batch), OptionalLong.of(Math.max(0, nanos)));
    }
  }

  /** Measures {@code journal} by the clock {@code ticker}. */
  MeteredJournal(Journal journal, Ticker ticker) {
    this.journal = journal;
    this.ticker = ticker;
  }

  synchronized Figures figures() {
    return figures;
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
    long[] read = {0, 0};
    journal.replay(record -> {
      read[0]++;
      read[1] += record.length;
      reader.accept(record);
    });
    resized(read[0], read[1]);
  }

  @Override
  public CompletableFuture<Long> append(List<byte[]> records) {
    long startNanos = ticker.nanoTime();
    CompletableFuture<Long> appended = journal.append(records);
    var _ = appended.whenComplete((_, failure) -> noteAppend(records, startNanos, failure));
    return appended;
  }

  @Override
  public void resume() {
    journal.resume();
  }

  @Override
  public CompletableFuture<Long> compact(List<byte[]> records) {
    CompletableFuture<Long> compacted = journal.compact(records);
    var _ =
        compacted.whenComplete((_, failure) -> {
          if (failure == null) {
            resized(records.size(), bytesOf(records));
          }
        });
    return compacted;
  }

  @Override
  public CompletableFuture<StatusException> lost() {
    return journal.lost();
  }

  @Override
  public void close() {
    journal.close();
  }

  private synchronized void noteAppend(
      List<byte[]> batch, long startNanos, @Nullable Throwable failure) {
    if (failure == null) {
      figures = figures.appended(batch, ticker.nanoTime() - startNanos);
    }
  }

  private synchronized void resized(long records, long bytes) {
    figures = figures.sized(records, bytes);
  }

  private static long bytesOf(List<byte[]> records) {
    return records.stream().mapToLong(record -> record.length).sum();
  }
}
