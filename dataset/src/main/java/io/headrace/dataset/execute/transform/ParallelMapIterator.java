package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CancellableMonitor;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DroppedOrigins;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.RowCursor;
import io.headrace.dataset.execute.pass.RowFunction;
import io.headrace.dataset.execute.pass.RowMapper;
import io.headrace.dataset.execute.pass.Stage;
import io.headrace.dataset.execute.pass.StageTime;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The results of a function that several tasks call in parallel.
 *
 * <p>Each task takes the next rows of the input, a batch; while it holds the input's lock, it
 * reserves the batch's position in the queue. It then calls the function and adds results to the
 * batch as they are computed. The reader takes them from the first batch of the queue, or from any
 * if order is not kept. The queue is bounded by the number of tasks, and a batch has as many rows
 * as take about half a millisecond, so little is computed ahead.
 */
final class ParallelMapIterator implements ChunkIterator {
  private final Cancellation cancellation;
  private final CancellableMonitor monitor;
  private final ChunkIterator input;
  private final ReentrantLock inputLock = new ReentrantLock();
  private final RowFunction function;
  private final IteratorContext context;
  private final int maxTasks;
  private final boolean startsAll;
  private final boolean keepsOrder;
  private final Stage stage;
  private final StageTime waiting;

  // The fields below are guarded by the monitor.
  private final Deque<Batch> queue = new ArrayDeque<>();
  private final DroppedOrigins dropped = new DroppedOrigins();
  private int tasks;
  private boolean inputEnded;

  /** The results of consecutive rows. */
  private static final class Batch {
    /** The chunk being taken from. */
    private final RowCursor taking = new RowCursor();

    /**
     * The results behind it, in order: chunks, failures, and at the end the origins of failed rows.
     */
    private final Deque<Object> ready = new ArrayDeque<>();

    private boolean done;

    boolean isEmpty() {
      return taking.isEmpty() && ready.isEmpty();
    }

    /**
     * Whether a chunk or a failure can be taken; moves origins of failed rows to {@code dropped}.
     */
    boolean isReady(DroppedOrigins dropped) {
      while (taking.isEmpty() && ready.peekFirst() instanceof Origins origins) {
        dropped.add(origins);
        ready.removeFirst();
      }
      return !isEmpty();
    }

    /** The next rows, at most {@code maxRows}, or a failure. */
    Object take(int maxRows) {
      if (taking.isEmpty()) {
        Object next = ready.removeFirst();
        if (!(next instanceof Chunk chunk)) {
          return next;
        }
        taking.refill(chunk);
      }
      return taking.take(Math.min(maxRows, taking.left()));
    }
  }

  private ParallelMapIterator(
      MapDataset dataset, ChunkIterator input, IteratorContext context, Cancellation cancellation) {
    this.cancellation = cancellation;
    this.monitor = new CancellableMonitor(cancellation);
    this.context = context;
    this.input = input;
    this.function = dataset.function().open(context);
    this.maxTasks = dataset.parallelism().limit(context);
    this.startsAll = dataset.parallelism().calls() > 0;
    this.keepsOrder = dataset.parallelism().keepsOrder(context);
    this.stage = context.stage();
    this.waiting = stage.waiting();
    stage.readsAhead();
    stage.mayUse(maxTasks);
  }

  /** Starts a pass; nothing runs before the first call of {@code next}. */
  static ParallelMapIterator open(MapDataset dataset, IteratorContext context) {
    Cancellation cancellation = context.step().cancellation().child();
    IteratorContext inside = context.inBackground(cancellation);
    return new ParallelMapIterator(dataset, inside.open(dataset.input()), inside, cancellation);
  }

  /**
   * Continues with the rest of {@code input}, which it then owns; {@code dropped} are origins to
   * report first.
   */
  static ParallelMapIterator takeOver(
      MapDataset dataset, ChunkIterator input, Origins dropped, IteratorContext context) {
    Cancellation cancellation = context.step().cancellation().child();
    ParallelMapIterator taken =
        new ParallelMapIterator(dataset, input, context.inBackground(cancellation), cancellation);
    taken.dropped.add(dropped);
    return taken;
  }

  @Override
  public @Nullable Chunk next(int maxRows) {
    monitor.lock();
    try {
      monitor.check();
      startTasks(startsAll ? maxTasks : 1);
      while (true) {
        Batch batch = readyBatch();
        if (batch != null) {
          return take(batch, maxRows);
        }
        if (queue.isEmpty() && inputEnded) {
          return null;
        }
        // One more task serves the waiting reader sooner.
        startTasks(Math.min(maxTasks, tasks + 1));
        monitor.await(waiting);
      }
    } finally {
      monitor.unlock();
    }
  }

  /** The function is stateless, so its calls can be omitted. */
  @Override
  public long passOver(long rows) {
    return input.passOver(rows);
  }

  private @Nullable Batch readyBatch() {
    for (Iterator<Batch> batches = queue.iterator(); batches.hasNext(); ) {
      Batch batch = batches.next();
      if (batch.isReady(dropped)) {
        return batch;
      }
      if (batch.done) {
        batches.remove();
        monitor.signal();
      } else if (keepsOrder) {
        return null;
      }
    }
    return null;
  }

  private Chunk take(Batch batch, int maxRows) {
    Object first = batch.take(maxRows);
    if (batch.done && batch.isEmpty()) {
      queue.remove(batch);
      monitor.signal();
    }
    if (first instanceof StatusException failure) {
      throw failure;
    }
    return dropped.joinTo((Chunk) first);
  }

  @Override
  public Origins rest() {
    monitor.lock();
    try {
      return dropped.takeWithRestOf(input);
    } finally {
      monitor.unlock();
    }
  }

  private void startTasks(int count) {
    while (tasks < count && !inputEnded) {
      tasks++;
      try {
        context.threads().execute(this::runTask);
      } catch (RejectedExecutionException e) {
        throw new StatusException(StatusCode.CANCELLED, "the pass's threads were stopped", e);
      }
    }
  }

  private void runTask() {
    RowMapper mapper = new RowMapper(function, context.ticker());
    StageTime working = stage.working();
    stage.addThreads(1);
    try {
      while (true) {
        Batch batch = nextBatch(mapper);
        if (batch == null) {
          return;
        }
        run(mapper, batch, working);
      }
    } catch (StatusException e) {
      // Cancelled while it waited; no result is expected of this task.
      endInput();
    } finally {
      stage.addThreads(-1);
      working.close();
    }
  }

  /** Reserves the position of the next rows; null at the end of the input. */
  private @Nullable Batch nextBatch(RowMapper mapper) {
    inputLock.lock();
    try {
      Batch batch = reserve();
      if (batch == null) {
        return null;
      }
      try {
        Chunk rows = input.next(mapper.pace());
        if (rows == null) {
          drop(batch);
          return null;
        }
        mapper.accept(rows);
      } catch (StatusException e) {
        publish(batch, List.of(e), false);
      } catch (RuntimeException | Error e) {
        publish(batch, List.of(bug(e)), false);
        endInput();
      }
      return batch;
    } finally {
      inputLock.unlock();
    }
  }

  private @Nullable Batch reserve() {
    monitor.lock();
    try {
      while (queue.size() >= maxTasks + 1 && !inputEnded) {
        monitor.await();
      }
      cancellation.check();
      if (inputEnded) {
        return null;
      }
      Batch batch = new Batch();
      queue.addLast(batch);
      return batch;
    } finally {
      monitor.unlock();
    }
  }

  private void drop(Batch batch) {
    monitor.lock();
    try {
      inputEnded = true;
      queue.remove(batch);
      monitor.signal();
    } finally {
      monitor.unlock();
    }
  }

  private void endInput() {
    monitor.lock();
    try {
      inputEnded = true;
      monitor.signal();
    } finally {
      monitor.unlock();
    }
  }

  private void run(RowMapper mapper, Batch batch, StageTime working) {
    List<Object> results = new ArrayList<>(1);
    while (!mapper.isDone()) {
      results.clear();
      working.begin();
      try {
        results.add(mapper.next(Integer.MAX_VALUE));
      } catch (StatusException e) {
        results.add(e);
        if (cancellation.isCancelled()) {
          mapper.clear(); // the rest is not needed
        }
      } catch (RuntimeException | Error e) {
        results.add(bug(e));
        mapper.clear();
      } finally {
        working.end();
      }
      publish(batch, results, false);
    }
    Origins rest = mapper.takeDropped();
    publish(batch, rest.isEmpty() ? List.of() : List.of(rest), true);
  }

  private void publish(Batch batch, List<? extends Object> results, boolean done) {
    monitor.lock();
    try {
      batch.ready.addAll(results);
      batch.done = done;
      monitor.signal();
    } finally {
      monitor.unlock();
    }
  }

  private static StatusException bug(Throwable e) {
    return new StatusException(StatusCode.INTERNAL, "a map failed: " + e, e);
  }

  @Override
  public void close() {
    cancellation.cancel();
    monitor.close();
    input.close();
    waiting.close();
  }
}
