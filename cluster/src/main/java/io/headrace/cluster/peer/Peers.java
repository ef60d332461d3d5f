package io.headrace.cluster.peer;

import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The workers of a cluster by task; tasks at one address share a connection. Thread-safe. */
public final class Peers {
  private final ClusterSpec cluster;
  private final Connections connections;
  private final Map<DeviceSpec, WorkerPeer> known = new HashMap<>();

  /** The connections of a server by address, shared by the clusters of its sessions. */
  public static final class Connections {
    private static final Duration MAX_PERIOD = Duration.ofSeconds(5);
    private static final int PROBES_PER_TIMEOUT = 4;

    private final ScheduledExecutorService timer;
    private final Duration timeout;
    private final Map<String, TaskConnection> open = new HashMap<>();

    /**
     * @param timer schedules the keep-alive probes
     * @param timeout how long a task may leave a keep-alive probe unanswered
     */
    public Connections(ScheduledExecutorService timer, Duration timeout) {
      this.timer = timer;
      this.timeout = timeout;
    }

    /** How long a task may leave a keep-alive probe unanswered. */
    Duration timeout() {
      return timeout;
    }

    synchronized TaskConnection to(String address) {
      if (open.isEmpty()) {
        long period = Math.min(MAX_PERIOD.toNanos(), timeout.toNanos() / PROBES_PER_TIMEOUT);
        var _ = timer.scheduleAtFixedRate(this::probe, period, period, TimeUnit.NANOSECONDS);
      }
      return open.computeIfAbsent(address, at -> new TaskConnection(at, timeout));
    }

    private void probe() {
      List<TaskConnection> all;
      synchronized (this) {
        all = List.copyOf(open.values());
      }
      all.forEach(TaskConnection::probe);
    }

    public synchronized void close() {
      open.values().forEach(TaskConnection::close);
    }
  }

  public Peers(ClusterSpec cluster, Connections connections) {
    this.cluster = cluster;
    this.connections = connections;
  }

  /** The peers of another cluster, in which the local {@code worker} is {@code task}. */
  public Peers of(ClusterSpec other, DeviceSpec task, WorkerPeer worker) {
    Peers peers = new Peers(other, connections);
    peers.setLocal(task, worker);
    return peers;
  }

  public synchronized void setLocal(DeviceSpec task, WorkerPeer worker) {
    known.put(task, worker);
  }

  public ClusterSpec cluster() {
    return cluster;
  }

  /** How long a task may leave a keep-alive probe unanswered. */
  public Duration timeout() {
    return connections.timeout();
  }

  /** The address of {@code task}; INVALID_ARGUMENT if the cluster has no such task. */
  public String address(DeviceSpec task) {
    if (task.job().isEmpty() || task.task().isEmpty()) {
      throw StatusException.invalidArgument("%s names no task", task);
    }
    return cluster.taskAddress(task.job().get(), task.task().get());
  }

  /**
   * The worker of {@code task}, connecting to it if need be; INVALID_ARGUMENT if the cluster has no
   * such task.
   */
  public synchronized WorkerPeer of(DeviceSpec task) {
    @Nullable WorkerPeer peer = known.get(task);
    if (peer == null) {
      peer = new RemoteWorker(task, connections.to(address(task)));
      known.put(task, peer);
    }
    return peer;
  }
}
