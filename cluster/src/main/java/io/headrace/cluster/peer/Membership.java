package io.headrace.cluster.peer;

import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The cluster of a session and the master's task in it: the cluster of its server, or another one
 * that the client sent with the session's config.
 *
 * @param self the master's task
 * @param peers the workers of the cluster
 * @param isPropagated whether the client sent the cluster
 */
public record Membership(DeviceSpec self, Peers peers, boolean isPropagated) {
  private static final String SCHEME = "://";

  /** The cluster of {@code config}, or that of {@code server} if it has none. */
  public static Membership of(
      ServerDef server, ConfigProto config, String target, Peers peers, WorkerPeer worker) {
    DeviceSpec task = DeviceSpec.ofTask(server.getJobName(), server.getTaskIndex());
    if (config.getClusterDef().getJobCount() == 0) {
      return new Membership(task, peers, false);
    }
    ClusterSpec cluster = ClusterSpec.of(config.getClusterDef());
    DeviceSpec self = self(cluster, target);
    if (self.equals(task)) {
      throw StatusException.invalidArgument(
          "The ClusterSpec names the job and task index to be the same names that were provided"
              + " when the server booted. This is currently not allowed. Job: %s, task index: %d",
          server.getJobName(), server.getTaskIndex());
    }
    return new Membership(self, peers.of(cluster, self, worker), true);
  }

  private static DeviceSpec self(ClusterSpec cluster, String target) {
    int scheme = target.indexOf(SCHEME);
    String address = scheme < 0 ? target : target.substring(scheme + SCHEME.length());
    List<DeviceSpec> matching = new ArrayList<>();
    cluster
        .asMap()
        .forEach((job, tasks) ->
            tasks.forEach((index, at) -> {
              if (at.equals(address)) {
                matching.add(DeviceSpec.ofTask(job, index));
              }
            }));
    if (matching.isEmpty()) {
      throw StatusException.invalidArgument(
          "The master (current machine) is not included in the provided cluster_def: %s has no"
              + " task at %s",
          cluster, address);
    }
    if (matching.size() > 1) {
      throw StatusException.invalidArgument(
          "Found multiple matching tasks that correspond to the master: %s", matching);
    }
    return matching.getFirst();
  }

  /**
   * The workers that a device filter admits, and the master's own; all workers if there are no
   * filters.
   */
  public Map<DeviceSpec, WorkerPeer> workers(List<String> filters) {
    List<DeviceSpec> admitted = filters.stream().map(DeviceSpec::parse).toList();
    Map<DeviceSpec, WorkerPeer> workers = new LinkedHashMap<>();
    peers
        .cluster()
        .asMap()
        .forEach((job, tasks) ->
            tasks
                .keySet()
                .forEach(index -> {
                  DeviceSpec task = DeviceSpec.ofTask(job, index);
                  boolean isAdmitted =
                      admitted.isEmpty()
                          || task.equals(self)
                          || admitted.stream().anyMatch(task::isCompatibleWith);
                  if (isAdmitted) {
                    workers.put(task, peers.of(task));
                  }
                }));
    return workers;
  }

  /** The ServerDef that CreateWorkerSession sends to {@code task}. */
  public ServerDef serverDef(DeviceSpec task) {
    ServerDef.Builder server =
        ServerDef.newBuilder()
            .setProtocol("grpc")
            .setJobName(task.job().orElse(""))
            .setTaskIndex(task.task().orElse(0));
    if (isPropagated) {
      server.setCluster(peers.cluster().asClusterDef());
    }
    return server.build();
  }
}
