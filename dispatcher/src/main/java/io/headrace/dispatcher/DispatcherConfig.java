package io.headrace.dispatcher;

import static java.util.Objects.requireNonNull;

import io.headrace.journal.GcsLocation;
import io.headrace.proto.data.DeploymentMode;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.rpc.GrpcTargets;
import io.headrace.rpc.inspect.Inspection;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a {@link DispatchServer}: TensorFlow's DispatcherConfig and some settings of
 * our own. Values of zero, and the empty protocol, stand for the defaults and read as those. Start
 * from {@link #defaults} or a {@link #builder}.
 *
 * @param port the port to listen on; 0 for any free port
 * @param protocol the transport protocol; "grpc"
 * @param workDir the journal's directory on this host if {@code faultTolerantMode}; created if it
 *     is missing, and used by one dispatcher only. Or "gs://bucket/path" in Google Cloud Storage,
 *     where the dispatcher started last takes over
 * @param faultTolerantMode whether the state outlives the process; needs a {@code workDir}
 * @param takeOver whether to use a {@code workDir} last used by another host; safe only if no
 *     dispatcher runs there any more
 * @param gcsEndpoint the URL of Cloud Storage for a {@code workDir} in a bucket: an https endpoint
 *     gets the application default credentials, an http one (an emulator) none; empty for Google's
 * @param workerAddresses the workers that may register, among which static sharding divides
 *     datasets; empty for any worker, without static sharding
 * @param deploymentMode the mode that clients are told
 * @param jobGcCheckInterval the interval of garbage collection. By default a quarter of the
 *     shortest of the timeouts below, between 1 s and TensorFlow's 10 min; 75 s if these have their
 *     defaults
 * @param jobGcTimeout how long an iteration without clients, and an anonymous job, are kept; 5 min.
 *     Negative: only finished iterations are ever collected
 * @param gcDynamicShardingJobs whether iterations with dynamic sharding are collected too; a client
 *     that returns then gets their splits again
 * @param jobTombstoneTimeout how long the name of an unused job is kept as a tombstone, with its
 *     finished repetitions; 24 h
 * @param datasetGcTimeout how long a dataset without jobs is kept after its last request; 7 days
 * @param clientTimeout how long a client may be silent before it is released; 5 min. A reader with
 *     the guarantee exactly once is released after twice that; if its job can be shared, it stops
 *     delivering by itself after one timeout without an answer
 * @param workerTimeout how long a worker may be silent before it is removed; 10 min
 * @param workerMaxConcurrentSnapshots how many streams of distributed snapshots a worker writes at
 *     a time; 3
 * @param stockGuarantee the guarantee of stock clients' jobs: AT_MOST_ONCE, TensorFlow's and the
 *     default, or AT_LEAST_ONCE where a job can have it
 * @param stockLease how much reading a lost worker may cost in stock clients' jobs that are read at
 *     most once, at the readers' present rate; 50 ms. Readers wait for the dispatcher after about
 *     as long without it
 * @param maxReceiveBytes bound on the bytes of requests being received; a quarter of the maximum
 *     heap
 * @param inspection gRPC's services for looking into the process; none by default
 */
public record DispatcherConfig(
    int port,
    String protocol,
    String workDir,
    boolean faultTolerantMode,
    boolean takeOver,
    String gcsEndpoint,
    List<String> workerAddresses,
    DeploymentMode deploymentMode,
    Duration jobGcCheckInterval,
    Duration jobGcTimeout,
    boolean gcDynamicShardingJobs,
    Duration jobTombstoneTimeout,
    Duration datasetGcTimeout,
    Duration clientTimeout,
    Duration workerTimeout,
    int workerMaxConcurrentSnapshots,
    Guarantee stockGuarantee,
    Duration stockLease,
    long maxReceiveBytes,
    Inspection inspection) {

  private static final int DEFAULT_CONCURRENT_SNAPSHOTS = 3;
  private static final int MAX_PORT = 65_535;
  private static final Duration MIN_FOLLOWED_INTERVAL = Duration.ofSeconds(1);
  private static final Duration MAX_FOLLOWED_INTERVAL = Duration.ofMinutes(10);
  private static final String GRPC = "grpc";

  /**
   * Fills in defaults and validates.
   *
   * @throws StatusException INVALID_ARGUMENT, naming a field out of range; NOT_FOUND for another
   *     protocol; UNIMPLEMENTED for an unsupported feature
   */
  public DispatcherConfig {
    requireNonNull(protocol, "protocol is null");
    requireNonNull(workDir, "workDir is null");
    requireNonNull(gcsEndpoint, "gcsEndpoint is null");
    requireNonNull(workerAddresses, "workerAddresses is null");
    requireNonNull(deploymentMode, "deploymentMode is null");
    requireNonNull(jobGcCheckInterval, "jobGcCheckInterval is null");
    requireNonNull(jobGcTimeout, "jobGcTimeout is null");
    requireNonNull(jobTombstoneTimeout, "jobTombstoneTimeout is null");
    requireNonNull(datasetGcTimeout, "datasetGcTimeout is null");
    requireNonNull(clientTimeout, "clientTimeout is null");
    requireNonNull(workerTimeout, "workerTimeout is null");
    requireNonNull(stockGuarantee, "stockGuarantee is null");
    requireNonNull(stockLease, "stockLease is null");
    requireNonNull(inspection, "inspection is null");
    require(port >= 0 && port <= MAX_PORT, "port must be 0 (any) to " + MAX_PORT, port);
    protocol = protocol.isEmpty() ? GRPC : protocol;
    GrpcTargets.requireGrpc(protocol);
    workerAddresses = List.copyOf(workerAddresses);
    require(
        workerAddresses.stream().noneMatch(String::isBlank),
        "workerAddresses must not have an empty one",
        workerAddresses);
    require(
        deploymentMode != DeploymentMode.UNRECOGNIZED,
        "deploymentMode must be one that is known",
        deploymentMode);
    jobGcTimeout = orDefault(jobGcTimeout, Duration.ofMinutes(5));
    jobTombstoneTimeout = orDefault(jobTombstoneTimeout, Duration.ofHours(24));
    datasetGcTimeout = orDefault(datasetGcTimeout, Duration.ofDays(7));
    clientTimeout = orDefault(clientTimeout, Duration.ofMinutes(5));
    workerTimeout = orDefault(workerTimeout, Duration.ofMinutes(10));
    requirePositive("jobTombstoneTimeout", jobTombstoneTimeout);
    requirePositive("datasetGcTimeout", datasetGcTimeout);
    requirePositive("clientTimeout", clientTimeout);
    requirePositive("workerTimeout", workerTimeout);
    jobGcCheckInterval =
        orDefault(
            jobGcCheckInterval,
            followed(
                jobGcTimeout, jobTombstoneTimeout, datasetGcTimeout, clientTimeout, workerTimeout));
    requirePositive("jobGcCheckInterval", jobGcCheckInterval);
    if (workerMaxConcurrentSnapshots == 0) {
      workerMaxConcurrentSnapshots = DEFAULT_CONCURRENT_SNAPSHOTS;
    }
    if (stockGuarantee == Guarantee.GUARANTEE_UNSPECIFIED) {
      stockGuarantee = Guarantee.AT_MOST_ONCE;
    }
    require(
        stockGuarantee == Guarantee.AT_MOST_ONCE || stockGuarantee == Guarantee.AT_LEAST_ONCE,
        "stockGuarantee must be AT_MOST_ONCE or AT_LEAST_ONCE: stock clients can't say what they"
            + " have received",
        stockGuarantee);
    stockLease = orDefault(stockLease, Duration.ofMillis(50));
    requirePositive("stockLease", stockLease);
    require(maxReceiveBytes >= 0, "maxReceiveBytes must be 0 (default) or more", maxReceiveBytes);
    if (maxReceiveBytes == 0) {
      maxReceiveBytes = Math.max(1, Runtime.getRuntime().maxMemory() / 4);
    }
    require(
        !faultTolerantMode || !workDir.isEmpty(),
        "faultTolerantMode needs a workDir (work_dir) to keep state in",
        "none");
    if (GcsLocation.isBucketUrl(workDir)) {
      var _ = GcsLocation.parse(workDir, gcsEndpoint);
    } else {
      require(
          gcsEndpoint.isEmpty(),
          "gcsEndpoint goes with a workDir (work_dir) of gs://BUCKET/PATH only",
          gcsEndpoint);
    }
    require(
        workerMaxConcurrentSnapshots > 0,
        "workerMaxConcurrentSnapshots must be 0 (default) or more",
        workerMaxConcurrentSnapshots);
  }

  /** The defaults, on any free port. */
  public static DispatcherConfig defaults() {
    return new Builder().build();
  }

  /** The defaults, on {@code port}. */
  public static DispatcherConfig onPort(int port) {
    return new Builder().port(port).build();
  }

  /** A builder with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder with this configuration. */
  public Builder toBuilder() {
    return new Builder()
        .port(port)
        .protocol(protocol)
        .workDir(workDir)
        .faultTolerantMode(faultTolerantMode)
        .takeOver(takeOver)
        .gcsEndpoint(gcsEndpoint)
        .workerAddresses(workerAddresses)
        .deploymentMode(deploymentMode)
        .jobGcCheckInterval(followsTimeouts() ? Duration.ZERO : jobGcCheckInterval)
        .jobGcTimeout(jobGcTimeout)
        .gcDynamicShardingJobs(gcDynamicShardingJobs)
        .jobTombstoneTimeout(jobTombstoneTimeout)
        .datasetGcTimeout(datasetGcTimeout)
        .clientTimeout(clientTimeout)
        .workerTimeout(workerTimeout)
        .workerMaxConcurrentSnapshots(workerMaxConcurrentSnapshots)
        .stockGuarantee(stockGuarantee)
        .stockLease(stockLease)
        .maxReceiveBytes(maxReceiveBytes)
        .inspection(inspection);
  }

  /**
   * The garbage collection interval that notices each of {@code timeouts} soon after it expires.
   */
  private static Duration followed(Duration... timeouts) {
    Duration quarter = Collections.min(List.of(timeouts)).dividedBy(4);
    return quarter.compareTo(MIN_FOLLOWED_INTERVAL) < 0
        ? MIN_FOLLOWED_INTERVAL
        : Collections.min(List.of(quarter, MAX_FOLLOWED_INTERVAL));
  }

  private boolean followsTimeouts() {
    return jobGcCheckInterval.equals(
        followed(
            jobGcTimeout, jobTombstoneTimeout, datasetGcTimeout, clientTimeout, workerTimeout));
  }

  private static Duration orDefault(Duration value, Duration defaultValue) {
    return value.isZero() ? defaultValue : value;
  }

  private static void requirePositive(String field, Duration value) {
    require(value.isPositive(), field + " must be 0 (default) or more", value);
  }

  private static void require(boolean valid, String rule, Object got) {
    if (!valid) {
      throw StatusException.invalidArgument("%s, got %s", rule, got);
    }
  }

  /** Builds a {@link DispatcherConfig}; see its components for each property. Not thread-safe. */
  public static final class Builder {
    private int port;
    private String protocol = "";
    private String workDir = "";
    private Optional<Boolean> faultTolerantMode = Optional.empty();
    private boolean takeOver;
    private String gcsEndpoint = "";
    private List<String> workerAddresses = List.of();
    private DeploymentMode deploymentMode = DeploymentMode.DEPLOYMENT_MODE_UNSPECIFIED;
    private Duration jobGcCheckInterval = Duration.ZERO;
    private Duration jobGcTimeout = Duration.ZERO;
    private boolean gcDynamicShardingJobs;
    private Duration jobTombstoneTimeout = Duration.ZERO;
    private Duration datasetGcTimeout = Duration.ZERO;
    private Duration clientTimeout = Duration.ZERO;
    private Duration workerTimeout = Duration.ZERO;
    private int workerMaxConcurrentSnapshots;
    private Guarantee stockGuarantee = Guarantee.GUARANTEE_UNSPECIFIED;
    private Duration stockLease = Duration.ZERO;
    private long maxReceiveBytes;
    private Inspection inspection = Inspection.NONE;

    private Builder() {}

    /** Sets the port; 0 for any free port. */
    public Builder port(int value) {
      port = value;
      return this;
    }

    /** Sets the protocol. */
    public Builder protocol(String value) {
      protocol = requireNonNull(value, "protocol is null");
      return this;
    }

    /** Sets the journal's directory or bucket. */
    public Builder workDir(String value) {
      workDir = requireNonNull(value, "workDir is null");
      return this;
    }

    /**
     * Sets whether the state outlives the process; if not set, it does where there is a workDir.
     */
    public Builder faultTolerantMode(boolean value) {
      faultTolerantMode = Optional.of(value);
      return this;
    }

    /** Sets whether to use a directory last used by another host. */
    public Builder takeOver(boolean value) {
      takeOver = value;
      return this;
    }

    /** Sets the URL of Cloud Storage. */
    public Builder gcsEndpoint(String value) {
      gcsEndpoint = requireNonNull(value, "gcsEndpoint is null");
      return this;
    }

    /** Sets the workers that may register. */
    public Builder workerAddresses(List<String> value) {
      workerAddresses = List.copyOf(requireNonNull(value, "workerAddresses is null"));
      return this;
    }

    /** Sets the deployment mode that clients are told. */
    public Builder deploymentMode(DeploymentMode value) {
      deploymentMode = requireNonNull(value, "deploymentMode is null");
      return this;
    }

    /** Sets the interval of garbage collection. */
    public Builder jobGcCheckInterval(Duration value) {
      jobGcCheckInterval = requireNonNull(value, "jobGcCheckInterval is null");
      return this;
    }

    /** Sets how long an iteration without clients is kept. */
    public Builder jobGcTimeout(Duration value) {
      jobGcTimeout = requireNonNull(value, "jobGcTimeout is null");
      return this;
    }

    /** Sets whether dynamically sharded iterations are collected. */
    public Builder gcDynamicShardingJobs(boolean value) {
      gcDynamicShardingJobs = value;
      return this;
    }

    /** Sets how long the name of an unused job is kept. */
    public Builder jobTombstoneTimeout(Duration value) {
      jobTombstoneTimeout = requireNonNull(value, "jobTombstoneTimeout is null");
      return this;
    }

    /** Sets how long an unused dataset is kept. */
    public Builder datasetGcTimeout(Duration value) {
      datasetGcTimeout = requireNonNull(value, "datasetGcTimeout is null");
      return this;
    }

    /** Sets how long a client may be silent before it is released. */
    public Builder clientTimeout(Duration value) {
      clientTimeout = requireNonNull(value, "clientTimeout is null");
      return this;
    }

    /** Sets how long a worker may be silent before it is removed. */
    public Builder workerTimeout(Duration value) {
      workerTimeout = requireNonNull(value, "workerTimeout is null");
      return this;
    }

    /** Sets how many snapshot streams a worker may write at a time. */
    public Builder workerMaxConcurrentSnapshots(int value) {
      workerMaxConcurrentSnapshots = value;
      return this;
    }

    /** Sets the guarantee of stock clients' jobs. */
    public Builder stockGuarantee(Guarantee value) {
      stockGuarantee = requireNonNull(value, "stockGuarantee is null");
      return this;
    }

    /** Sets how much reading a lost worker may cost in stock clients' jobs. */
    public Builder stockLease(Duration value) {
      stockLease = requireNonNull(value, "stockLease is null");
      return this;
    }

    /** Sets the bound on the bytes of requests being received. */
    public Builder maxReceiveBytes(long value) {
      maxReceiveBytes = value;
      return this;
    }

    /** Sets gRPC's services for looking into the process. */
    public Builder inspection(Inspection value) {
      inspection = requireNonNull(value, "inspection is null");
      return this;
    }

    /**
     * Builds the configuration.
     *
     * @throws StatusException as the record's constructor does
     */
    public DispatcherConfig build() {
      return new DispatcherConfig(
          port,
          protocol,
          workDir,
          faultTolerantMode.orElse(!workDir.isEmpty()),
          takeOver,
          gcsEndpoint,
          workerAddresses,
          deploymentMode,
          jobGcCheckInterval,
          jobGcTimeout,
          gcDynamicShardingJobs,
          jobTombstoneTimeout,
          datasetGcTimeout,
          clientTimeout,
          workerTimeout,
          workerMaxConcurrentSnapshots,
          stockGuarantee,
          stockLease,
          maxReceiveBytes,
          inspection);
    }
  }
}
