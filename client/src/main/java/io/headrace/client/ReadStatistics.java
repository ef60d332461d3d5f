package io.headrace.client;

import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** What the passes over a distributed dataset have read so far. Thread-safe. */
public final class ReadStatistics {
  /**
   * A task that was ended because its worker was lost: what it had not delivered is missing, or, in
   * a job that is read exactly or at least once, made again by others.
   *
   * @param workerAddress the worker
   * @param taskId the task
   * @param position how many elements the worker is known to have handed out: as it said when last
   *     heard of, or as this reader got from it, whichever is more
   * @param splits if what it had not delivered is missing, under dynamic sharding: how many splits
   *     it had taken, which is the most that can be missing, for nobody knows which of them it had
   *     delivered. Stock workers do not say for which task they take splits; theirs count with the
   *     first task of an iteration that is lost, and no other. Empty if all is made again, without
   *     splits, and with a stock dispatcher, which does not tell
   */
  public record LostTask(String workerAddress, long taskId, long position, OptionalLong splits) {}

  private final LongAdder elements = new LongAdder();
  private final Map<String, LongAdder> byWorker = new ConcurrentHashMap<>();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();
  private final AtomicInteger tasks = new AtomicInteger();
  private final List<LostTask> lostTasks = new ArrayList<>();
  private volatile @Nullable Guarantee guarantee;
  private volatile String guaranteeReason = "";

  /** Elements that were returned to readers. */
  public long elements() {
    return elements.sum();
  }

  /** Bytes of these elements' tensors. */
  public long bytes() {
    return bytes.sum();
  }

  /** Nanoseconds that readers waited for elements. */
  public long waitNanos() {
    return waitNanos.sum();
  }

  /** Tasks that are being read. */
  public int tasks() {
    return tasks.get();
  }

  /** What the job guarantees; empty before the first pass has begun. */
  public Optional<Guarantee> guarantee() {
    return Optional.ofNullable(guarantee);
  }

  /** Why the job has no stronger guarantee; empty if it has the strongest. */
  public String guaranteeReason() {
    return guaranteeReason;
  }

  /** Tasks that were ended for the loss of their workers, once what had come of them was read. */
  public List<LostTask> lostTasks() {
    synchronized (lostTasks) {
      return List.copyOf(lostTasks);
    }
  }

  /**
   * How many splits may be missing, in part or as a whole, from what was read, at most: the sum of
   * those of {@link #lostTasks()}. Where each split is a record, as of a range, so many records.
   */
  public long lostSplits() {
    return lostTasks().stream().mapToLong(task -> task.splits().orElse(0)).sum();
  }

  /** Elements that were returned to readers, by the address of the worker that made them. */
  public SortedMap<String, Long> elementsByWorker() {
    SortedMap<String, Long> result = new TreeMap<>();
    byWorker.forEach((worker, count) -> result.put(worker, count.sum()));
    return result;
  }

  void read(Chunk chunk, String worker) {
    elements.add(chunk.rows());
    byWorker.computeIfAbsent(worker, _ -> new LongAdder()).add(chunk.rows());
    bytes.add(chunk.byteSize());
  }

  void guaranteed(Guarantee given, String reason) {
    guaranteeReason = reason;
    guarantee = given;
  }

  void waited(long nanos) {
    waitNanos.add(nanos);
  }

  void addTasks(int delta) {
    tasks.addAndGet(delta);
  }

  void lost(LostTask task) {
    synchronized (lostTasks) {
      lostTasks.add(task);
    }
  }
}
