package io.headrace.worker;

import static java.util.Objects.requireNonNull;

import io.headrace.rpc.ElementStreams;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * The configuration of a {@link WorkerServer}: the fields of TensorFlow's WorkerConfig, with its
 * defaults.
 *
 * @param port the port on all interfaces; 0 for any free port
 * @param protocol the protocol; only {@code grpc} is supported
 * @param dispatcherAddress the dispatcher's target, {@code [grpc://]host:port}
 * @param workerAddress this worker's address for dispatcher and clients; the first {@code %port%}
 *     in it is replaced by the bound port
 * @param workerTags the tags by which clients may select workers
 * @param heartbeatInterval the pause between heartbeats
 * @param dispatcherTimeout how long requests to the dispatcher are retried while it does not
 *     answer, the first of them by {@link WorkerServer#start}; an hour
 * @param dataTransfer the element transfers beside TensorFlow's GetElement
 * @param crossTrainerCacheSizeBytes the most bytes that the cross-trainer cache of a task holds;
 *     less where the process has less for its caches
 * @param snapshotMaxChunkSizeBytes the size of a file of a distributed snapshot beyond which
 *     another begins
 * @param shutdownQuietPeriod how long a stopping worker goes on at the most, until its readers have
 *     the elements that would be lost with it, or have closed; 10 s
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
   * The element transfers that a worker offers.
   *
   * @param protocol {@code stream}, or empty: Headrace's element streams and TensorFlow's
   *     GetElement; {@code grpc}: GetElement only
   * @param port 0, or the worker's port: both transfers share it
   * @param address the address of the streams for clients, with {@code %dts_port%} for the port;
   *     empty for the worker's address
   */
  public record DataTransfer(String protocol, int port, String address) {
    /** Both transfers, at the worker's address. */
    public static final DataTransfer DEFAULT = new DataTransfer("", 0, "");

    /** UNIMPLEMENTED for an unknown protocol. */
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
   * Validates every field.
   *
   * @throws StatusException INVALID_ARGUMENT, NOT_FOUND (for a protocol), FAILED_PRECONDITION (for
   *     an empty tag) or UNIMPLEMENTED, naming the field
   */
  public WorkerConfig {
    requireNonNull(protocol, "protocol is null");
    requireNonNull(dispatcherAddress, "dispatcherAddress is null");
    requireNonNull(workerAddress, "workerAddress is null");
    requireNonNull(workerTags, "workerTags is null");
    requireNonNull(heartbeatInterval, "heartbeatInterval is null");
    requireNonNull(dispatcherTimeout, "dispatcherTimeout is null");
    requireNonNull(dataTransfer, "dataTransfer is null");
    requireNonNull(shutdownQuietPeriod, "shutdownQuietPeriod is null");
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
    if (crossTrainerCacheSizeBytes <= 0) {
      throw StatusException.invalidArgument(
          "cross_trainer_cache_size_bytes must be positive, got %d", crossTrainerCacheSizeBytes);
    }
    if (snapshotMaxChunkSizeBytes <= 0) {
      throw StatusException.invalidArgument(
          "snapshot_max_chunk_size_bytes must be positive, got %d", snapshotMaxChunkSizeBytes);
    }
    if (shutdownQuietPeriod.isNegative()) {
      throw StatusException.invalidArgument(
          "shutdown_quiet_period_ms must not be negative, got %s", shutdownQuietPeriod);
    }
  }

  /** The default configuration, for a worker of the dispatcher at {@code address}. */
  public static WorkerConfig forDispatcher(String address) {
    requireNonNull(address, "address is null");
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
        Duration.ofSeconds(10));
  }

  /** A copy with another port. */
  public WorkerConfig withPort(int newPort) {
    return with(fields -> fields.port = newPort);
  }

  /** A copy with another protocol. */
  public WorkerConfig withProtocol(String name) {
    requireNonNull(name, "name is null");
    return with(fields -> fields.protocol = name);
  }

  /** A copy with another dispatcher. */
  public WorkerConfig withDispatcherAddress(String target) {
    requireNonNull(target, "target is null");
    return with(fields -> fields.dispatcherAddress = target);
  }

  /** A copy with another address for dispatcher and clients. */
  public WorkerConfig withWorkerAddress(String address) {
    requireNonNull(address, "address is null");
    return with(fields -> fields.workerAddress = address);
  }

  /** A copy with other tags. */
  public WorkerConfig withWorkerTags(List<String> tags) {
    requireNonNull(tags, "tags is null");
    return with(fields -> fields.workerTags = tags);
  }

  /** A copy with another pause between heartbeats. */
  public WorkerConfig withHeartbeatInterval(Duration interval) {
    requireNonNull(interval, "interval is null");
    return with(fields -> fields.heartbeatInterval = interval);
  }

  /** A copy with another bound of the time in which requests to the dispatcher are retried. */
  public WorkerConfig withDispatcherTimeout(Duration timeout) {
    requireNonNull(timeout, "timeout is null");
    return with(fields -> fields.dispatcherTimeout = timeout);
  }

  /** A copy with other transfers. */
  public WorkerConfig withDataTransfer(DataTransfer transfer) {
    requireNonNull(transfer, "transfer is null");
    return with(fields -> fields.dataTransfer = transfer);
  }

  /** A copy with another bound of the cross-trainer cache of a task. */
  public WorkerConfig withCrossTrainerCacheSizeBytes(long bytes) {
    return with(fields -> fields.crossTrainerCacheSizeBytes = bytes);
  }

  /** A copy with another size of the files of distributed snapshots. */
  public WorkerConfig withSnapshotMaxChunkSizeBytes(long bytes) {
    return with(fields -> fields.snapshotMaxChunkSizeBytes = bytes);
  }

  /** A copy with another bound of the time that a stop takes. */
  public WorkerConfig withShutdownQuietPeriod(Duration period) {
    requireNonNull(period, "period is null");
    return with(fields -> fields.shutdownQuietPeriod = period);
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

  private WorkerConfig with(Consumer<Fields> change) {
    Fields fields = new Fields(this);
    change.accept(fields);
    return fields.build();
  }

  /** The components of a copy. */
  private static final class Fields {
    private int port;
    private String protocol;
    private String dispatcherAddress;
    private String workerAddress;
    private List<String> workerTags;
    private Duration heartbeatInterval;
    private Duration dispatcherTimeout;
    private DataTransfer dataTransfer;
    private long crossTrainerCacheSizeBytes;
    private long snapshotMaxChunkSizeBytes;
    private Duration shutdownQuietPeriod;

    Fields(WorkerConfig from) {
      port = from.port;
      protocol = from.protocol;
      dispatcherAddress = from.dispatcherAddress;
      workerAddress = from.workerAddress;
      workerTags = from.workerTags;
      heartbeatInterval = from.heartbeatInterval;
      dispatcherTimeout = from.dispatcherTimeout;
      dataTransfer = from.dataTransfer;
      crossTrainerCacheSizeBytes = from.crossTrainerCacheSizeBytes;
      snapshotMaxChunkSizeBytes = from.snapshotMaxChunkSizeBytes;
      shutdownQuietPeriod = from.shutdownQuietPeriod;
    }

    WorkerConfig build() {
      return new WorkerConfig(
          port,
          protocol,
          dispatcherAddress,
          workerAddress,
          workerTags,
          heartbeatInterval,
          dispatcherTimeout,
          dataTransfer,
          crossTrainerCacheSizeBytes,
          snapshotMaxChunkSizeBytes,
          shutdownQuietPeriod);
    }
  }
}
