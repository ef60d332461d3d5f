package io.headrace.worker;

import io.headrace.rpc.OutboundMessage;
import io.headrace.rpc.StreamItem;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A sliding window over the rows of a task, which several trainers read, each at its own pace and
 * each row once. The trainer that has read the whole window extends it by the task's next rows; the
 * oldest ones leave it when it is full. So a slow trainer skips rows, and a new one begins with the
 * oldest. Readers of one trainer share its place.
 *
 * <p>A row is kept once, in the form of the reader that came first: compressed for GetElement, as
 * part of a chunk for streams and where elements are not compressed. Other readers convert it.
 *
 * <p>Bounded in bytes by its part of the worker's {@link CacheRoom}. Thread-safe; never blocks.
 */
final class CrossTrainerCache implements RowQueue.Waiter {
  /*
   * The lock is held while rows are taken from the queue, whose lock comes second, as that of the
   * room's part does. Readers are woken, and rows compressed, outside all locks.
   *
   * Positions without an entry were errors, which went to the reader that met them.
   */

  /** The most trainers that are ahead of the window's start. */
  static final int MAX_TRAINERS = 10_000;

  private static final int MAX_ID_LENGTH = 1024;

  /** An entry takes at most this part of the room, unless it is a single row. */
  private static final int MIN_ENTRIES = 16;

  private final RowQueue rows;
  private final RowCompressor compressor;
  private final CacheRoom room;

  private final ReentrantLock lock = new ReentrantLock();
  private final NavigableMap<Long, CachedRows> window = new TreeMap<>();
  private final Map<String, Trainer> trainers = new HashMap<>();
  private final Set<RowQueue.Waiter> waiting = new LinkedHashSet<>();
  private CacheRoom.@Nullable Part part;
  private boolean compressed;
  private long bytes;
  private @Nullable StatusException stopped;

  /** A trainer's place in the task's sequence. */
  private static final class Trainer {
    /** The position of the row that it reads next. */
    private long next;

    private int streams;
  }

  /** A row in the place that a trainer has reached. */
  private record Taken(CachedRows entry, long position) {}

  /**
   * The cache of a task.
   *
   * @param rows the task's rows, of which this is the only reader
   * @param compressor compresses rows
   * @param room the memory of the worker's caches
   */
  CrossTrainerCache(RowQueue rows, RowCompressor compressor, CacheRoom room) {
    this.rows = rows;
    this.compressor = compressor;
    this.room = room;
  }

  /**
   * Opens the window, before the first row is produced. Idempotent.
   *
   * @param compresses whether GetElement sends elements compressed
   */
  void open(boolean compresses) {
    CacheRoom.Part opened = room.open(this::shrink);
    lock.lock();
    try {
      compressed = compresses;
      if (part == null && stopped == null) {
        part = opened;
        return;
      }
    } finally {
      lock.unlock();
    }
    opened.close();
  }

  /** The error of a dataset that has an end. */
  static StatusException endOfSequence() {
    return new StatusException(
        StatusCode.INVALID_ARGUMENT,
        "Cross-trainer caching requires the input dataset to be infinite. However, it reached the"
            + " end of sequence.");
  }

  /**
   * Takes the trainer's next row as a reply to GetElement. If there is none yet, registers {@code
   * waiter} and returns null.
   *
   * @throws StatusException INVALID_ARGUMENT, with TensorFlow's message, for an empty trainer id,
   *     an element that is larger than the cache, and at the end of the task; the error in place of
   *     a row; the reason if the task has ended
   */
  @Nullable CompletableFuture<OutboundMessage> takeReply(String trainerId, RowQueue.Waiter waiter) {
    @Nullable Taken taken;
    @Nullable CompletableFuture<OutboundMessage> made;
    @Nullable CompletableFuture<OutboundMessage> making = null;
    TakeResult.@Nullable Row row = null;
    lock.lock();
    try {
      taken = takeRow(trainerId, waiter);
      if (taken == null) {
        return null;
      }
      made = taken.entry().reply();
      if (made == null) {
        row = taken.entry().row(taken.position());
        making = compressed && taken.entry().isSingle() ? taken.entry().makesReply() : null;
      }
    } finally {
      lock.unlock();
    }
    if (row == null) {
      return made;
    }
    if (making == null) {
      return compressed
          ? compressor.compress(row, () -> null)
          : CompletableFuture.completedFuture(GetElementResponses.plain(row));
    }
    make(taken.entry(), row, making);
    return making;
  }

  /** Takes the trainer's next row; null if there is none, and then {@code waiter} is registered. */
  private @Nullable Taken takeRow(String trainerId, RowQueue.Waiter waiter) {
    Trainer trainer = trainer(trainerId);
    @Nullable CachedRows entry = at(trainer.next);
    if (entry == null) {
      @Nullable StreamItem met = extend(compressed ? 1 : Integer.MAX_VALUE);
      if (met instanceof StreamItem.RowFailure(long _, StatusException failure)) {
        throw new StatusException(failure.code(), failure.message(), failure);
      }
      entry = at(trainer.next);
    }
    if (entry == null) {
      waiting.add(waiter);
      return null;
    }
    long position = Math.max(trainer.next, entry.position());
    trainer.next = position + 1;
    return new Taken(entry, position);
  }

  /** Compresses a row for all its readers, and keeps the reply in the place of the row. */
  private void make(
      CachedRows entry, TakeResult.Row row, CompletableFuture<OutboundMessage> making) {
    try {
      var _ =
          compressor
              .compress(row, rows::peekRow)
              .whenComplete((reply, failure) -> {
                if (failure == null) {
                  keep(entry, reply);
                  making.complete(reply);
                } else {
                  making.completeExceptionally(failure);
                }
              });
    } catch (StatusException e) {
      making.completeExceptionally(e);
    }
  }

  private void keep(CachedRows entry, OutboundMessage reply) {
    lock.lock();
    try {
      long more = entry.growth(reply);
      while (!entry.isDropped() && more > 0 && !takes(more)) {
        var _ = dropFirst(); // at last the entry itself
      }
      if (entry.isDropped()) {
        return;
      }
      if (more < 0) {
        opened().giveBack(-more);
      }
      bytes += more;
      entry.replace(reply);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the trainer's next rows as a frame of a stream, or an error in place of a row. If there
   * are none yet, registers {@code waiter} and returns null.
   *
   * @throws StatusException as {@link #takeReply}
   */
  @Nullable StreamItem takeFrame(String trainerId, RowQueue.Waiter waiter) {
    List<CachedRows.Part> parts = new ArrayList<>();
    lock.lock();
    try {
      Trainer trainer = trainer(trainerId);
      if (at(trainer.next) == null) {
        @Nullable StreamItem met = extend(Integer.MAX_VALUE);
        if (met != null) {
          return met;
        }
      }
      @Nullable CachedRows entry = at(trainer.next);
      if (entry == null) {
        waiting.add(waiter);
        return null;
      }
      trainer.next = Math.max(trainer.next, entry.position());
      long taken = 0;
      while (entry != null && entry.position() <= trainer.next) {
        parts.add(entry.from(trainer.next));
        trainer.next = entry.end();
        taken += entry.bytes();
        entry = taken < RowQueue.FRAME_BYTES ? at(trainer.next) : null;
        if (entry != null && entry.bytes() >= RowQueue.FRAME_BYTES) {
          entry = null;
        }
      }
    } finally {
      lock.unlock();
    }
    return new StreamItem.Rows(Chunk.concat(parts.stream().map(CachedRows.Part::toChunk).toList()));
  }

  /** A stream of a trainer opens. */
  void openStream(String trainerId) {
    lock.lock();
    try {
      trainer(trainerId).streams++;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the trainer has other streams beside the caller's. */
  boolean isShared(String trainerId) {
    lock.lock();
    try {
      @Nullable Trainer trainer = trainers.get(trainerId);
      return trainer != null && trainer.streams > 1;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A stream of a trainer closes. The rows that it took and did not deliver are the trainer's next
   * ones, unless another of its readers has read on.
   */
  void closeStream(String trainerId, RowQueue.Waiter waiter, List<StreamItem> unconsumed) {
    lock.lock();
    try {
      waiting.remove(waiter);
      @Nullable Trainer trainer = trainers.get(trainerId);
      if (trainer == null) {
        return;
      }
      trainer.streams--;
      if (!unconsumed.isEmpty()) {
        StreamItem last = unconsumed.getLast();
        if (trainer.next == last.position() + last.rows()) {
          trainer.next = unconsumed.getFirst().position();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Removes a waiter. */
  void forget(RowQueue.Waiter waiter) {
    lock.lock();
    try {
      waiting.remove(waiter);
    } finally {
      lock.unlock();
    }
  }

  /** Drops all rows; readers get {@code reason} from now on. Idempotent. */
  void stop(StatusException reason) {
    CacheRoom.@Nullable Part closing;
    lock.lock();
    try {
      if (stopped == null) {
        stopped = reason;
      }
      window.values().forEach(CachedRows::drop);
      window.clear();
      trainers.clear();
      bytes = 0;
      closing = part;
      part = null;
    } finally {
      lock.unlock();
    }
    if (closing != null) {
      closing.close();
    }
    fail(reason);
  }

  @Override
  public void wake() {
    takeWaiting().forEach(RowQueue.Waiter::wake);
  }

  @Override
  public void fail(StatusException reason) {
    takeWaiting().forEach(waiter -> waiter.fail(reason));
  }

  private List<RowQueue.Waiter> takeWaiting() {
    lock.lock();
    try {
      List<RowQueue.Waiter> all = List.copyOf(waiting);
      waiting.clear();
      return all;
    } finally {
      lock.unlock();
    }
  }

  /** Gives up what is beyond the limit. */
  private void shrink() {
    lock.lock();
    try {
      CacheRoom.@Nullable Part of = part;
      while (of != null && bytes > of.limitBytes() && dropFirst()) {
        // The oldest leave.
      }
    } finally {
      lock.unlock();
    }
  }

  /** The bytes in the window. */
  long bytes() {
    lock.lock();
    try {
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  // The methods from here on are called under the lock.

  private Trainer trainer(String id) {
    @Nullable StatusException reason = stopped;
    if (reason != null) {
      throw new StatusException(reason.code(), reason.message());
    }
    if (id.isEmpty()) {
      throw StatusException.invalidArgument(
          "tf.data service cross-trainer cache requires a non-empty trainer ID.");
    }
    if (id.length() > MAX_ID_LENGTH) {
      throw StatusException.invalidArgument(
          "trainer_id may have %d characters, got %d", MAX_ID_LENGTH, id.length());
    }
    @Nullable Trainer known = trainers.get(id);
    if (known != null) {
      return known;
    }
    if (trainers.size() >= MAX_TRAINERS) {
      forgetTrainersBehind();
    }
    if (trainers.size() >= MAX_TRAINERS) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "%d trainers read this cross-trainer cache, and no more can",
          MAX_TRAINERS);
    }
    Trainer added = new Trainer();
    trainers.put(id, added);
    return added;
  }

  /** A trainer behind the window reads what a new one would. */
  private void forgetTrainersBehind() {
    long start = window.isEmpty() ? 0 : window.firstKey();
    trainers.values().removeIf(trainer -> trainer.streams == 0 && trainer.next <= start);
  }

  /** The entry with the first row from {@code position} on; null if the window has none. */
  private @Nullable CachedRows at(long position) {
    Map.@Nullable Entry<Long, CachedRows> entry = window.floorEntry(position);
    if (entry == null || entry.getValue().end() <= position) {
      entry = window.higherEntry(position);
    }
    return entry == null ? null : entry.getValue();
  }

  /**
   * Extends the window by up to {@code maxRows} of the task's next rows, if there are any.
   * Otherwise the readers that wait will be woken.
   *
   * @return the error that was in place of a row; null otherwise
   * @throws StatusException INVALID_ARGUMENT at the end of the task
   */
  private @Nullable StreamItem extend(int maxRows) {
    while (true) {
      @Nullable StreamItem next = rows.takeForGood(this, maxRows, maxEntryBytes());
      switch (next) {
        case null -> {
          return null;
        }
        case StreamItem.Rows(Chunk chunk) -> {
          return add(chunk);
        }
        case StreamItem.RowFailure failure -> {
          return failure;
        }
        case StreamItem.End _ -> throw endOfSequence();
        case StreamItem.Dropped _ -> {}
      }
    }
  }

  private long maxEntryBytes() {
    CacheRoom.@Nullable Part of = part;
    long most = of == null ? RowQueue.MAX_FRAME_BYTES : of.limitBytes() / MIN_ENTRIES;
    return Math.clamp(most, 1, RowQueue.MAX_FRAME_BYTES);
  }

  /** Adds rows, for which the oldest leave; returns an error in their place if they don't fit. */
  private @Nullable StreamItem add(Chunk chunk) {
    CachedRows entry = new CachedRows(chunk);
    long limit = opened().limitBytes();
    while (bytes + entry.bytes() > limit && dropFirst()) {
      // The oldest leave.
    }
    if (entry.bytes() > limit) {
      return new StreamItem.RowFailure(
          chunk.position(),
          StatusException.invalidArgument(
              "tf.data service element size is larger than cache size in bytes. Got element size:"
                  + " %d and cache size: %d",
              entry.bytes(), limit));
    }
    while (!opened().take(entry.bytes())) {
      if (!dropFirst()) {
        return new StreamItem.RowFailure(chunk.position(), opened().exhausted(entry.bytes()));
      }
    }
    bytes += entry.bytes();
    window.put(entry.position(), entry);
    return null;
  }

  private boolean takes(long more) {
    return bytes + more <= opened().limitBytes() && opened().take(more);
  }

  private boolean dropFirst() {
    Map.@Nullable Entry<Long, CachedRows> first = window.pollFirstEntry();
    if (first == null) {
      return false;
    }
    first.getValue().drop();
    bytes -= first.getValue().bytes();
    opened().giveBack(first.getValue().bytes());
    return true;
  }

  private CacheRoom.Part opened() {
    CacheRoom.@Nullable Part of = part;
    if (of == null) {
      throw new IllegalStateException("rows before the cache was opened");
    }
    return of;
  }
}
