package io.headrace.journal;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A durable log of opaque records.
 *
 * <p>Records are numbered from 1 in the order of their appends. A batch is atomic: a replay
 * delivers all of its records or none. A journal has one owner at a time. The owner may call from
 * any thread, and may append again before earlier appends have completed.
 *
 * <p>Byte arrays passed in either direction are shared and must not be modified.
 */
public interface Journal extends AutoCloseable {
  /** The journal's identity, for its whole life. */
  UUID id();

  /**
   * The number of times this journal has been opened, this one included. Of two processes that both
   * claim the journal, the one with the greater epoch owns it.
   */
  long epoch();

  /** Passes every durable record to {@code reader}, oldest first. */
  void replay(Consumer<byte[]> reader);

  /**
   * Appends {@code records} as one batch. The future completes, on any thread, with the number of
   * the last record once all are durable.
   *
   * <p>It fails with a {@link StatusException} otherwise. The batch may or may not be durable then,
   * so all later appends fail too, until a {@link #replay} has shown the owner the outcome, or the
   * owner calls {@link #resume}.
   */
  CompletableFuture<Long> append(List<byte[]> records);

  /**
   * Allows appends again after a failed one whose outcome does not matter to the owner. Does
   * nothing without a failure.
   */
  void resume();

  /**
   * Replaces all earlier records by {@code records}, an equivalent snapshot. Completes and fails as
   * {@link #append} does; after a failure a replay delivers either all old records or all new ones.
   */
  CompletableFuture<Long> compact(List<byte[]> records);

  /**
   * Completes, on any thread and with the reason, once another process has taken over the journal,
   * which then accepts and delivers no more records. Never completes for a journal that can't be
   * taken over.
   */
  default CompletableFuture<StatusException> lost() {
    return new CompletableFuture<>();
  }

  /** Closes the log. Further calls do nothing. */
  @Override
  void close();
}
