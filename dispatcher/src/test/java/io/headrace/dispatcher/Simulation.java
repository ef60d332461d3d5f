package io.headrace.dispatcher;

import com.google.errorprone.annotations.FormatMethod;
import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.DrainWorkerRequest;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A deterministic simulation of a service from a seed, on one thread and in virtual time: a real
 * dispatcher without its server, simulated workers and readers, and a network and a disk with
 * faults. After a phase of faults all is healed, and every reader must come to its end.
 *
 * <p>The {@link JournalOracle}, the workers, the readers and this class check invariants; the first
 * violation ends the run.
 */
final class Simulation {
  static final String DISPATCHER = "d:1";
  private static final String HOST = "w";
  static final Duration GC_INTERVAL = Duration.ofSeconds(1);
  static final Duration GC_TIMEOUT = Duration.ofSeconds(5);
  static final Duration CLIENT_TIMEOUT = Duration.ofSeconds(5);
  static final Duration WORKER_TIMEOUT = Duration.ofSeconds(30);

  private static final int STEPS_BETWEEN_COMPARISONS = 16;
  private static final long SECOND = 1_000_000_000;
  private static final long PATIENCE_NANOS = 600 * SECOND;

  private final long seed;
  private final BiConsumer<Long, Object> trace;
  private final RandomGenerator random;
  private final VirtualTime time = new VirtualTime();
  private final SimulatedNetwork network;
  private final JournalOracle ledger;
  private final DeliveryChecker judge = new DeliveryChecker(this);
  private final SimulatedDispatcher dispatcher;
  private final List<SimulatedWorker> workers = new ArrayList<>();
  private final List<SimulatedReader> readers = new ArrayList<>();
  private final SimulatedReaderGroup fleet = new SimulatedReaderGroup(this, "fleet");
  private final StaticShardingChecker shares;
  private final SimulatedStranger stranger;
  private @Nullable String broken;
  private boolean troubled = true;
  private final int numWorkers;
  private int nextPort = 1;
  private int steps;

  /**
   * A simulation that has not begun.
   *
   * @param seed determines all that happens
   * @param trace receives events with their times in nanoseconds
   */
  Simulation(long seed, BiConsumer<Long, Object> trace) {
    this.seed = seed;
    this.trace = trace;
    random = new SplittableRandom(seed);
    network = new SimulatedNetwork(time, random);
    ledger = new JournalOracle(this);
    int numWorkers = 1 + random.nextInt(4);
    shares =
        new StaticShardingChecker(
            this, random.nextInt(3) == 0 ? someEntries(numWorkers) : List.of());
    this.numWorkers = numWorkers;
    stranger = new SimulatedStranger(this);
    dispatcher = new SimulatedDispatcher(this);
  }

  /** Runs to the end; fails on a violated invariant. */
  void run() {
    try (CommitLoopLogCheck _ = new CommitLoopLogCheck(this)) {
      simulate();
    }
  }

  private void simulate() {
    schedule();
    long troubleUntil = (20 + random.nextInt(40)) * SECOND;
    runUntil(troubleUntil, () -> false);
    endTrouble();
    runUntil(now() + PATIENCE_NANOS, this::allReadersDone);
    require(allReadersDone(), "readers wait: %s", waiting());
    dispatcher.compareWithLedger();
    runUntil(now() + PATIENCE_NANOS, () -> ledger.leftovers().isEmpty());
    require(ledger.leftovers().isEmpty(), "there is left: %s", ledger.leftovers());
    judge.judge();
    requireUnbroken();
  }

  int steps() {
    return steps;
  }

  int restarts() {
    return dispatcher.restarts();
  }

  /**
   * The number of comparisons of the dispatcher's state with the ledger, after replays and later.
   */
  int comparisons() {
    return ledger.replays() + dispatcher.comparisons();
  }

  // Shared parts.

  VirtualTime time() {
    return time;
  }

  RandomGenerator random() {
    return random;
  }

  SimulatedNetwork network() {
    return network;
  }

  JournalOracle ledger() {
    return ledger;
  }

  DeliveryChecker judge() {
    return judge;
  }

  SimulatedReaderGroup fleet() {
    return fleet;
  }

  /** The checks of statically sharded passes. */
  StaticShardingChecker shares() {
    return shares;
  }

  VirtualProcess newProcess() {
    return new VirtualProcess(time);
  }

  VirtualProcess dispatcherProcess() {
    return dispatcher.process();
  }

  long now() {
    return time.elapsedNanos();
  }

  /** The number of elements that each worker makes of a dataset. */
  static int elementsOf(String datasetId) {
    return Math.floorMod(datasetId.hashCode(), 7) * 5;
  }

  void note(Object what) {
    trace.accept(now(), what);
  }

  /** Records a violated invariant, if it is the first. */
  @FormatMethod
  void require(boolean valid, String format, @Nullable Object... arguments) {
    if (!valid && broken == null) {
      broken = String.format(Locale.ROOT, format, arguments);
    }
  }

  /** Calls the dispatcher from a peer at {@code from}. */
  <R> CompletableFuture<R> ask(
      VirtualProcess caller, String from, Function<Dispatcher, CompletableFuture<R>> request) {
    return network.call(caller, from, DISPATCHER, Dispatcher.class, request);
  }

  /** Fails {@code result} with DEADLINE_EXCEEDED after {@code nanos}. */
  <R> CompletableFuture<R> withDeadline(
      VirtualProcess caller, long nanos, CompletableFuture<R> result) {
    caller.after(
        nanos,
        () ->
            result.completeExceptionally(
                new StatusException(StatusCode.DEADLINE_EXCEEDED, "no answer in time")));
    return result;
  }

  /** A reader has ended its pass and was told of the losses {@code toldLost}. */
  void ended(long client, boolean stock, Set<Long> toldLost) {
    long iteration = ledger.iterationOf(client);
    require(ledger.wasFinished(iteration), "client %d ended too early", client);
    for (Task task : ledger.tasksOf(iteration)) {
      boolean reported =
          stock || !task.isLost() || toldLost.contains(task.id()) || ledger.wasCollected(iteration);
      require(reported, "client %d was not told that task %d is lost", client, task.id());
    }
    shares.requireWhole(iteration);
  }

  // The run.

  /** Whether faults are still being injected. */
  boolean isTroubled() {
    return troubled;
  }

  private boolean allReadersDone() {
    return readers.stream().allMatch(SimulatedReader::isDone) && fleet.isDone();
  }

  private void runUntil(long end, BooleanSupplier done) {
    while (broken == null && now() < end && !done.getAsBoolean()) {
      require(time.step(), "nothing happens any more");
      if (++steps % STEPS_BETWEEN_COMPARISONS == 0) {
        dispatcher.compareWithLedger();
      }
    }
    requireUnbroken();
  }

  /** Fails if an invariant was violated. */
  void requireUnbroken() {
    if (broken != null) {
      throw new AssertionError(
          "seed %d, step %d, at %.3f s: %s (replay it with -Dsimulation.seed=%d)"
              .formatted(seed, steps, (double) now() / SECOND, broken, seed));
    }
  }

  private String waiting() {
    List<Object> waiting = new ArrayList<>(readers.stream().filter(r -> !r.isDone()).toList());
    if (!fleet.isDone()) {
      waiting.add(fleet);
    }
    return waiting.toString();
  }

  private void schedule() {
    network.lose(random.nextInt(3) * 0.03);
    dispatcher.failWrites(random.nextInt(3) == 0 ? 0.1 : 0);
    for (int i = 0; i < numWorkers; i++) {
      in(10, this::startWorker);
    }
    int numReaders = 1 + random.nextInt(6);
    boolean shared = random.nextInt(3) > 0;
    List<SimulatedReader.Mode> modes = List.of(someMode(), someMode());
    for (int i = 0; i < numReaders; i++) {
      String name = "r" + i;
      int job = random.nextInt(2);
      SimulatedReader.Mode mode = shared ? modes.get(job) : someMode();
      in(30, () -> startReader(name, shared ? "j" + job : "", mode));
    }
    if (random.nextBoolean()) {
      in(20, fleet::start);
      int groupFaults = 1 + random.nextInt(6);
      for (int i = 0; i < groupFaults; i++) {
        in(50, fleet::fault);
      }
    }
    int faults = random.nextInt(14);
    for (int i = 0; i < faults; i++) {
      in(40, this::fault);
    }
  }

  private void in(int seconds, Runnable action) {
    time.after(random.nextLong(seconds * SECOND), action);
  }

  /** List entries for the first workers: their addresses, or their host, which matches any port. */
  private List<String> someEntries(int workers) {
    return IntStream.rangeClosed(1, workers)
        .mapToObj(port -> random.nextBoolean() ? HOST : HOST + ":" + port)
        .toList();
  }

  /** A listed worker may be the only one for its shard, so it must not be a stock one. */
  private void startWorker() {
    startWorker(shares.configured().isEmpty() && random.nextInt(3) == 0);
  }

  private void startWorker(boolean stock) {
    workers.add(new SimulatedWorker(this, HOST + ":" + nextPort++, stock));
  }

  /**
   * Starts a worker that can do everything, if none is left; without one some readers never end.
   */
  private void startNeededWorker() {
    List<String> configured = shares.configured();
    boolean anyPort = configured.isEmpty() || configured.contains(HOST);
    boolean isThere =
        workers.stream()
            .anyMatch(
                worker -> !worker.isStock() && (anyPort || configured.contains(worker.address())));
    if (isThere) {
      return;
    }
    if (anyPort) {
      startWorker(false);
    } else {
      workers.add(new SimulatedWorker(this, configured.getFirst(), false));
    }
  }

  private SimulatedReader.Mode someMode() {
    List<SimulatedReader.Mode> modes = new ArrayList<>(List.of(SimulatedReader.Mode.values()));
    modes.add(SimulatedReader.Mode.EXACTLY_ONCE);
    if (shares.configured().isEmpty()) {
      modes.remove(SimulatedReader.Mode.STATIC);
    }
    return modes.get(random.nextInt(modes.size()));
  }

  private void startReader(String name, String job, SimulatedReader.Mode mode) {
    boolean stock = mode != SimulatedReader.Mode.EXACTLY_ONCE && random.nextInt(3) == 0;
    readers.add(new SimulatedReader(this, name, job, mode, stock, 1 + random.nextInt(2)));
  }

  private void fault() {
    if (!troubled) {
      return;
    }
    switch (random.nextInt(14)) {
      case 0, 1, 2 -> restartDispatcher();
      case 3, 4 -> loseWorker();
      case 5 -> cut(DISPATCHER, someAddress());
      case 6 -> cut(someReader(), random.nextBoolean() ? DISPATCHER : someAddress());
      case 7 -> dispatcher.disk().stall(random.nextLong(30 * SECOND));
      case 8 -> fillDisk();
      case 9, 10 -> cut(someSharingReader(), DISPATCHER);
      case 11, 12 -> workers.forEach(worker -> stranger.speakFor(worker.address()));
      default -> killReader();
    }
  }

  private void restartDispatcher() {
    if (dispatcher.isAlive()) {
      dispatcher.kill();
      note("killed the dispatcher");
      in(
          random.nextBoolean() ? 1 : 40,
          () -> {
            if (!dispatcher.isAlive()) {
              dispatcher.restart();
            }
          });
    }
  }

  private void loseWorker() {
    if (workers.isEmpty()) {
      return;
    }
    SimulatedWorker worker = workers.remove(random.nextInt(workers.size()));
    if (!worker.isStock() && random.nextInt(3) == 0) {
      if (random.nextBoolean()) {
        drain(worker);
      } else {
        note(worker.address() + " leaves");
        worker.leave();
      }
    } else {
      worker.kill();
      note("killed " + worker.address());
    }
    switch (random.nextInt(3)) {
      case 0 -> {}
      case 1 -> in(20, this::startWorker);
      default -> in(20, () -> restart(worker));
    }
  }

  /** An operator drains a worker, and stops it if the dispatcher does not answer. */
  private void drain(SimulatedWorker worker) {
    note("an operator drains " + worker.address());
    VirtualProcess operator = newProcess();
    DrainWorkerRequest request =
        DrainWorkerRequest.newBuilder().setWorkerAddress(worker.address()).build();
    var _ =
        withDeadline(
                operator,
                10 * SECOND,
                ask(
                    operator,
                    "operator",
                    dispatcher -> dispatcher.operators().drain(request, Caller.IN_PROCESS)))
            .whenComplete((_, failure) -> {
              if (failure != null && worker.isAlive()) {
                worker.leave();
              }
            });
  }

  private void restart(SimulatedWorker worker) {
    if (worker.isAlive()) {
      in(5, () -> restart(worker));
      return;
    }
    if (workers.stream().anyMatch(other -> other.address().equals(worker.address()))) {
      return;
    }
    network.troubled(worker.address(), worker.address());
    workers.add(new SimulatedWorker(this, worker.address(), worker.isStock()));
    note("restarted " + worker.address());
  }

  private void cut(String one, String other) {
    note("cut " + one + " from " + other);
    network.cut(one, other);
    in(30, () -> network.heal(one, other));
  }

  private void fillDisk() {
    SimulatedDisk disk = dispatcher.disk();
    disk.setFull(true);
    note("the disk is full");
    in(20, () -> disk.setFull(false));
  }

  /** Kills a reader, or leaves it running; either way a successor may resume from its token. */
  private void killReader() {
    if (readers.isEmpty()) {
      return;
    }
    SimulatedReader reader = readers.get(random.nextInt(readers.size()));
    if (random.nextInt(4) > 0) {
      reader.kill();
      note("killed " + reader);
    }
    time.after(3 * SECOND + random.nextLong(20 * SECOND), () -> startSuccessor(reader));
  }

  private void startSuccessor(SimulatedReader reader) {
    @Nullable SimulatedReader successor =
        random.nextInt(4) == 0 ? null : reader.successor("s" + readers.size());
    if (successor != null) {
      readers.add(successor);
    }
  }

  private String someAddress() {
    return workers.isEmpty() ? "w:1" : workers.get(random.nextInt(workers.size())).address();
  }

  private String someReader() {
    return readers.isEmpty() ? "r0" : readers.get(random.nextInt(readers.size())).name();
  }

  /** A reader whose delivery lease can expire, if there is one at this moment. */
  private String someSharingReader() {
    List<SimulatedReader> sharing = readers.stream().filter(SimulatedReader::isSharing).toList();
    return sharing.isEmpty() ? someReader() : sharing.get(random.nextInt(sharing.size())).name();
  }

  private void endTrouble() {
    troubled = false;
    note("all is well");
    network.lose(0);
    network.healAll();
    dispatcher.failWrites(0);
    dispatcher.disk().setFull(false);
    startNeededWorker();
  }
}
