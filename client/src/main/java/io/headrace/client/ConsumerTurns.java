package io.headrace.client;

import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.TaskInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The order in which a consumer reads tasks in step with others: in each round, each task once, in
 * the order in which the dispatcher lists them. The consumers' lists agree in each round, because
 * they hold before a round from which on a new task is read. Not thread-safe.
 */
final class ConsumerTurns {
  private final List<Task> tasks = new ArrayList<>();
  private long round;
  private int next;

  /** The round that does not begin yet; null if none is held back. */
  private @Nullable Long limit;

  /** A task that the consumer reads. */
  static final class Task {
    private final TaskInfo info;
    private boolean over;

    /** The task has answered the last request with a skip. */
    boolean skipped;

    /** The errors that its worker has ignored, as far as told. */
    final IgnoredErrorCount ignored = new IgnoredErrorCount();

    /** How many elements the consumer has got from it. */
    long elements;

    private Task(TaskInfo info) {
      this.info = info;
    }

    TaskInfo info() {
      return info;
    }

    /** The task is read no more. */
    void end() {
      over = true;
    }
  }

  /** A request that is due. */
  record Turn(Task task, long round) {}

  /** The next request; null while there is none. */
  @Nullable Turn take() {
    while (tasks.stream().anyMatch(task -> !task.over)) {
      @Nullable Long held = limit;
      if (held != null && round >= held) {
        return null;
      }
      Task task = tasks.get(next);
      Turn turn = new Turn(task, round);
      advance();
      if (!task.over && turn.round() >= task.info.getStartingRound()) {
        return turn;
      }
    }
    return null;
  }

  private void advance() {
    next++;
    if (next >= tasks.size()) {
      next = 0;
      round++;
    }
  }

  /** The heartbeat of the client {@code clientId}. */
  ClientHeartbeatRequest heartbeat(long clientId) {
    ClientHeartbeatRequest.Builder request =
        ClientHeartbeatRequest.newBuilder().setIterationClientId(clientId).setCurrentRound(round);
    @Nullable Long held = limit;
    if (held != null) {
      request.setBlockedRound(held);
    }
    return request.build();
  }

  /** Follows the dispatcher's answer to a heartbeat. */
  void follow(ClientHeartbeatResponse response) {
    if (!response.hasBlockRound()) {
      limit = null;
    } else if (round < response.getBlockRound()) {
      limit = response.getBlockRound();
    }
    Map<Long, TaskInfo> listed = new HashMap<>();
    response.getTaskInfoList().forEach(task -> listed.put(task.getTaskId(), task));
    int index = 0;
    while (index < tasks.size()) {
      if (listed.remove(tasks.get(index).info.getTaskId()) != null) {
        index++;
      } else {
        remove(index);
      }
    }
    for (TaskInfo task : response.getTaskInfoList()) {
      if (listed.containsKey(task.getTaskId())) {
        tasks.add(new Task(task));
      }
    }
  }

  private void remove(int index) {
    tasks.remove(index);
    if (index < next) {
      next--;
    }
    if (!tasks.isEmpty() && next >= tasks.size()) {
      advance();
    }
  }
}
