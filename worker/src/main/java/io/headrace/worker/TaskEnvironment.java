package io.headrace.worker;

import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.op.StepContext;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;

/**
 * What the tasks of a worker have in common.
 *
 * @param host what the process gives
 * @param loader makes their datasets
 * @param threads run what transformations do beside a task's own thread; they may block
 * @param codecs compress elements
 * @param onEnd is told when the readers of a task have come to its end
 * @param deliveries where it is noted, by task, what was delivered of those read at least once
 */
record TaskEnvironment(
    WorkerHost host,
    Loader loader,
    ExecutorService threads,
    Executor codecs,
    EndListener onEnd,
    LongFunction<Deliveries> deliveries) {
  /** Is told of the ends of tasks. */
  @FunctionalInterface
  interface EndListener {
    /**
     * The readers of a task have come to its end.
     *
     * @param complete whether it is known that they have consumed every row
     */
    void ended(long taskId, boolean complete);
  }

  /** Makes the datasets of tasks. */
  @FunctionalInterface
  interface Loader {
    /** The dataset of {@code task}, or a StatusException that says why there is none; blocks. */
    TaskDataset load(TaskDef task, StepContext step);
  }

  /** A source of seeds for one pass. */
  RandomGenerator newRandom() {
    return new SplittableRandom(host.random().nextLong());
  }
}
