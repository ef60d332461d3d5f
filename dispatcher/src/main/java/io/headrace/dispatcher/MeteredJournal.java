package io.headrace.dispatcher;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.journal.Journal;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.Meter;
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
  /** From a fast disk to a bucket that is far away, in seconds. */
  private static final List<Double> COMMIT_BOUNDS =
      List.of(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0);

  private static final double NANOS_PER_SECOND = 1e9;

  private final Journal journal;
  private final Ticker ticker;

  private final DoubleHistogram commits;

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
      return new Figures(records + batch.size(), bytes + bytesOf(batch), OptionalLong.of(nanos));
    }
  }

  /** Measures {@code journal} by the clock {@code ticker}, and for {@code meter}. */
  MeteredJournal(Journal journal, Ticker ticker, Meter meter) {
    this.journal = journal;
    this.ticker = ticker;
    commits =
        meter
            .histogramBuilder(DispatchServer.COMMIT_SECONDS)
            .setUnit("s")
            .setDescription("how long changes took to become durable")
            .setExplicitBucketBoundariesAdvice(COMMIT_BOUNDS)
            .build();
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

  private void noteAppend(List<byte[]> batch, long startNanos, @Nullable Throwable failure) {
    if (failure == null) {
      long nanos = Math.max(0, ticker.nanoTime() - startNanos);
      commits.record(nanos / NANOS_PER_SECOND);
      appended(batch, nanos);
    }
  }

  private synchronized void appended(List<byte[]> batch, long nanos) {
    figures = figures.appended(batch, nanos);
  }

  private synchronized void resized(long records, long bytes) {
    figures = figures.sized(records, bytes);
  }

  private static long bytesOf(List<byte[]> records) {
    return records.stream().mapToLong(record -> record.length).sum();
  }
}
