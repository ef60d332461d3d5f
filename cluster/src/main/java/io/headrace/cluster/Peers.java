package io.headrace.cluster;

import io.grpc.ManagedChannel;
import io.headrace.rpc.GrpcChannels;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The workers of a cluster by their tasks, each with one connection. Thread-safe. */
final class Peers {
  private final ClusterSpec cluster;
  private final Connections connections;
  private final Map<DeviceSpec, WorkerPeer> known = new HashMap<>();

  /** The connections of a server by address, whatever the clusters of its sessions. */
  static final class Connections {
    private final Map<String, ManagedChannel> channels = new HashMap<>();

    synchronized ManagedChannel to(String address) {
      return channels.computeIfAbsent(address, GrpcChannels::openForManyUses);
    }

    synchronized void close() {
      channels.values().forEach(GrpcChannels::close);
      channels.clear();
    }
  }

  Peers(ClusterSpec cluster, Connections connections) {
    this.cluster = cluster;
    this.connections = connections;
  }

  /** Those of another cluster, in which {@code worker} is called {@code task}. */
  Peers of(ClusterSpec other, DeviceSpec task, WorkerPeer worker) {
    Peers peers = new Peers(other, connections);
    peers.setLocal(task, worker);
    return peers;
  }

  synchronized void setLocal(DeviceSpec task, WorkerPeer worker) {
    known.put(task, worker);
  }

  ClusterSpec cluster() {
    return cluster;
  }

  /** The worker of {@code task}; INVALID_ARGUMENT if the cluster has no such task. */
  synchronized WorkerPeer of(DeviceSpec task) {
    @Nullable WorkerPeer peer = known.get(task);
    if (peer == null) {
      if (task.job().isEmpty() || task.task().isEmpty()) {
        throw StatusException.invalidArgument("%s names no task", task);
      }
      String address = cluster.taskAddress(task.job().get(), task.task().get());
      peer = new RemoteWorker(task, connections.to(address));
      known.put(task, peer);
    }
    return peer;
  }
}
