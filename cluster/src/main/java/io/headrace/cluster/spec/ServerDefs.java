package io.headrace.cluster.spec;

import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds and validates {@link ServerDef}s. */
public final class ServerDefs {
  private static final String GRPC = "grpc";
  private static final String LOCAL_JOB = "localhost";

  private ServerDefs() {}

  /**
   * Values that replace those of a {@link ServerDef}, or complete a cluster to one.
   *
   * @param jobName the job of the server; by default the only job of the cluster
   * @param taskIndex the task index; by default that of the job's only task
   * @param protocol the protocol; only grpc is supported
   * @param config the defaults of its sessions
   */
  public record Overrides(
      Optional<String> jobName,
      Optional<Integer> taskIndex,
      Optional<String> protocol,
      ConfigProto config) {
    /** No overrides. */
    public static final Overrides NONE =
        new Overrides(
            Optional.empty(), Optional.empty(), Optional.empty(), ConfigProto.getDefaultInstance());

    /** The task {@code taskIndex} of {@code jobName}. */
    public static Overrides task(String jobName, int taskIndex) {
      return new Overrides(
          Optional.of(jobName),
          Optional.of(taskIndex),
          Optional.empty(),
          ConfigProto.getDefaultInstance());
    }

    /** A copy with another job. */
    public Overrides withJobName(String other) {
      return new Overrides(Optional.of(other), taskIndex, protocol, config);
    }

    /** A copy with another task index. */
    public Overrides withTaskIndex(int other) {
      return new Overrides(jobName, Optional.of(other), protocol, config);
    }

    /** A copy with another protocol. */
    public Overrides withProtocol(String other) {
      return new Overrides(jobName, taskIndex, Optional.of(other), config);
    }

    /** A copy with other defaults of sessions. */
    public Overrides withConfig(ConfigProto other) {
      return new Overrides(jobName, taskIndex, protocol, other);
    }
  }

  /** {@code server} with {@code overrides}; the configs are merged. */
  public static ServerDef of(ServerDef server, Overrides overrides) {
    ServerDef.Builder result = server.toBuilder();
    overrides.jobName().ifPresent(result::setJobName);
    overrides.taskIndex().ifPresent(result::setTaskIndex);
    overrides.protocol().ifPresent(result::setProtocol);
    return withDefaults(result, overrides).build();
  }

  /**
   * The server of a task of {@code cluster}.
   *
   * @throws StatusException INVALID_ARGUMENT if the job or the task is not given and there are
   *     several
   */
  public static ServerDef of(ClusterSpec cluster, Overrides overrides) {
    String job = overrides.jobName().orElseGet(() -> onlyJob(cluster));
    int task = overrides.taskIndex().orElseGet(() -> onlyTask(cluster, job));
    ServerDef.Builder result =
        ServerDef.newBuilder()
            .setCluster(cluster.asClusterDef())
            .setJobName(job)
            .setTaskIndex(task)
            .setProtocol(overrides.protocol().orElse(GRPC));
    return withDefaults(result, overrides).build();
  }

  /** As in TensorFlow, an empty session config leaves the field unset. */
  private static ServerDef.Builder withDefaults(ServerDef.Builder server, Overrides overrides) {
    if (!overrides.config().equals(ConfigProto.getDefaultInstance())) {
      server.getDefaultSessionConfigBuilder().mergeFrom(overrides.config());
    }
    return server;
  }

  /** The only task of a local cluster, at any free port. */
  public static ServerDef local(ConfigProto config) {
    ClusterSpec cluster = ClusterSpec.of(Map.of(LOCAL_JOB, List.of("localhost:0")));
    return of(cluster, Overrides.task(LOCAL_JOB, 0).withConfig(config));
  }

  private static String onlyJob(ClusterSpec cluster) {
    if (cluster.jobs().size() != 1) {
      throw StatusException.invalidArgument(
          "Must specify an explicit `job_name`: the cluster has the jobs %s", cluster.jobs());
    }
    return cluster.jobs().getFirst();
  }

  private static int onlyTask(ClusterSpec cluster, String job) {
    List<Integer> indices = cluster.taskIndices(job);
    if (indices.size() != 1) {
      throw StatusException.invalidArgument(
          "Must specify an explicit `task_index`: the job '%s' has the tasks %s", job, indices);
    }
    return indices.getFirst();
  }

  /**
   * Validates a definition as far as possible before the port is bound, in TensorFlow's order.
   *
   * @return the address to serve at
   */
  public static TaskAddress check(ServerDef server) {
    if (!server.getProtocol().equals(GRPC)) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "No server factory registered for the given ServerDef: job %s, task %d, protocol \"%s\"."
              + " The available server factories are: [ GRPC_SERVER ], for the protocol grpc",
          server.getJobName(),
          server.getTaskIndex(),
          server.getProtocol());
    }
    ClusterSpec cluster = ClusterSpec.of(server.getCluster());
    String job = server.getJobName();
    if (!cluster.jobs().contains(job)) {
      throw StatusException.of(StatusCode.INTERNAL, "Job \"%s\" was not defined in cluster", job);
    }
    if (!cluster.hasTask(job, server.getTaskIndex())) {
      throw StatusException.of(
          StatusCode.INTERNAL, "Task %d was not defined in job \"%s\"", server.getTaskIndex(), job);
    }
    TaskAddress own = ownAddress(server, cluster);
    for (String name : cluster.jobs()) {
      if (!DeviceSpec.isJobName(name)) {
        throw StatusException.invalidArgument(
            "The job name \"%s\" can't be part of a device's name: it must begin with a letter and"
                + " have only letters, digits and underscores",
            name);
      }
      cluster.asMap().getOrDefault(name, Map.of()).values().forEach(ServerDefs::checkReplicas);
    }
    return own;
  }

  private static TaskAddress ownAddress(ServerDef server, ClusterSpec cluster) {
    String address = cluster.taskAddress(server.getJobName(), server.getTaskIndex());
    if (server.getPort() != 0) {
      int colon = address.lastIndexOf(':');
      return new TaskAddress(colon < 0 ? address : address.substring(0, colon), server.getPort());
    }
    if (server.getReplica() != 0) {
      throw StatusException.invalidArgument(
          "a replica other than 0 needs an explicit server port, and %d has none",
          server.getReplica());
    }
    return TaskAddress.parseOwn(address);
  }

  /** An address may list several replicas, separated by commas. */
  private static void checkReplicas(String addresses) {
    for (String address : addresses.split(",", -1)) {
      TaskAddress.parse(address);
    }
  }
}
