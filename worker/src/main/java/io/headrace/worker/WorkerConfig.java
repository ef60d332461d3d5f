package io.headrace.worker;

import io.headrace.rpc.ElementStreams;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.List;

/**
 * What a {@link WorkerServer} is started with: the fields of TensorFlow's WorkerConfig, with its
 * defaults.
 *
 * @param port where it listens, on all interfaces; 0 for any free port
 * @param protocol how it is spoken to: {@code grpc} is the only one
 * @param dispatcherAddress where the dispatcher is, {@code [grpc://]host:port}
 * @param workerAddress what dispatcher and clients are told to reach this worker by; the first
 *     {@code %port%} in it becomes the bound port
 * @param workerTags what clients may choose workers by
 * @param heartbeatInterval how long after one heartbeat the next is sent
 * @param dispatcherTimeout how long a request to the dispatcher is tried again when it does not
 *     answer
 * @param dataTransfer how elements travel to clients that know more than TensorFlow's
 * @param crossTrainerCacheSizeBytes bound on a cross-trainer cache, which is not supported: only
 *     the default is accepted
 * @param snapshotMaxChunkSizeBytes bound on a file of a distributed snapshot, which are not
 *     supported: only the default is accepted
 * @param shutdownQuietPeriod how long a stopped worker keeps its port open, for clients to learn
 *     that it stops
 */
public record WorkerConfig(
    int port,
    String protocol,
    String dispatcherAddress,
    String workerAddress,
    List<String> workerTags,
    Duration heartbeatInterval,
    Duration dispatcherTimeout,
    DataTransfer dataTransfer,
    long crossTrainerCacheSizeBytes,
    long snapshotMaxChunkSizeBytes,
    Duration shutdownQuietPeriod) {
  private static final int MAX_PORT = 65_535;
  private static final long DEFAULT_CACHE_BYTES = 10L << 30;
  private static final long DEFAULT_CHUNK_BYTES = 6L << 30;

  /**
   * How elements travel to clients.
   *
   * @param protocol {@code stream}, or empty: Headrace's own, beside TensorFlow's; {@code grpc}:
   *     TensorFlow's alone
   * @param port 0, or the worker's port: both transfers share it
   * @param address what clients are told to reach the stream by, with {@code %dts_port%} for the
   *     port; empty for the worker's address
   */
  public record DataTransfer(String protocol, int port, String address) {
    /** Both transfers, at the worker's address. */
    public static final DataTransfer DEFAULT = new DataTransfer("", 0, "");

    /** UNIMPLEMENTED for a protocol that there is none of. */
    public DataTransfer {
      if (!List.of("", GrpcTargets.GRPC, ElementStreams.PROTOCOL).contains(protocol)) {
        throw StatusException.unimplemented(
            "data_transfer_protocol \"%s\" is not supported; there are %s and %s",
            protocol, ElementStreams.PROTOCOL, GrpcTargets.GRPC);
      }
    }

    boolean offersStream() {
      return !protocol.equals(GrpcTargets.GRPC);
    }
  }

  /**
   * Checks every field.
   *
   * @throws StatusException INVALID_ARGUMENT, NOT_FOUND (for a protocol), FAILED_PRECONDITION (for
   *     an empty tag) or UNIMPLEMENTED, naming the field
   */
  public WorkerConfig {
    workerTags = List.copyOf(workerTags);
    requirePort("port", port);
    GrpcTargets.requireGrpc(protocol);
    dispatcherAddress = GrpcTargets.address(dispatcherAddress);
    if (workerAddress.isBlank()) {
      throw StatusException.invalidArgument("worker_address must be host:port or host:%%port%%");
    }
    if (workerTags.contains("")) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "Worker tags cannot be empty. Got tags {%s}",
          String.join(", ", workerTags));
    }
    requirePositive("heartbeat_interval_ms", heartbeatInterval);
    requirePositive("dispatcher_timeout_ms", dispatcherTimeout);
    requirePort("data_transfer_port", dataTransfer.port());
    if (dataTransfer.port() != 0 && dataTransfer.port() != port) {
      throw StatusException.unimplemented(
          "data_transfer_port %d: elements leave by the worker's own port, %d",
          dataTransfer.port(), port);
    }
    requireDefault(
        "cross_trainer_cache_size_bytes", crossTrainerCacheSizeBytes, DEFAULT_CACHE_BYTES);
    requireDefault("snapshot_max_chunk_size_bytes", snapshotMaxChunkSizeBytes, DEFAULT_CHUNK_BYTES);
    if (shutdownQuietPeriod.isNegative()) {
      throw StatusException.invalidArgument(
          "shutdown_quiet_period_ms must not be negative, got %s", shutdownQuietPeriod);
    }
  }

  /** The defaults, for a worker of the dispatcher at {@code address}. */
  public static WorkerConfig forDispatcher(String address) {
    return new WorkerConfig(
        0,
        GrpcTargets.GRPC,
        address,
        "localhost:%port%",
        List.of(),
        Duration.ofSeconds(30),
        Duration.ofHours(1),
        DataTransfer.DEFAULT,
        DEFAULT_CACHE_BYTES,
        DEFAULT_CHUNK_BYTES,
        Duration.ZERO);
  }

  /** The same on another port. */
  public WorkerConfig withPort(int newPort) {
    return with(newPort, workerAddress, workerTags, heartbeatInterval, dataTransfer);
  }

  /** The same, reached by another address. */
  public WorkerConfig withWorkerAddress(String address) {
    return with(port, address, workerTags, heartbeatInterval, dataTransfer);
  }

  /** The same with other tags. */
  public WorkerConfig withWorkerTags(List<String> tags) {
    return with(port, workerAddress, tags, heartbeatInterval, dataTransfer);
  }

  /** The same with another pause between heartbeats. */
  public WorkerConfig withHeartbeatInterval(Duration interval) {
    return with(port, workerAddress, workerTags, interval, dataTransfer);
  }

  /** The same with other transfers. */
  public WorkerConfig withDataTransfer(DataTransfer transfer) {
    return with(port, workerAddress, workerTags, heartbeatInterval, transfer);
  }

  private WorkerConfig with(
      int newPort,
      String address,
      List<String> tags,
      Duration interval,
      DataTransfer newDataTransfer) {
    return new WorkerConfig(
        newPort,
        protocol,
        dispatcherAddress,
        address,
        tags,
        interval,
        dispatcherTimeout,
        newDataTransfer,
        crossTrainerCacheSizeBytes,
        snapshotMaxChunkSizeBytes,
        shutdownQuietPeriod);
  }

  private static void requirePort(String name, int port) {
    if (port < 0 || port > MAX_PORT) {
      throw StatusException.invalidArgument("%s must be 0 to %d, got %d", name, MAX_PORT, port);
    }
  }

  private static void requirePositive(String name, Duration duration) {
    if (!duration.isPositive()) {
      throw StatusException.invalidArgument("%s must be positive, got %s", name, duration);
    }
  }

  private static void requireDefault(String name, long value, long byDefault) {
    if (value != byDefault) {
      throw StatusException.unimplemented(
          "%s is not supported: what it bounds is not there; leave it at %d", name, byDefault);
    }
  }
}
