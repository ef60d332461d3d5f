package io.headrace.worker;

import io.headrace.proto.data.TaskDef;
import io.headrace.runtime.op.StepContext;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * What the tasks of a worker have in common.
 *
 * @param host what the process gives
 * @param loader makes their datasets
 * @param threads run what transformations do beside a task's own thread; they may block
 * @param codecs compress elements
 * @param onComplete is told the id of a task when its readers have come to its end
 */
record TaskEnvironment(
    WorkerHost host,
    Loader loader,
    ExecutorService threads,
    Executor codecs,
    LongConsumer onComplete) {
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
