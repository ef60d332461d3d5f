package io.headrace.rpc;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The workers of this process, by their addresses: readers in the same process take their rows by
 * reference, without a connection. Thread-safe.
 */
public final class LocalWorkers {
  private static final Map<String, StreamTasks> BY_ADDRESS = new ConcurrentHashMap<>();

  private LocalWorkers() {}

  /** The entry of a worker. Idempotent to close. */
  @FunctionalInterface
  public interface Entry extends AutoCloseable {
    /** Removes the worker. Sources that are open on its tasks end with these. */
    @Override
    void close();
  }

  /** Adds a worker that serves {@code tasks}; a later one at the same address replaces it. */
  public static Entry add(String address, StreamTasks tasks) {
    BY_ADDRESS.put(address, tasks);
    return () -> {
      var _ = BY_ADDRESS.remove(address, tasks);
    };
  }

  /** The tasks of the worker at {@code address}; empty if that is not in this process. */
  public static Optional<StreamTasks> find(String address) {
    return Optional.ofNullable(BY_ADDRESS.get(address));
  }

  /** Whether this process has no worker. */
  public static boolean areNone() {
    return BY_ADDRESS.isEmpty();
  }
}
