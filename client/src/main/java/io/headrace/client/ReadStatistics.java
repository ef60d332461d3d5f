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

/** Statistics of the passes over a distributed dataset so far. Thread-safe. */
public final class ReadStatistics {
  /** Why a task ended before the end of its elements. */
  public enum LossReason {
    /** Its worker died or was cut off. */
    WORKER_LOST,
    /** Its worker left in order. */
    WORKER_LEFT,
    /** A reader of it went away without having acknowledged what it was sent. */
    READER_GONE,
    /** A reader resumed from a checkpoint, and reads again what the task was producing. */
    RECORDS_RESUMED
  }

  /**
   * A task that ended before the end of its elements. Its undelivered elements are missing, or, in
   * an exactly-once or at-least-once job, produced again by other workers.
   *
   * @param workerAddress the worker
   * @param taskId the task
   * @param position the number of elements that the worker is known to have sent: the maximum of
   *     its last report and of those that this reader received
   * @param splits under dynamic sharding with missing elements, the number of splits that the
   *     worker had taken: an upper bound of the missing ones, because it is unknown which of them
   *     it had delivered. Stock workers do not name the task for which they take splits; all their
   *     splits count for the first lost task of an iteration. Empty if the elements are produced
   *     again, without splits, and with a stock dispatcher, which does not report it
   * @param elements in a job created by a stock client, the most elements that can be missing: the
   *     dispatcher was told of these before their delivery. Empty in other jobs
   * @param reason why the task ended
   * @param madeAgain whether other workers produce its undelivered elements again
   */
  public record LostTask(
      String workerAddress,
      long taskId,
      long position,
      OptionalLong splits,
      OptionalLong elements,
      LossReason reason,
      boolean madeAgain) {

    /** Whether elements may be missing. */
    boolean mayMiss() {
      return !madeAgain && splits.orElse(1) > 0 && elements.orElse(1) > 0;
    }

    /** The loss in a sentence, as the reader logs it: the worker, the task, and what is missing. */
    @Override
    public String toString() {
      return "%s, after %d elements: %s".formatted(cause(), position, consequence());
    }

    private String cause() {
      return switch (reason) {
        case WORKER_LOST -> "worker %s was lost with task %d".formatted(workerAddress, taskId);
        case WORKER_LEFT -> "worker %s left with task %d".formatted(workerAddress, taskId);
        case READER_GONE ->
            "a reader of task %d of worker %s went away".formatted(taskId, workerAddress);
        case RECORDS_RESUMED ->
            "task %d of worker %s ended for a reader that resumed".formatted(taskId, workerAddress);
      };
    }

    private String consequence() {
      if (madeAgain) {
        return "what it had not delivered is made again";
      }
      if (!mayMiss()) {
        return "nothing is missing";
      }
      if (elements.isPresent()) {
        return "at most %d elements that it had announced are missing"
            .formatted(elements.getAsLong());
      }
      return splits.isPresent()
          ? "what it had not delivered of %d splits is missing".formatted(splits.getAsLong())
          : "what it had not delivered is missing";
    }
  }

  private static final double NANOS_PER_SECOND = 1e9;

  private final LongAdder elements = new LongAdder();
  private final Map<String, LongAdder> byWorker = new ConcurrentHashMap<>();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();
  private final LongAdder errorsIgnored = new LongAdder();
  private final AtomicInteger tasks = new AtomicInteger();
  private final List<LostTask> lostTasks = new ArrayList<>();
  private volatile @Nullable Guarantee guarantee;
  private volatile String guaranteeReason = "";

  /** The figures in a sentence, for logs. */
  @Override
  public String toString() {
    return "%d elements with %d bytes, waited for %.1f s, %s, %d tasks lost"
        .formatted(
            elements(),
            bytes(),
            waitNanos() / NANOS_PER_SECOND,
            guarantee().map(Guarantee::name).orElse("no pass begun"),
            lostTasks().size());
  }

  /**
   * The number of elements that came out of {@code distribute}: {@code hasNext} fetches the next
   * one, and transformations behind it, such as prefetch and batch, fetch those that they need.
   */
  public long elements() {
    return elements.sum();
  }

  /** The bytes of the tensors of these elements. */
  public long bytes() {
    return bytes.sum();
  }

  /** The nanoseconds that readers waited for elements. */
  public long waitNanos() {
    return waitNanos.sum();
  }

  /**
   * How many elements failed on the workers and were left out by {@code ignoreErrors}, in the tasks
   * that were read: workers tell it once a second on streams, with each element in unary calls, and
   * at the end of a task. Readers that share a task all count what it left out, and an element that
   * is made again after a loss may count again. Stock workers do not tell: theirs are 0. Elements
   * that {@code ignoreErrors} leaves out behind {@code distribute} are not among these; {@link
   * io.headrace.dataset.ElementIterator#errorsIgnored} has both.
   */
  public long errorsIgnored() {
    return errorsIgnored.sum();
  }

  /** The number of tasks being read. */
  public int tasks() {
    return tasks.get();
  }

  /** The job's guarantee; empty before the first pass has started. */
  public Optional<Guarantee> guarantee() {
    return Optional.ofNullable(guarantee);
  }

  /** Why the job has no stronger guarantee; empty if it has the strongest. */
  public String guaranteeReason() {
    return guaranteeReason;
  }

  /**
   * The lost tasks, each once the elements that had arrived from it were read. The reader logs each
   * of them, too. A task that gave nothing and took nothing with it is none of them, as where a
   * worker had died just before the task was given to it.
   */
  public List<LostTask> lostTasks() {
    synchronized (lostTasks) {
      return List.copyOf(lostTasks);
    }
  }

  /**
   * An upper bound of the splits that are missing, partly or entirely: the sum over {@link
   * #lostTasks()}. If each split is a record, as in a range, this is a number of records.
   */
  public long lostSplits() {
    return lostTasks().stream().mapToLong(task -> task.splits().orElse(0)).sum();
  }

  /** The number of elements that iterators fetched, by worker address. */
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

  void ignored(long more) {
    errorsIgnored.add(more);
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
