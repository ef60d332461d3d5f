package io.headrace.journal;

import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A durable log of records, which are bytes that mean something to its owner only.
 *
 * <p>Records are numbered from 1 in the order in which they were appended. A batch is whole: a
 * replay finds all of its records or none. One owner at a time uses a journal; it may call from any
 * thread, and may append again before an earlier append has ended.
 *
 * <p>Byte arrays that are handed over, either way, belong to both sides and are never changed.
 */
public interface Journal extends AutoCloseable {
  /** What tells this journal from all others, for as long as it is there. */
  UUID id();

  /**
   * How often this journal was opened, this time included: of two owners who both believe that it
   * is theirs, the one with the greater epoch is right.
   */
  long epoch();

  /** Gives every record that is durable to {@code reader}, oldest first. */
  void replay(Consumer<byte[]> reader);

  /**
   * Appends {@code records} as one batch. The result completes, on any thread, with the number of
   * the last of them once all are durable.
   *
   * <p>It completes with a {@link StatusException} if that fails. Then nobody knows whether the
   * batch is durable, so everything that comes after it fails too, until a {@link #replay} has told
   * the owner how things stand, or {@link #resume} says that it need not know.
   */
  CompletableFuture<Long> append(List<byte[]> records);

  /**
   * Lets appends be tried again after one that failed, for an owner to whom it is all one whether
   * that one's records are durable. Without such a failure it does nothing.
   */
  void resume();

  /**
   * Puts {@code records}, which say the same in fewer words, in the place of everything that was
   * appended before. Completes and fails as {@link #append} does; after a failure a replay gives
   * either the old records or the new ones, whole.
   */
  CompletableFuture<Long> compact(List<byte[]> records);

  /**
   * Completes, on any thread and with the reason, if another owner has taken the journal, which
   * then takes and gives no more records. Never completes for a journal that can't be taken.
   */
  default CompletableFuture<StatusException> lost() {
    return new CompletableFuture<>();
  }

  /** Lets go of the log. A second close does no harm. */
  @Override
  void close();
}
