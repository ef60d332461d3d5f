package io.headrace.worker;

import io.grpc.ManagedChannel;
import io.grpc.ServerServiceDefinition;
import io.headrace.dataset.execute.pass.CacheBudget;
import io.headrace.proto.data.DataTransferServerInfo;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.rpc.ElementStreams;
import io.headrace.rpc.EpochFence;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcTargets;
import io.headrace.rpc.HeartbeatTimer;
import io.headrace.rpc.LocalWorkers;
import io.headrace.rpc.WorkerIncarnation;
import io.headrace.rpc.inspect.Inspection;
import io.headrace.rpc.inspect.ServerHealth;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A worker without its port: its services are attached to a server. {@link #serveAt} registers it,
 * {@link #drain} ends its tasks, {@link #close} releases its threads and channel.
 */
final class DataWorker implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(DataWorker.class.getName());
  private static final Duration DRAIN_CHECK = Duration.ofMillis(5);

  private final WorkerConfig config;
  private final Ticker ticker;
  private final WorkerLog log;
  private final ManagedChannel channel;
  private final DispatcherStub dispatcher;
  private final CompletionReporter completions;
  private final DeliveryReporter deliveries;
  private final DeliveryAnnouncer announcements;
  private final StageReporter statistics;
  private final StageTimer stageTimer;
  private final EpochFence fence = new EpochFence();
  private final HeartbeatTimer metronome = HeartbeatTimer.start();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("worker-pipeline-", 0).factory());
  private final ExecutorService codecs =
      Executors.newFixedThreadPool(
          Runtime.getRuntime().availableProcessors(),
          Thread.ofPlatform().daemon().name("worker-codec-", 0).factory());
  private final TaskTable tasks;
  private final SnapshotStreams snapshots;
  private final HeartbeatLoop heartbeats;
  private final WorkerServices services;
  private final Inspection inspection;
  private final ServerHealth health = new ServerHealth(WorkerServiceGrpc.SERVICE_NAME);
  private volatile String address;
  private volatile LocalWorkers.Entry local = () -> {};

  /**
   * A worker that is not registered yet.
   *
   * @param config its configuration
   * @param host its process
   * @param leave called, without blocking, when an operator drains it
   */
  DataWorker(WorkerConfig config, WorkerHost host, Runnable leave) {
    this.config = config;
    ticker = host.ticker();
    inspection = host.inspection();
    log = new WorkerLog(ticker);
    address = config.workerAddress();
    long incarnation = host.random().nextLong() | 1; // 0 means unset
    channel = GrpcChannels.open(config.dispatcherAddress());
    // Reconnect after a refusal: the address may now lead to another dispatcher.
    dispatcher =
        new DispatcherStub(
            config.dispatcherAddress(),
            channel,
            List.of(WorkerIncarnation.marking(incarnation), fence.ofAnswers(channel::enterIdle)),
            config.dispatcherTimeout(),
            host.ticker());
    completions = new CompletionReporter(dispatcher, this::address);
    deliveries = new DeliveryReporter(dispatcher);
    announcements = new DeliveryAnnouncer(dispatcher, host.ticker());
    stageTimer = new StageTimer(host.ticker());
    TaskLoader loader = new TaskLoader(this::address, dispatcher, host.ops(), host.ticker());
    TaskEnvironment environment =
        new TaskEnvironment(
            host,
            loader::load,
            threads,
            codecs,
            completions::report,
            deliveries::of,
            announcements::schedule,
            stageTimer,
            new CacheRoom(config.crossTrainerCacheSizeBytes(), CacheBudget.ofProcess()));
    tasks =
        new TaskTable(definition -> {
          log.begins(definition);
          return new RunningTask(definition, environment);
        });
    statistics = new StageReporter(dispatcher, tasks);
    snapshots =
        new SnapshotStreams(
            new SnapshotEnvironment(
                host,
                dispatcher,
                this::address,
                threads,
                config.snapshotMaxChunkSizeBytes(),
                this::hurry));
    heartbeats =
        new HeartbeatLoop(
            dispatcher,
            config,
            host,
            tasks,
            snapshots,
            new TaskTraces(dispatcher, tasks),
            incarnation,
            log,
            leave);
    services = new WorkerServices(tasks, snapshots::progress, incarnation, heartbeats::hurry);
  }

  private void hurry() {
    heartbeats.hurry();
  }

  List<ServerServiceDefinition> services() {
    List<ServerServiceDefinition> all =
        new ArrayList<>(
            services.definitions(metronome, fence, config.dataTransfer().offersStream()));
    all.add(health.service());
    all.addAll(inspection.services());
    return all;
  }

  /** The worker's address for clients. */
  String address() {
    return address;
  }

  /**
   * Registers the worker, whose services are served at {@code port}, and starts to serve elements.
   * Blocks until the dispatcher has answered.
   */
  void serveAt(int port) {
    address = withPort(config.workerAddress(), "%port%", port);
    heartbeats.register(address, transferServers(port));
    services.becomeRegistered();
    health.serve();
    local = LocalWorkers.add(address, services);
    heartbeats.start();
    completions.start();
    deliveries.start();
    announcements.start();
    statistics.start();
  }

  private List<DataTransferServerInfo> transferServers(int port) {
    List<DataTransferServerInfo> servers = new ArrayList<>();
    // TensorFlow's clients know only this one, and expect it to come first.
    servers.add(transferServer(GrpcTargets.GRPC, address));
    if (config.dataTransfer().offersStream()) {
      String own = withPort(config.dataTransfer().address(), "%dts_port%", port);
      servers.add(transferServer(ElementStreams.PROTOCOL, own.isEmpty() ? address : own));
    }
    return servers;
  }

  private static DataTransferServerInfo transferServer(String protocol, String at) {
    return DataTransferServerInfo.newBuilder().setProtocol(protocol).setAddress(at).build();
  }

  private static String withPort(String address, String placeholder, int port) {
    int at = address.indexOf(placeholder);
    return at < 0
        ? address
        : address.substring(0, at) + port + address.substring(at + placeholder.length());
  }

  /**
   * Leaves in order: hands out only what would be lost otherwise, waits until readers have it or
   * are gone, and says goodbye to the dispatcher, which has the rest made elsewhere.
   *
   * @param atMost how long readers may take
   */
  void leave(Duration atMost) {
    health.leave();
    if (!services.isRegistered()) {
      return;
    }
    heartbeats.close();
    snapshots.close();
    tasks.leave();
    InterruptibleWait pause = new InterruptibleWait();
    long deadline = ticker.nanoTime() + atMost.toNanos();
    while (!tasks.canBeLeft() && ticker.nanoTime() < deadline && pause.await(DRAIN_CHECK)) {
      // Readers go on.
    }
    deliveries.flush();
    completions.flush();
    LeaveWorkerRequest.Builder request = heartbeats.leaving();
    for (RunningTask task : tasks.live()) {
      task.lastDeliveries().ifPresent(request::addTasks);
      if (task.hasDrainedSplits()) {
        request.addDrainedTaskIds(task.id());
      }
    }
    try {
      dispatcher.leave(request.build());
      log.left(address);
    } catch (StatusException e) {
      LOGGER.log(Level.INFO, "the dispatcher does not know that this worker left: " + e.message());
    }
  }

  /** How many tasks were deleted. */
  long deletedTasks() {
    return tasks.deletions();
  }

  /** The worker's figures. */
  WorkerCounts counts() {
    return tasks.counts(services.isRegistered());
  }

  /** Ends all tasks, heartbeats and watches; readers get CANCELLED. */
  void drain() {
    health.leave();
    health.endWatches();
    local.close();
    tasks.close(new StatusException(StatusCode.CANCELLED, "Worker is shutting down"));
    heartbeats.close();
    snapshots.close();
    completions.close();
    deliveries.close();
    announcements.close();
    statistics.close();
  }

  @Override
  public void close() {
    drain();
    metronome.close();
    stageTimer.close();
    threads.shutdownNow();
    codecs.shutdownNow();
    GrpcChannels.close(channel);
  }
}
