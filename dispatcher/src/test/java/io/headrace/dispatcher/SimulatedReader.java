package io.headrace.dispatcher;

import io.headrace.dispatcher.state.Iteration;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateIterationResponse;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.GetOrCreateJobResponse;
import io.headrace.proto.data.GetOrRegisterDatasetResponse;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.JoinIterationRequest;
import io.headrace.proto.headrace.JoinIterationResponse;
import io.headrace.proto.headrace.LostTask;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A client process of a {@link Simulation} that reads to the end, a stock one or ours. */
final class SimulatedReader {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1000 * MILLI;
  private static final List<ShardingPolicy> STATIC_POLICIES =
      List.of(
          ShardingPolicy.FILE,
          ShardingPolicy.DATA,
          ShardingPolicy.FILE_OR_DATA,
          ShardingPolicy.HINT);

  private final Simulation simulation;
  private final String name;
  private final String jobName;
  private final Mode mode;
  private final boolean stock;
  private final VirtualProcess process;
  private final SimulatedDataset sources;
  private final long lastRepetition;
  private long repetition;
  private String datasetId = "";
  private long client;
  private long readerId;
  private final int mostAtATime;
  private long busyUntilNanos;
  private @Nullable SimulatedResumption resumed;
  private @Nullable SimulatedResumption kept;
  private long joinId;
  private long ticket;
  private long sourcesFingerprint;
  private Pass pass;
  private @Nullable SimulatedWatch watching;
  private boolean done;
  private boolean atEnd;

  /** Sharding and guarantee. */
  enum Mode {
    /** Each worker makes every element. */
    OFF,
    /** Each worker of the configured list makes its shard. */
    STATIC,
    /** Workers share the splits; lost elements are missing. */
    AT_MOST_ONCE,
    /**
     * Workers share the splits; if the job can have it, lost elements are made again, with some
     * that were delivered.
     */
    AT_LEAST_ONCE,
    /** Workers share the splits; only lost elements are made again. */
    EXACTLY_ONCE
  }

  /** One reader's view of a pass. */
  private static final class Pass {
    private final SimulatedReceipts receipts;
    private final Map<Long, TaskInfo> tasks = new LinkedHashMap<>();
    private final Set<Long> ended = new HashSet<>();
    private final Set<Long> finishedTasks = new HashSet<>();
    private final Set<Long> lost = new HashSet<>();
    private boolean finished;
    private boolean over;

    Pass(SimulatedReceipts receipts) {
      this.receipts = receipts;
    }
  }

  /**
   * A reader that starts at once.
   *
   * @param simulation the simulation
   * @param name its name
   * @param jobName the job that it shares; empty for an anonymous job
   * @param mode sharding and guarantee
   * @param stock it polls by heartbeats; our readers watch
   * @param repetitions the number of passes to read
   */
  SimulatedReader(
      Simulation simulation,
      String name,
      String jobName,
      Mode mode,
      boolean stock,
      int repetitions) {
    this.simulation = simulation;
    this.name = name;
    this.jobName = jobName;
    this.mode = mode;
    this.stock = stock;
    int size = Math.floorMod(seedName().hashCode(), 5);
    sources = new SimulatedDataset(size * 9L, 7 - size, 1 + size % 2);
    process = simulation.newProcess();
    readerId = simulation.random().nextLong() | 1;
    mostAtATime = simulation.random().nextBoolean() ? 1 : 5;
    lastRepetition = repetitions;
    pass = new Pass(receipts(false));
    register();
  }

  /** A new process that resumes from a token, as a successor of {@code last} and perhaps others. */
  SimulatedReader(SimulatedReader last, String name, SimulatedResumption from) {
    simulation = last.simulation;
    this.name = name;
    jobName = last.jobName;
    mode = last.mode;
    stock = false;
    sources = last.sources;
    mostAtATime = last.mostAtATime;
    lastRepetition = last.lastRepetition;
    datasetId = last.datasetId;
    process = simulation.newProcess();
    pass = new Pass(receipts(false));
    resumeFrom(from);
  }

  /** A successor of this process, from its last token; null if there can be none. */
  @Nullable SimulatedReader successor(String as) {
    SimulatedResumption from = kept;
    if (from == null || mode != Mode.EXACTLY_ONCE || jobName.isEmpty()) {
      return null;
    }
    boolean isReading = process.isAlive() && !done && !pass.over;
    boolean isElsewhere =
        process.isAlive() && (!isReading || repetition != from.token().firstRepetition());
    return isElsewhere ? null : new SimulatedReader(this, as, from);
  }

  private void resumeFrom(SimulatedResumption from) {
    simulation.note(this + " goes on from " + from);
    readerId = from.readerId();
    simulation.judge().goesOn(readerId, from.token());
    resumed = from;
    kept = from;
    repetition = from.token().firstRepetition();
    sourcesFingerprint = from.token().sourcesFingerprint();
    joinId = simulation.random().nextLong();
    join();
  }

  /** Its reader number. */
  long readerId() {
    return readerId;
  }

  /** The token to resume from after a kill; null if it has kept none. */
  @Nullable SimulatedResumption kept() {
    return kept;
  }

  /** Whether it has, or had, a place. */
  boolean hasJoined() {
    return client != 0;
  }

  /** Whether its process lives and has not been told that a successor replaced it. */
  boolean isReading() {
    return process.isAlive() && !done;
  }

  /** Whether it reads a pass that begins only when all readers of its group have joined. */
  boolean isAwaitingOthers() {
    return isReading()
        && simulation
            .ledger()
            .state()
            .iterations()
            .ofClient(client)
            .filter(Iteration::isAwaiting)
            .isPresent();
  }

  /** Whether it has read all passes to the end. */
  boolean isAtEnd() {
    return atEnd;
  }

  String name() {
    return name;
  }

  /** Whether it reads, exactly once, a job that other readers may share. */
  boolean isSharing() {
    return mode == Mode.EXACTLY_ONCE && !jobName.isEmpty() && !isDone() && !pass.over;
  }

  boolean isDone() {
    return done || !process.isAlive();
  }

  void kill() {
    simulation.judge().dies(client);
    process.kill();
  }

  @Override
  public String toString() {
    return "%s (client %d, repetition %d, %s, tasks %s, ended %s)"
        .formatted(
            name,
            client,
            repetition,
            pass.finished ? "finished" : "unfinished",
            pass.tasks.keySet(),
            pass.ended);
  }

  private void register() {
    CompletableFuture<GetOrRegisterDatasetResponse> reply =
        call(dispatcher ->
            dispatcher.getOrRegisterDataset(
                sources.dataset().toBuilder()
                    .setDatasetId(jobName.isEmpty() ? "" : "of-" + jobName)
                    .build()));
    then(
        reply,
        this::register,
        response -> {
          datasetId = response.getDatasetId();
          requireUsed("dataset ", datasetId);
          begin();
        });
  }

  private void begin() {
    if (mode == Mode.EXACTLY_ONCE || (mode == Mode.AT_LEAST_ONCE && !stock)) {
      repetition++;
      joinId = simulation.random().nextLong();
      join();
    } else {
      createJob();
    }
  }

  private GetOrCreateJobRequest job() {
    GetOrCreateJobRequest.Builder request =
        GetOrCreateJobRequest.newBuilder()
            .setDatasetId(datasetId)
            .setProcessingModeDef(ProcessingModeDef.newBuilder().setShardingPolicy(policy()));
    if (!jobName.isEmpty()) {
      request.setJobName(jobName);
    }
    return request.build();
  }

  private ShardingPolicy policy() {
    return switch (mode) {
      case OFF -> ShardingPolicy.OFF;
      case STATIC -> STATIC_POLICIES.get(Math.floorMod(seedName().hashCode(), 4));
      case AT_MOST_ONCE, AT_LEAST_ONCE, EXACTLY_ONCE -> ShardingPolicy.DYNAMIC;
    };
  }

  private boolean isDynamic() {
    return policy() == ShardingPolicy.DYNAMIC;
  }

  /** A name common to the readers of one job. */
  private String seedName() {
    return jobName.isEmpty() ? name : jobName;
  }

  private void join() {
    long askedNanos = simulation.now();
    JoinIterationRequest request = joinRequest();
    CompletableFuture<JoinIterationResponse> reply =
        call(dispatcher -> dispatcher.joinIteration(request));
    then(
        reply,
        this::join,
        this::joinRefused,
        response -> {
          ticket = response.getTicket();
          if (ticket != 0) {
            join();
            return;
          }
          sourcesFingerprint = response.getSourcesFingerprint();
          enter(response.getIterationClientId());
          pass.receipts.answered(askedNanos, response.getClientTimeoutMs());
          simulation.require(
              response.getGuarantee() == guarantee(), "%s is told %s", this, response);
        });
  }

  private JoinIterationRequest joinRequest() {
    JoinIterationRequest.Builder request =
        JoinIterationRequest.newBuilder()
            .setJob(job())
            .setRepetition(repetition)
            .setSendsNoReceipts(mode == Mode.AT_LEAST_ONCE)
            .setSourcesFingerprint(sourcesFingerprint)
            .setReader(readerId)
            .setJoinId(joinId)
            .setTicket(ticket);
    SimulatedResumption from = resumed;
    if (from != null) {
      from.addTo(request, repetition);
    }
    return request.build();
  }

  /** The taken records of the pass in the token that it resumed from. */
  private RecordSet takenBefore() {
    SimulatedResumption from = resumed;
    SimulatedToken.@Nullable Pass told =
        from == null ? null : from.token().passes().get(repetition);
    return told == null ? new RecordSet() : told.taken();
  }

  private Guarantee guarantee() {
    return simulation.ledger().guaranteeOf(simulation.ledger().iterationOf(client));
  }

  private void enter(long as) {
    client = as;
    requireUsed("client ", client);
    pass = new Pass(receipts(guarantee() == Guarantee.EXACTLY_ONCE));
    if (mode == Mode.STATIC) {
      simulation
          .shares()
          .joins(simulation.ledger().iterationOf(client), Simulation.elementsOf(datasetId));
    } else if (isDynamic()) {
      simulation
          .judge()
          .joins(
              simulation.ledger().iterationOf(client),
              client,
              sources,
              guarantee(),
              new DeliveryChecker.Who(readerId, jobName, repetition),
              takenBefore());
    }
    if (guarantee() == Guarantee.EXACTLY_ONCE && kept == null) {
      keep();
    }
    if (stock) {
      process.after(simulation.random().nextLong(5 * SECOND), this::beat);
    } else {
      watch();
    }
    read(pass);
  }

  private SimulatedReceipts receipts(boolean exactly) {
    return new SimulatedReceipts(simulation, process, name, client, exactly, this::expelled);
  }

  private void createJob() {
    CompletableFuture<GetOrCreateJobResponse> reply =
        call(dispatcher -> dispatcher.getOrCreateJob(job()));
    then(
        reply,
        this::createJob,
        response -> {
          requireUsed("job ", response.getJobId());
          repetition++;
          iterate(response.getJobId());
        });
  }

  private void iterate(long jobId) {
    CompletableFuture<GetOrCreateIterationResponse> reply =
        call(dispatcher ->
            dispatcher.getOrCreateIteration(
                GetOrCreateIterationRequest.newBuilder()
                    .setJobId(jobId)
                    .setRepetition(repetition)
                    .build()));
    Runnable again = jobName.isEmpty() ? this::recreateJob : () -> iterate(jobId);
    then(reply, () -> iterate(jobId), again, response -> enter(response.getIterationClientId()));
  }

  /** The anonymous job was forgotten before its first iteration was created. */
  private void recreateJob() {
    repetition--;
    createJob();
  }

  private void beat() {
    Pass current = pass;
    CompletableFuture<ClientHeartbeatResponse> reply =
        call(dispatcher -> {
          simulation.ledger().heard(client);
          return dispatcher.clientHeartbeat(
              ClientHeartbeatRequest.newBuilder().setIterationClientId(client).build());
        });
    var _ =
        reply.whenComplete((response, failure) -> {
          if (current.over) {
            return;
          }
          if (mode == Mode.STATIC
              && failure != null
              && StatusException.codeOf(failure) == StatusCode.DEADLINE_EXCEEDED) {
            fails(current, String.valueOf(failure.getMessage()));
            return;
          }
          if (failure != null && !isRetriable(failure)) {
            expelled(failure);
            return;
          }
          if (failure == null) {
            changed(
                current,
                WatchIterationResponse.newBuilder()
                    .addAllTaskInfo(response.getTaskInfoList())
                    .setIterationFinished(response.getIterationFinished())
                    .build());
          }
          process.after(SECOND, this::beat);
        });
  }

  private void watch() {
    Pass current = pass;
    watching =
        new SimulatedWatch(
            simulation,
            process,
            name,
            client,
            response -> changed(current, response),
            failure -> {
              if (current.over) {
                return;
              }
              if (isRetriable(failure)) {
                process.after(simulation.random().nextLong(SECOND), () -> watchUnlessOver(current));
              } else {
                expelled(failure);
              }
            });
  }

  private void watchUnlessOver(Pass watched) {
    if (!watched.over && !watched.finished) {
      watch();
    }
  }

  private void changed(Pass current, WatchIterationResponse state) {
    if (current.over || current.finished) {
      return;
    }
    current.tasks.clear();
    for (TaskInfo task : state.getTaskInfoList()) {
      requireUsed("task ", task.getTaskId());
      current.tasks.put(task.getTaskId(), task);
    }
    state.getFinishedTaskIdsList().forEach(this::noteFinished);
    state.getLostTasksList().forEach(this::noteLost);
    if (state.getUnservedSharesCount() > 0) {
      fails(current, state.getUnservedShares(0));
      return;
    }
    current.receipts.settle(state.getSettlementsList());
    current.finished = state.getIterationFinished();
    simulation.require(
        !current.finished
            || simulation.ledger().wasFinished(simulation.ledger().iterationOf(client)),
        "%s is told that iteration %d is finished",
        this,
        simulation.ledger().iterationOf(client));
  }

  private void noteFinished(long task) {
    simulation.require(
        simulation.ledger().task(task).isFinished(), "%s is told that %d is finished", this, task);
    pass.finishedTasks.add(task);
  }

  private void noteLost(LostTask task) {
    simulation.require(
        simulation.ledger().task(task.getTaskId()).isLost(),
        "%s is told that %s is lost",
        this,
        task.getTaskId());
    pass.lost.add(task.getTaskId());
  }

  /** One round of reading from all tasks. */
  private void read(Pass current) {
    if (current.over) {
      return;
    }
    List.copyOf(current.tasks.values()).forEach(task -> readFrom(current, task));
    if (!simulation.isTroubled()) {
      current.receipts.take(simulation.random().nextInt(6));
    } else if (simulation.now() >= busyUntilNanos) {
      current.receipts.take(simulation.random().nextInt(mostAtATime + 1));
      if (isSharing() && simulation.random().nextInt(8) == 0) {
        busyUntilNanos = simulation.now() + simulation.random().nextLong(10 * SECOND);
      }
    }
    if (guarantee() == Guarantee.EXACTLY_ONCE && simulation.random().nextInt(8) == 0) {
      keep();
    }
    if (guarantee() == Guarantee.EXACTLY_ONCE && simulation.random().nextInt(30) == 0) {
      resume(current);
      return;
    }
    boolean atEnd = current.ended.containsAll(current.tasks.keySet());
    if (current.finished && (stock || atEnd) && current.receipts.isEmpty()) {
      end(current);
    } else {
      process.after(100 * MILLI + simulation.random().nextLong(400 * MILLI), () -> read(current));
    }
  }

  private void readFrom(Pass current, TaskInfo task) {
    long id = task.getTaskId();
    SimulatedWorker worker =
        simulation.network().reach(name, task.getWorkerAddress(), SimulatedWorker.class);
    for (int i = 0; i < 3 && !current.ended.contains(id); i++) {
      SimulatedWorker.Taken taken =
          worker == null ? SimulatedWorker.Taken.TRY_AGAIN : worker.take(id, current.receipts);
      switch (taken) {
        case ELEMENT -> {}
        case END -> current.ended.add(id);
        case TRY_AGAIN -> {
          if (current.finished || current.finishedTasks.contains(id)) {
            current.ended.add(id);
          }
          return;
        }
      }
    }
  }

  private void keep() {
    SimulatedToken.Pass now =
        new SimulatedToken.Pass(
            Set.of(readerId),
            simulation.judge().takenBy(client).copy(),
            simulation.ledger().iterationOf(client));
    SimulatedResumption from = resumed;
    SimulatedToken token =
        from == null
            ? new SimulatedToken(
                now.readers(),
                new TreeMap<>(Map.of(repetition, now)),
                Set.of(),
                0,
                sourcesFingerprint,
                lastRepetition)
            : from.next(repetition, now, sourcesFingerprint);
    kept = new SimulatedResumption(token, 0, 1);
  }

  /** Leaves and resumes from a token, in the same job if that has a name. */
  private void resume(Pass current) {
    current.over = true;
    if (jobName.isEmpty()) {
      keep();
    }
    if (watching != null) {
      watching.end();
    }
    current.receipts.end(this::releaseAndGoBack);
  }

  private void releaseAndGoBack() {
    release();
    resumeFrom(Objects.requireNonNull(kept));
  }

  /**
   * A join may be refused if the token's pass was abandoned and forgotten, or if an anonymous job
   * finds stock workers only.
   */
  private void joinRefused(Throwable failure) {
    simulation.require(
        StatusException.codeOf(failure) == StatusCode.FAILED_PRECONDITION
            && (jobName.isEmpty() || isOfForgotten()),
        "%s got %s",
        this,
        failure);
    done = true;
  }

  private boolean isOfForgotten() {
    SimulatedResumption from = resumed;
    return from != null && from.token().isOfForgotten(simulation.ledger());
  }

  /** A shard has no worker: the reader fails rather than end an incomplete pass. */
  private void fails(Pass current, String reason) {
    simulation.note(this + " fails: " + reason);
    current.over = true;
    simulation.shares().fails(client, reason);
    if (watching != null) {
      watching.end();
    }
    release();
    current.receipts.end();
    done = true;
  }

  private void end(Pass current) {
    current.over = true;
    simulation.ended(client, stock, current.lost);
    current.receipts.end(() -> {
      release();
      if (repetition < lastRepetition) {
        begin();
      } else {
        atEnd = true;
        done = true;
      }
    });
  }

  private void release() {
    long released = client;
    var _ =
        call(dispatcher -> {
          simulation.ledger().goodbye(released);
          return dispatcher.releaseIterationClient(released);
        });
  }

  /** Only an expelled or replaced client may be told that it is unknown. */
  private void expelled(Throwable failure) {
    StatusCode code = StatusException.codeOf(failure);
    boolean wasTold = code == StatusCode.FAILED_PRECONDITION || code == StatusCode.NOT_FOUND;
    simulation.require(
        wasTold
            && (simulation.ledger().wasExpelled(client) || simulation.ledger().wasReplaced(client)),
        "%s got %s",
        this,
        failure);
    simulation.judge().dies(client);
    pass.receipts.end();
    pass.over = true;
    done = true;
  }

  private <R> CompletableFuture<R> call(Function<Dispatcher, CompletableFuture<R>> request) {
    return simulation.ask(process, name, request);
  }

  private <R> void then(CompletableFuture<R> reply, Runnable retry, Consumer<R> next) {
    then(reply, retry, (Runnable) null, next);
  }

  private <R> void then(
      CompletableFuture<R> reply, Runnable retry, @Nullable Runnable notFound, Consumer<R> next) {
    then(
        reply,
        retry,
        failure -> {
          if (notFound != null && StatusException.codeOf(failure) == StatusCode.NOT_FOUND) {
            notFound.run();
          } else {
            simulation.require(false, "%s got %s", this, failure);
          }
        },
        next);
  }

  private <R> void then(
      CompletableFuture<R> reply, Runnable retry, Consumer<Throwable> refused, Consumer<R> next) {
    var _ =
        reply.whenComplete((response, failure) -> {
          if (failure == null) {
            next.accept(response);
          } else if (isRetriable(failure)) {
            process.after(simulation.random().nextLong(SECOND), retry);
          } else {
            refused.accept(failure);
          }
        });
  }

  private static boolean isRetriable(Throwable failure) {
    return StatusException.codeOf(failure).isRetriable();
  }

  private void requireUsed(String kind, Object id) {
    simulation.require(
        simulation.ledger().wasUsed(kind, id),
        "%s hears of %s%s, which is not durable",
        this,
        kind,
        id);
  }
}
