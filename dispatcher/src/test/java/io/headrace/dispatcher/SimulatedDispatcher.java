package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.Guarantee;
import io.opentelemetry.api.metrics.MeterProvider;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** The dispatcher of a {@link Simulation}: a sequence of processes on one disk. */
final class SimulatedDispatcher {
  private static final long MILLI = 1_000_000;
  private static final long DEADLINE_NANOS = 5_000 * MILLI;

  /** Small, so that journals are compacted often. */
  private static final DispatcherLimits LIMITS =
      new DispatcherLimits(1000, 1_000_000, 100, 1000, 1000, 1000, 1000, 1000, 20);

  private static final DispatcherConfig CONFIG =
      DispatcherConfig.builder()
          .jobGcCheckInterval(Simulation.GC_INTERVAL)
          .jobGcTimeout(Simulation.GC_TIMEOUT)
          .clientTimeout(Simulation.CLIENT_TIMEOUT)
          .workerTimeout(Simulation.WORKER_TIMEOUT)
          .gcDynamicShardingJobs(true)
          .build();

  private final Simulation simulation;
  private final Guarantee stockGuarantee;
  private InMemoryJournal memory = new InMemoryJournal();
  private double diskFailures;
  private VirtualProcess process;
  private SimulatedDisk disk;
  private Dispatcher dispatcher;
  private int restarts;
  private int comparisons;
  private boolean inline;
  private int pending;

  SimulatedDispatcher(Simulation simulation) {
    this.simulation = simulation;
    stockGuarantee =
        simulation.random().nextBoolean() ? Guarantee.AT_LEAST_ONCE : Guarantee.AT_MOST_ONCE;
    process = simulation.newProcess();
    disk = new SimulatedDisk(process, simulation.random(), memory, simulation.ledger());
    dispatcher = open();
  }

  VirtualProcess process() {
    return process;
  }

  SimulatedDisk disk() {
    return disk;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int restarts() {
    return restarts;
  }

  /** Makes the fraction {@code share} of all writes fail. */
  void failWrites(double share) {
    diskFailures = share;
    disk.fail(share);
  }

  /** The number of comparisons of the state with the ledger. */
  int comparisons() {
    return comparisons;
  }

  /** Kills the process. */
  void kill() {
    process.kill();
    memory = disk.crash();
  }

  /** Starts a new process on the disk, which must hold everything that was acknowledged. */
  void restart() {
    restarts++;
    process = simulation.newProcess();
    pending = 0;
    disk = new SimulatedDisk(process, simulation.random(), memory, simulation.ledger());
    dispatcher = open();
    disk.fail(diskFailures);
    compareWithLedger();
  }

  /** Compares the state with the ledger, unless a request or write is in flight. */
  void compareWithLedger() {
    boolean changes = !simulation.ledger().state().iterations().pending().isEmpty();
    if (!process.isAlive() || disk.isWriting() || pending > 0 || changes) {
      return;
    }
    inline = true;
    comparisons++;
    var _ =
        dispatcher
            .snapshot()
            .whenComplete((snapshot, failure) -> {
              simulation.require(
                  snapshot == null || snapshot.equals(simulation.ledger().snapshot()),
                  "the state is %s, and the journal says %s",
                  snapshot,
                  simulation.ledger().snapshot());
            });
    inline = false;
  }

  private Dispatcher open() {
    Dispatcher opened =
        new Dispatcher(
            CONFIG.toBuilder()
                .stockGuarantee(stockGuarantee)
                .workerAddresses(simulation.shares().configured())
                .build(),
            new DispatcherDependencies(
                executor(process),
                executor(process),
                simulation.time(),
                process,
                disk,
                new Network(process),
                simulation.random()::nextLong,
                SimulatedDataset::find,
                LIMITS,
                MeterProvider.noop().get("test"),
                () -> {}));
    simulation.network().listen(Simulation.DISPATCHER, process, opened);
    simulation.ledger().dispatcherStarts();
    opened.open();
    return opened;
  }

  private Executor executor(VirtualProcess of) {
    return turn -> {
      if (inline) {
        turn.run();
        return;
      }
      pending++;
      of.after(
          MILLI / 10
              + simulation
                  .random()
                  .nextLong(simulation.random().nextInt(20) == 0 ? 2000 * MILLI : 2 * MILLI),
          () -> {
            pending--;
            turn.run();
          });
    };
  }

  /** The network of one dispatcher process to its workers. */
  private final class Network implements WorkerNetwork {
    private final VirtualProcess caller;

    Network(VirtualProcess caller) {
      this.caller = caller;
    }

    @Override
    public CompletableFuture<Set<Long>> tasks(String address) {
      return call(address, SimulatedWorker::tasks);
    }

    @Override
    public CompletableFuture<Boolean> confirm(String address, long incarnation) {
      return call(address, worker -> worker.confirm(incarnation));
    }

    @Override
    public CompletableFuture<Set<String>> hosts(String address) {
      return CompletableFuture.completedFuture(Set.of(address));
    }

    @Override
    public CompletableFuture<Boolean> process(TaskDef task) {
      return call(task.getWorkerAddress(), worker -> worker.process(task));
    }

    @Override
    public CompletableFuture<Boolean> hurry(String address) {
      return call(address, SimulatedWorker::hurry);
    }

    @Override
    public void forget(String address) {
      // No resources are held.
    }

    @Override
    public void close() {
      // No resources are held.
    }

    private <R> CompletableFuture<R> call(
        String address, Function<SimulatedWorker, CompletableFuture<R>> request) {
      return simulation.withDeadline(
          caller,
          DEADLINE_NANOS,
          simulation
              .network()
              .call(caller, Simulation.DISPATCHER, address, SimulatedWorker.class, request));
    }
  }
}
