package io.headrace.dispatcher;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.runtime.status.StatusException;
import java.util.Comparator;
import java.util.Optional;

/**
 * A job that an operator asks about, and its latest unfinished iteration, or its latest one.
 *
 * @param job the job
 * @param iteration the iteration; empty if the job has none
 */
record JobIteration(Job job, Optional<Iteration> iteration) {
  /**
   * The job {@code named}.
   *
   * @param named its id or name
   * @throws StatusException NOT_FOUND without such a job
   */
  static JobIteration of(DispatcherState state, String named) {
    Job job = state.jobs().named(named);
    return new JobIteration(
        job,
        state.iterations().ofJob(job.id()).stream()
            .flatMap(id -> state.iterations().find(id).stream())
            .max(
                Comparator.comparing((Iteration it) -> !it.isFinished())
                    .thenComparingLong(Iteration::repetition)));
  }
}
