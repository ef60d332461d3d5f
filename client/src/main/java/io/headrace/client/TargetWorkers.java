package io.headrace.client;

import io.headrace.proto.data.TaskInfo;
import io.headrace.rpc.LocalWorkers;
import io.headrace.runtime.status.StatusException;
import java.util.Locale;

/** The workers that a reader reads from. All readers of a job must name the same. */
public enum TargetWorkers {
  /**
   * All but workers of other processes that are tagged COLOCATED: those are for the trainers in
   * their own processes.
   */
  AUTO(io.headrace.proto.data.TargetWorkers.TARGET_WORKERS_AUTO),
  /** All. */
  ANY(io.headrace.proto.data.TargetWorkers.TARGET_WORKERS_ANY),
  /**
   * Those in the reader's process, without a connection: rows are taken by reference. Reading fails
   * with INVALID_ARGUMENT if there is none.
   */
  LOCAL(io.headrace.proto.data.TargetWorkers.TARGET_WORKERS_LOCAL);

  private static final String COLOCATED = "COLOCATED";

  private final io.headrace.proto.data.TargetWorkers proto;

  TargetWorkers(io.headrace.proto.data.TargetWorkers proto) {
    this.proto = proto;
  }

  /** The workers of that name, in any case of letters; INVALID_ARGUMENT if there are none. */
  static TargetWorkers parse(String name) {
    for (TargetWorkers each : values()) {
      if (each.name().equals(name.toUpperCase(Locale.ROOT))) {
        return each;
      }
    }
    throw StatusException.invalidArgument(
        "Unrecognized target workers: %s; use AUTO, ANY or LOCAL", name);
  }

  io.headrace.proto.data.TargetWorkers toProto() {
    return proto;
  }

  /** Whether a reader in this process reads {@code task}. */
  boolean include(TaskInfo task) {
    return switch (this) {
      case ANY -> true;
      case LOCAL -> isLocal(task);
      case AUTO ->
          isLocal(task) || task.getWorkerTagsList().stream().noneMatch(COLOCATED::equalsIgnoreCase);
    };
  }

  private static boolean isLocal(TaskInfo task) {
    return LocalWorkers.find(task.getWorkerAddress()).isPresent();
  }
}
