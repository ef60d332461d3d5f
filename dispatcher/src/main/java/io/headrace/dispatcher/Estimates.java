package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Task;
import io.headrace.dispatcher.statistics.ReaderLoad;
import io.headrace.dispatcher.statistics.WorkerEstimate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Estimates of the workers that iterations can use, from what their workers and readers tell. */
final class Estimates {
  /** The least part of its time that a reader counts as working: reports tell no finer ones. */
  private static final double LEAST_WORK = 0.01;

  private Estimates() {}

  /** The estimate of an iteration with {@code readers}. */
  static WorkerEstimate of(SoftState soft, Iteration iteration, List<ReaderLoad> readers) {
    Map<String, Double> made = new HashMap<>();
    int silentTasks = 0;
    for (Task task : iteration.tasks()) {
      if (task.isActive()) {
        OptionalDouble rate = soft.times().madePerSecond(task.id());
        if (rate.isPresent()) {
          made.put(task.workerAddress(), rate.getAsDouble());
        } else {
          silentTasks++;
        }
      }
    }
    List<Double> taken = new ArrayList<>();
    for (ReaderLoad reader : readers) {
      taken(soft, reader).ifPresent(taken::add);
    }
    return new WorkerEstimate(
        List.copyOf(made.values()), taken, silentTasks, readers.size() - taken.size());
  }

  /** The rate that a reader of TensorFlow's tells, or that the waits of ours tell of. */
  private static OptionalDouble taken(SoftState soft, ReaderLoad reader) {
    OptionalDouble told = soft.times().takenPerSecond(reader.id());
    if (told.isPresent() || reader.elementsPerSecond().isEmpty() || reader.waitShare().isEmpty()) {
      return told;
    }
    double work = Math.max(LEAST_WORK, 1 - reader.waitShare().getAsDouble());
    double rate = reader.elementsPerSecond().getAsDouble() / work;
    return rate > 0 && Double.isFinite(rate) ? OptionalDouble.of(rate) : OptionalDouble.empty();
  }

  /** The estimate for all iterations, with TensorFlow's bounds; empty if nobody tells times. */
  static OptionalLong ofAll(DispatcherState state, SoftState soft, long nowNanos) {
    return soft.times().isEmpty()
        ? OptionalLong.empty()
        : WorkerEstimate.bounded(
            state.iterations().unfinished().stream()
                .map(iteration ->
                    of(
                        soft,
                        iteration,
                        JobStatisticsPage.readers(state, soft, iteration, nowNanos)))
                .toList(),
            state.workers().size());
  }
}
