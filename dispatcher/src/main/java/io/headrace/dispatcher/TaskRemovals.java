package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.LivenessView;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.data.MaybeRemoveTaskRequest;
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
 * <p>Soft state: after a restart of the dispatcher the consumers ask again. Not thread-safe: used
 * on the {@link CommitLoop} only.
 */
final class TaskRemovals {
  /** How long a consumer waits for the others. */
  static final Duration WAIT = Duration.ofSeconds(10);

  private final Map<Long, Meeting> byTask = new HashMap<>();

  /** The consumers that ask to remove one task. */
  private record Meeting(long round, Map<Long, Question> questions) {
    void answer(boolean removed) {
      questions.values().forEach(question -> question.answer().complete(removed));
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
   *     no coordinated read; INVALID_ARGUMENT if the job has no such consumer
   */
  Decision<List<CompletableFuture<Boolean>>> ask(
      DispatcherState state,
      LivenessView liveness,
      MaybeRemoveTaskRequest request,
      CompletableFuture<Boolean> answer,
      long nowNanos) {
    Optional<Task> task =
        state.iterations().findTask(request.getTaskId()).filter(it -> !it.isLost());
    if (task.isEmpty()) {
      return Decision.answer(List.of(answer));
    }
    Job job = state.iterations().of(task.get()).job();
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
    boolean isOnItsWay =
        !liveness.wasPresent(id, Long.MAX_VALUE) && !liveness.isLost(task.get().workerAddress());
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
            List.of(JournalRecords.taskLost(id, liveness.position(id))),
            meeting.questions().values().stream().map(Question::answer).toList());
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
  }
}
