package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.LivenessView;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.data.MaybeRemoveTaskRequest;
import io.headrace.proto.headrace.LossReason;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Removes tasks of coordinated reads. Consumers must all stop to read a task in the same round, so
 * it is removed once all of them ask for it in the same round, within {@link #WAIT}. Otherwise they
 * are told to go on with the task, and also while its worker may not have heard of it yet.
 *
 * <p>A worker may be lost after it has given its element of a round to some consumers only. Those
 * go on to the next round, so the consumers never ask in the same one. If the worker comes back, it
 * repeats the round for those that wait. If it does not within {@link #CUT_ROUND_WAIT}, all
 * consumers are told that they can't go on in step: DATA_LOSS.
 *
 * <p>Soft state: after a restart of the dispatcher the consumers ask again. Not thread-safe: used
 * on the {@link CommitLoop} only.
 */
final class TaskRemovals {
  /** How long a consumer waits for the others. */
  static final Duration WAIT = Duration.ofSeconds(10);

  /**
   * How long a lost worker may take to come back to a round that it gave to some consumers only.
   */
  static final Duration CUT_ROUND_WAIT = Duration.ofMinutes(1);

  /** A cut round of which nobody has spoken for so long is forgotten. */
  private static final Duration CUT_ROUND_KEPT = Duration.ofMinutes(10);

  private final Map<Long, Meeting> byTask = new HashMap<>();
  private final Map<Long, CutRound> cutRounds = new HashMap<>();

  /** The consumers that ask to remove one task. */
  private record Meeting(long round, Map<Long, Question> questions) {
    void answer(boolean removed) {
      questions.values().forEach(question -> question.answer().complete(removed));
    }
  }

  /** A round that a lost worker gave to some of the consumers of an iteration only. */
  private static final class CutRound {
    final long iterationId;
    final long round;
    final long sinceNanos;
    long heardNanos;
    String failure = "";

    CutRound(long iterationId, long round, long nowNanos) {
      this.iterationId = iterationId;
      this.round = round;
      this.sinceNanos = nowNanos;
    }

    boolean hasFailed() {
      return !failure.isEmpty();
    }
  }

  /** A consumer's question; its answer is whether the task is removed. */
  private record Question(CompletableFuture<Boolean> answer, long askedNanos) {}

  /**
   * Handles a consumer's question. Completes {@code answer} now, or leaves it waiting for the other
   * consumers.
   *
   * @return the removal of the task, and the answers that it makes true
   * @throws StatusException FAILED_PRECONDITION, with TensorFlow's message, if the task belongs to
   *     no coordinated read; INVALID_ARGUMENT if the job has no such consumer; DATA_LOSS if the
   *     worker is lost and has given the round to other consumers
   */
  Decision<List<CompletableFuture<Boolean>>> ask(
      DispatcherState state,
      LivenessView liveness,
      ClientLeases clients,
      MaybeRemoveTaskRequest request,
      CompletableFuture<Boolean> answer,
      long nowNanos) {
    Optional<Task> task =
        state.iterations().findTask(request.getTaskId()).filter(it -> !it.isLost());
    if (task.isEmpty()) {
      return Decision.answer(List.of(answer));
    }
    Iteration iteration = state.iterations().of(task.get());
    Job job = iteration.job();
    if (!job.isCoordinated()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION, "MaybeRemoveTask called on a non-round-robin task.");
    }
    long consumers = job.numConsumers().orElseThrow();
    if (request.getConsumerIndex() < 0 || request.getConsumerIndex() >= consumers) {
      throw StatusException.invalidArgument(
          "consumer_index must be at least 0 and below the job's %d consumers, got %d",
          consumers, request.getConsumerIndex());
    }
    long id = task.get().id();
    boolean isLost = liveness.isLost(task.get().workerAddress());
    @Nullable CutRound cut = cutRounds.get(id);
    if (!isLost) {
      cutRounds.remove(id);
    } else if ((cut != null && cut.hasFailed())
        || clients.furthestRound(iteration.clients()) > request.getRound()) {
      awaitWorker(task.get(), iteration, request, nowNanos);
    }
    boolean isOnItsWay = !liveness.wasPresent(id, Long.MAX_VALUE) && !isLost;
    if (isOnItsWay) {
      answer.complete(false);
      return Decision.answer(List.of());
    }
    Meeting meeting =
        byTask.computeIfAbsent(id, _ -> new Meeting(request.getRound(), new HashMap<>()));
    if (meeting.round() != request.getRound()) {
      byTask.remove(id);
      meeting.answer(false);
      answer.complete(false);
      return Decision.answer(List.of());
    }
    @Nullable Question before =
        meeting.questions().put(request.getConsumerIndex(), new Question(answer, nowNanos));
    if (before != null) {
      before.answer().complete(false);
    }
    return meeting.questions().size() < consumers
        ? Decision.answer(List.of())
        : new Decision<>(
            List.of(JournalRecords.taskLost(id, liveness.position(id), LossReason.WORKER_LOST)),
            meeting.questions().values().stream().map(Question::answer).toList());
  }

  /** Lets a consumer wait for the worker of a cut round, for as long as that may come back. */
  private void awaitWorker(
      Task task, Iteration iteration, MaybeRemoveTaskRequest request, long nowNanos) {
    CutRound cut =
        cutRounds.compute(
            task.id(),
            (_, known) ->
                known != null && (known.hasFailed() || known.round == request.getRound())
                    ? known
                    : new CutRound(iteration.id(), request.getRound(), nowNanos));
    cut.heardNanos = nowNanos;
    if (nowNanos - cut.sinceNanos < CUT_ROUND_WAIT.toNanos()) {
      return;
    }
    if (!cut.hasFailed()) {
      Job job = iteration.job();
      cut.failure =
          "worker %s was lost in round %d of job %d (%s), which it had given to others but not to consumer %d,"
                  .formatted(
                      task.workerAddress(),
                      request.getRound(),
                      job.id(),
                      job.name(),
                      request.getConsumerIndex())
              + " and it has not come back for %d s: the consumers can't go on in step; start all of"
                  .formatted(CUT_ROUND_WAIT.toSeconds())
              + " them again, under another job name";
      JobLog.cannotGoOnInStep(cut.failure);
    }
    throw new StatusException(StatusCode.DATA_LOSS, cut.failure);
  }

  /**
   * Checks that an iteration's consumers can go on in step.
   *
   * @throws StatusException DATA_LOSS if a lost worker gave a round to some of them only
   */
  void check(long iterationId) {
    for (CutRound cut : cutRounds.values()) {
      if (cut.iterationId == iterationId && cut.hasFailed()) {
        throw new StatusException(StatusCode.DATA_LOSS, cut.failure);
      }
    }
  }

  /** Answers the consumers that have waited for too long, and forgets those that have an answer. */
  void expire(long nowNanos) {
    for (Meeting meeting : byTask.values()) {
      meeting
          .questions()
          .values()
          .removeIf(question -> {
            boolean late = nowNanos - question.askedNanos() >= WAIT.toNanos();
            return (late && question.answer().complete(false)) || question.answer().isDone();
          });
    }
    byTask.values().removeIf(meeting -> meeting.questions().isEmpty());
    cutRounds.values().removeIf(cut -> nowNanos - cut.heardNanos >= CUT_ROUND_KEPT.toNanos());
  }
}
