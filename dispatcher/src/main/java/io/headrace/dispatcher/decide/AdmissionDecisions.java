package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.Admissions;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.headrace.journal.AdmissionAnswered;
import java.util.Optional;

/**
 * Admits tasks to coordinated reads that have begun without them. A consumer is told a target round
 * in the reply to its heartbeat, and says in the next one that it holds before that round, or that
 * it has reached it already. In the latter case all are told a later round, further ahead each
 * time, until they agree.
 */
final class AdmissionDecisions {
  /** The target round that consumers are told first. */
  static final long FIRST_TARGET_ROUND = 1;

  /** Doubles the distance of the target round at most this often. */
  private static final int MAX_DOUBLINGS = 30;

  private AdmissionDecisions() {}

  /**
   * The answer of a consumer's heartbeat about the first waiting task of its iteration; empty if it
   * changes nothing.
   */
  static Optional<AdmissionAnswered> answer(Iteration iteration, ClientHeartbeatRequest request) {
    Optional<Admissions.Candidate> first = iteration.admissions().first();
    if (first.isEmpty()) {
      return Optional.empty();
    }
    Admissions.Candidate candidate = first.get();
    AdmissionAnswered.Builder answer =
        AdmissionAnswered.newBuilder()
            .setTaskId(candidate.taskId())
            .setIterationClientId(request.getIterationClientId());
    // A consumer that holds before the target round has not begun it, though it is its next one.
    boolean holdsBefore =
        request.hasBlockedRound() && request.getBlockedRound() == candidate.targetRound();
    if (request.getCurrentRound() >= candidate.targetRound() && !holdsBefore) {
      long doublings = Math.min(candidate.rejections(), MAX_DOUBLINGS);
      long ahead = 2L << doublings;
      answer.setNewTargetRound(Math.min(request.getCurrentRound(), Long.MAX_VALUE - ahead) + ahead);
    }
    answer.setReady(
        request.hasBlockedRound()
            && request.getBlockedRound() <= candidate.targetRound()
            && !candidate.ready().contains(request.getIterationClientId()));
    return answer.getReady() || answer.hasNewTargetRound()
        ? Optional.of(answer.build())
        : Optional.empty();
  }

  /** The round that consumers are to hold before, once {@code answer} is recorded. */
  static Optional<Long> blockedRound(Iteration iteration, Optional<AdmissionAnswered> answer) {
    Admissions admissions = iteration.admissions();
    Optional<Admissions.Candidate> next =
        admitted(iteration, answer).isPresent()
            ? admissions.second()
            : admissions.first().map(first -> answer.map(first::after).orElse(first));
    return next.map(Admissions.Candidate::targetRound);
  }

  /** The task that {@code answer} admits. */
  static Optional<Admissions.Candidate> admitted(
      Iteration iteration, Optional<AdmissionAnswered> answer) {
    return answer
        .flatMap(of -> iteration.admissions().first().map(first -> first.after(of)))
        .filter(after -> after.isAdmittedBy(iteration.job()));
  }
}
