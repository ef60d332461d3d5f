package io.headrace.worker;

import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.op.StepContext;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;

/**
 * The services that a worker's tasks share.
 *
 * @param host the worker's environment in its process
 * @param loader loads the datasets of tasks
 * @param threads run the parallel work of transformations, which may block
 * @param codecs compress elements
 * @param onEnd called when the readers of a task have reached its end
 * @param deliveries by task id, the set that records the deliveries of at-least-once tasks
 * @param announcements called when a task has rows to announce
 * @param stageTimer the clock by which the stages of passes are measured
 * @param cacheRoom the memory of cross-trainer caches
 */
record TaskEnvironment(
    WorkerHost host,
    Loader loader,
    ExecutorService threads,
    Executor codecs,
    EndListener onEnd,
    LongFunction<UnreportedDeliveries> deliveries,
    Consumer<DeliveryAnnouncer.AnnouncingTask> announcements,
    StageTimer stageTimer,
    CacheRoom cacheRoom) {
  /** A listener for the ends of tasks. */
  @FunctionalInterface
  interface EndListener {
    /**
     * Called when the readers of a task have reached its end.
     *
     * @param complete whether they are known to have consumed every row
     */
    void ended(long taskId, boolean complete);
  }

  /** Loads the datasets of tasks. */
  @FunctionalInterface
  interface Loader {
    /** Loads the dataset of {@code task}; blocks. Fails with a StatusException. */
    TaskDataset load(TaskDef task, StepContext step);
  }

  /** A source of seeds for one pass. */
  RandomGenerator newRandom() {
    return new SplittableRandom(host.random().nextLong());
  }
}
