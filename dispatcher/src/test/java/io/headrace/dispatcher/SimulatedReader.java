package io.headrace.dispatcher;

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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A client process of a {@link Simulation} that reads to the end: a stock one, or one of ours. */
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
  private final SimulatedSources sources;
  private int repetitionsLeft;
  private long repetition;
  private String datasetId = "";
  private long client;
  private final long readerId;
  private RecordSet token = new RecordSet();
  private boolean resumed;
  private long joinId;
  private long sourcesFingerprint;
  private Kept kept = new Kept(0, 0, new RecordSet(), 0, 0);
  private Pass pass;
  private @Nullable SimulatedWatch watching;
  private boolean done;

  /** How it reads. */
  enum Mode {
    /** Each worker makes every element. */
    OFF,
    /** Each worker of the configured list makes its share. */
    STATIC,
    /** Workers share the splits; what is lost is missing. */
    AT_MOST_ONCE,
    /** The same, and what is lost is made again, with some that was not, if the job can have it. */
    AT_LEAST_ONCE,
    /** The same, and only what is lost is made again. */
    EXACTLY_ONCE
  }

  /**
   * A token, as a trainer keeps it.
   *
   * @param repetition the pass that it is of; 0 for none
   * @param repetitionsLeft that pass included
   * @param taken what had been taken of it
   */
  private record Kept(
      long repetition,
      int repetitionsLeft,
      RecordSet taken,
      long sourcesFingerprint,
      long iteration) {}

  /** What is known of one pass. */
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
   * A reader that begins at once.
   *
   * @param jobName the job that it shares; empty for one of its own
   * @param stock it polls, where ours are told
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
    sources = new SimulatedSources(size * 9L, 7 - size, 1 + size % 2);
    process = simulation.newProcess();
    readerId = simulation.random().nextLong() | 1;
    repetitionsLeft = repetitions;
    pass = new Pass(receipts(false));
    register();
  }

  /** A new process goes on from what {@code last} had kept, whatever became of that. */
  private SimulatedReader(SimulatedReader last, String name) {
    simulation = last.simulation;
    this.name = name;
    jobName = last.jobName;
    mode = last.mode;
    stock = false;
    sources = last.sources;
    readerId = last.readerId;
    kept = last.kept;
    datasetId = last.datasetId;
    process = simulation.newProcess();
    pass = new Pass(receipts(false));
    goBack();
  }

  /** A process that goes on from what this one has kept; null if nobody could. */
  @Nullable SimulatedReader successor(String as) {
    boolean isReading = process.isAlive() && !done && !pass.over;
    boolean isElsewhere = process.isAlive() && (!isReading || repetition != kept.repetition);
    boolean can = mode == Mode.EXACTLY_ONCE && !jobName.isEmpty() && kept.repetition > 0;
    return can && !isElsewhere ? new SimulatedReader(this, as) : null;
  }

  private void goBack() {
    simulation.note(this + " goes back to " + kept);
    simulation.judge().goesBack(readerId, kept.repetition);
    resumed = true;
    repetition = kept.repetition;
    repetitionsLeft = kept.repetitionsLeft;
    token = kept.taken;
    sourcesFingerprint = kept.sourcesFingerprint;
    joinId = simulation.random().nextLong();
    join();
  }

  String name() {
    return name;
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
      token = new RecordSet();
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

  /** What readers of one job have in common. */
  private String seedName() {
    return jobName.isEmpty() ? name : jobName;
  }

  private void join() {
    CompletableFuture<JoinIterationResponse> reply =
        call(dispatcher ->
            dispatcher.joinIteration(
                JoinIterationRequest.newBuilder()
                    .setJob(job())
                    .setRepetition(repetition)
                    .setSendsNoReceipts(mode == Mode.AT_LEAST_ONCE)
                    .setTaken(token.toProto())
                    .setSourcesFingerprint(sourcesFingerprint)
                    .setReader(readerId)
                    .setJoinId(joinId)
                    .addAllPredecessors(resumed ? List.of(readerId) : List.of())
                    .build()));
    then(
        reply,
        this::join,
        this::givesUp,
        response -> {
          sourcesFingerprint = response.getSourcesFingerprint();
          enter(response.getIterationClientId());
          simulation.require(
              response.getGuarantee() == guarantee(), "%s is told %s", this, response);
        });
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
              new SimulatedJudge.Who(readerId, jobName, repetition),
              token);
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

  /** The anonymous job was forgotten before its first iteration was asked for. */
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
                process.after(simulation.random().nextLong(SECOND), this::watchUnlessOver);
              } else {
                expelled(failure);
              }
            });
  }

  private void watchUnlessOver() {
    if (!pass.over && !pass.finished) {
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

  /** Reads on, from one task after the other. */
  private void read(Pass current) {
    if (current.over) {
      return;
    }
    List.copyOf(current.tasks.values()).forEach(task -> readFrom(current, task));
    current.receipts.take(simulation.random().nextInt(6));
    if (guarantee() == Guarantee.EXACTLY_ONCE && simulation.random().nextInt(8) == 0) {
      keep();
    }
    if (guarantee() == Guarantee.EXACTLY_ONCE
        && kept.repetition > 0
        && simulation.random().nextInt(30) == 0) {
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
    kept =
        new Kept(
            repetition,
            repetitionsLeft,
            simulation.judge().takenBy(client).copy(),
            sourcesFingerprint,
            simulation.ledger().iterationOf(client));
  }

  /** Leaves, and goes on from a token: in the same job if that has a name. */
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
    goBack();
  }

  /**
   * The pass that the token is of was left so long that it was forgotten; or only stock workers are
   * there, for a job of one's own.
   */
  private void givesUp(Throwable failure) {
    simulation.require(
        StatusException.codeOf(failure) == StatusCode.FAILED_PRECONDITION
            && (jobName.isEmpty() || simulation.ledger().wasCollected(kept.iteration)),
        "%s got %s",
        this,
        failure);
    done = true;
  }

  /** A share is without a worker: the reader is not told the end of what is no whole pass. */
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
      if (--repetitionsLeft > 0) {
        begin();
      } else {
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

  /** Only whoever was not heard of for too long may be told that it is not known. */
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
