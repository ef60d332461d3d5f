package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.AdmissionAnswered;
import io.headrace.proto.headrace.journal.TaskCreated;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * In a coordinated read, the tasks that were created after the iteration began. Consumers must all
 * begin to read such a task in the same round, so it waits until each of them holds before its
 * target round. They negotiate about one task at a time, in order of creation. Mutated by {@link
 * Iteration} only; not thread-safe.
 */
public final class Admissions {
  private final List<Candidate> waiting = new ArrayList<>();
  private final Map<Long, Long> startingRounds = new HashMap<>();

  /**
   * A task that waits for its consumers.
   *
   * @param taskId the task
   * @param targetRound the round that consumers are told to hold before
   * @param rejections the number of earlier target rounds that a consumer had reached already
   * @param ready the clients that hold before the target round
   */
  public record Candidate(long taskId, long targetRound, long rejections, Set<Long> ready) {
    public Candidate {
      ready = Set.copyOf(ready);
    }

    /** This candidate after a client's answer. */
    public Candidate after(AdmissionAnswered answer) {
      Set<Long> clients = new LinkedHashSet<>();
      if (!answer.hasNewTargetRound()) {
        clients.addAll(ready);
      }
      if (answer.getReady()) {
        clients.add(answer.getIterationClientId());
      }
      return answer.hasNewTargetRound()
          ? new Candidate(taskId, answer.getNewTargetRound(), rejections + 1, clients)
          : new Candidate(taskId, targetRound, rejections, clients);
    }

    /** Whether all consumers are ready. */
    public boolean isAdmittedBy(Job job) {
      return ready.size() >= job.numConsumers().orElse(0);
    }

    private Candidate without(long client) {
      Set<Long> left = new LinkedHashSet<>(ready);
      left.remove(client);
      return new Candidate(taskId, targetRound, rejections, left);
    }
  }

  /** The task that the consumers negotiate about. */
  public Optional<Candidate> first() {
    return waiting.stream().findFirst();
  }

  /** The task that follows once the first is admitted. */
  public Optional<Candidate> second() {
    return waiting.stream().skip(1).findFirst();
  }

  public boolean isWaiting(long taskId) {
    return waiting.stream().anyMatch(candidate -> candidate.taskId() == taskId);
  }

  /** The round from which on consumers read an admitted task; 0 for one that began with them. */
  public long startingRound(long taskId) {
    return startingRounds.getOrDefault(taskId, 0L);
  }

  void create(TaskCreated change) {
    if (change.hasTargetRound()) {
      waiting.add(
          new Candidate(
              change.getTaskId(),
              change.getTargetRound(),
              change.getRejections(),
              Set.copyOf(change.getReadyClientIdsList())));
    } else if (change.getStartingRound() != 0) {
      startingRounds.put(change.getTaskId(), change.getStartingRound());
    }
  }

  void answer(AdmissionAnswered change, Job job) {
    Candidate first =
        first()
            .filter(candidate -> candidate.taskId() == change.getTaskId())
            .orElseThrow(() ->
                new IllegalStateException(
                    "task " + change.getTaskId() + " is not the first that waits for consumers"));
    Candidate next = first.after(change);
    if (next.isAdmittedBy(job)) {
      waiting.removeFirst();
      startingRounds.put(next.taskId(), next.targetRound());
    } else {
      waiting.set(0, next);
    }
  }

  /** A client has left: it no longer holds for anyone. */
  void leave(long client) {
    waiting.replaceAll(candidate -> candidate.without(client));
  }

  /** A task has ended. */
  void end(long taskId) {
    waiting.removeIf(candidate -> candidate.taskId() == taskId);
    startingRounds.remove(taskId);
  }

  /** Adds what is known of {@code taskId} to the record of a snapshot. */
  void describe(long taskId, TaskCreated.Builder change) {
    long startingRound = startingRound(taskId);
    if (startingRound != 0) {
      change.setStartingRound(startingRound);
    }
    for (Candidate candidate : waiting) {
      if (candidate.taskId() == taskId) {
        change
            .setTargetRound(candidate.targetRound())
            .setRejections(candidate.rejections())
            .addAllReadyClientIds(candidate.ready().stream().sorted().toList());
      }
    }
  }
}
