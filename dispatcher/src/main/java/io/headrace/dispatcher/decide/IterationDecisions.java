package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.graph.RowOrder;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.dispatcher.state.Admissions;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Iterations;
import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.RegisteredDataset;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.ClientHeartbeatResponse;
import io.headrace.proto.data.DeploymentMode;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.ReleaseIterationClientResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.LostTask;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.proto.headrace.journal.AdmissionAnswered;
import io.headrace.proto.headrace.journal.FinishedPass;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Decisions on iteration requests. */
public final class IterationDecisions {
  private final DispatcherLimits limits;
  private final TaskPlanning planning;
  private final DeploymentMode deploymentMode;
  private final List<String> configuredWorkers;

  /**
   * Decisions of a dispatcher.
   *
   * @param limits bounds on the state
   * @param planning assigns tasks to workers
   * @param deploymentMode the mode that clients are told
   * @param configuredWorkers the configured list of workers
   */
  public IterationDecisions(
      DispatcherLimits limits,
      TaskPlanning planning,
      DeploymentMode deploymentMode,
      List<String> configuredWorkers) {
    this.limits = limits;
    this.planning = planning;
    this.deploymentMode = deploymentMode;
    this.configuredWorkers = configuredWorkers;
  }

  /**
   * A client's place in an iteration, and the tasks created with it.
   *
   * @param clientId the iteration client id
   * @param sourcesFingerprint a fingerprint of the iteration's sources, 0 for none
   * @param outline of what the fingerprint covers
   * @param copies without sharding, the ids of its tasks if its clients can make tokens
   * @param orderObstacle without sharding, why its clients can't make tokens
   * @param newTasks new tasks to send to their workers
   */
  public record Place(
      long clientId,
      long sourcesFingerprint,
      DatasetOutline outline,
      List<Long> copies,
      String orderObstacle,
      List<TaskDef> newTasks) {}

  /**
   * Gives a client a place in an iteration, and creates the iteration if it does not exist.
   *
   * @param state the dispatcher's state
   * @param liveness the workers' liveness
   * @param request a stock client's request
   * @param found the dataset's sources; empty if {@link #needsSplitSources} did not ask for them
   */
  public Decision<Place> getOrCreate(
      DispatcherState state,
      LivenessView liveness,
      GetOrCreateIterationRequest request,
      Optional<SplitSourceFinder.Found> found) {
    Job job = state.jobs().get(request.getJobId());
    if (job.isExactlyOnce()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "job %s is read exactly once, and this client speaks TensorFlow's protocol alone, which"
              + " has no receipts: read it with Headrace's client, or under another job name",
          job.name());
    }
    if (found.isEmpty() && needsSplitSources(state, request).isPresent()) {
      throw StatusException.of(StatusCode.UNAVAILABLE, "the iteration has just ended; try again");
    }
    requireNoToken(state, job, request.getRepetition());
    Beginning beginning = Beginning.of(found.orElse(SplitSourceFinder.Found.NOTHING));
    return place(state, liveness, job, request.getRepetition(), beginning);
  }

  /**
   * The readers of a resumed iteration skip the rows in its token; a client without the token would
   * not.
   */
  private static void requireNoToken(DispatcherState state, Job job, long repetition) {
    boolean resumed =
        state.iterations().find(job, repetition).filter(it -> it.tokenHash() != 0).isPresent();
    if (job.isWhole() && resumed) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "repetition %d of job %s was resumed from a checkpoint that this client does not have;"
              + " read it under another job name",
          repetition,
          job.name());
    }
  }

  /**
   * The start of an iteration that does not exist yet.
   *
   * @param found the dataset's sources, if the job has dynamic sharding
   * @param tokenHash without sharding, a hash of the token it resumes from; 0 for none
   * @param copies without sharding, the number of copies in the token; otherwise 0
   * @param reader the joining reader, with its predecessors
   * @param pass the finished repetition that is reopened, if one is
   */
  record Beginning(
      SplitSourceFinder.Found found,
      long tokenHash,
      long copies,
      Takeover reader,
      Optional<FinishedPass> pass) {
    /** A start without sources or token. */
    static final Beginning PLAIN = of(SplitSourceFinder.Found.NOTHING);

    static Beginning of(SplitSourceFinder.Found found) {
      return new Beginning(found, 0, 0, Takeover.NOBODY, Optional.empty());
    }

    Beginning ofCopies(long token, long number) {
      return new Beginning(found, token, number, reader, pass);
    }

    Beginning by(Takeover other) {
      return new Beginning(found, tokenHash, copies, other, pass);
    }

    private IterationCreated created(IterationCreated creation) {
      return pass.map(of -> reader.reopen(of, creation).build()).orElse(creation);
    }

    Beginning reopening(FinishedPass finished) {
      return new Beginning(found, tokenHash, copies, reader, Optional.of(finished));
    }
  }

  /** A place in an iteration of {@code job}; the decision creates the iteration if needed. */
  Decision<Place> place(
      DispatcherState state, LivenessView liveness, Job job, long repetition, Beginning beginning) {
    limits.requireRoomForClient(state.iterations());
    Optional<Iteration> existing = state.iterations().find(job, repetition);
    long clientId = state.iterations().nextClientId();
    if (existing.isPresent() && beginning.pass().isEmpty()) {
      requireRunnable(state, existing.get());
      return new Decision<>(
          existing.get().job().isExactlyOnce() && existing.get().accounts().isPresent()
              ? beginning.reader().joinRecords(existing.get(), clientId)
              : List.of(JournalRecords.clientAcquired(clientId, existing.get().id())),
          placeIn(existing.get(), clientId));
    }
    limits.requireRoomForIteration(state.iterations());
    return beginning.pass().isEmpty() && state.jobs().hasFinished(job, repetition)
        ? createFinished(state, job, repetition, clientId)
        : create(state, liveness, job, repetition, beginning, clientId);
  }

  /**
   * Creates a finished iteration for a client that joins a repetition which was read to its end and
   * collected.
   */
  private static Decision<Place> createFinished(
      DispatcherState state, Job job, long repetition, long clientId) {
    IterationCreated creation =
        IterationCreated.newBuilder()
            .setIterationId(state.iterations().nextId())
            .setJobId(job.id())
            .setRepetition(repetition)
            .setFinished(true)
            .build();
    return new Decision<>(
        List.of(
            JournalRecords.of(creation),
            JournalRecords.clientAcquired(clientId, creation.getIterationId())),
        new Place(clientId, 0, DatasetOutline.getDefaultInstance(), List.of(), "", List.of()));
  }

  /** The place of {@code clientId} in the iteration. */
  static Place placeIn(Iteration iteration, long clientId) {
    boolean numbered = iteration.job().isWhole() && iteration.sourcesFingerprint() != 0;
    return new Place(
        clientId,
        iteration.sourcesFingerprint(),
        iteration.outline(),
        numbered ? ids(iteration.tasks()) : List.of(),
        iteration.orderObstacle(),
        List.of());
  }

  private static List<Long> ids(Collection<Task> tasks) {
    return tasks.stream().map(Task::id).sorted().toList();
  }

  private Decision<Place> create(
      DispatcherState state,
      LivenessView liveness,
      Job job,
      long repetition,
      Beginning beginning,
      long clientId) {
    RegisteredDataset dataset = state.datasets().get(job.datasetId());
    TaskPlanning.requireSomeWorkerCanRun(state, job, dataset);
    List<SplitSource> sources = beginning.found().sources();
    long numShards = numShards(job);
    IterationCreated creation =
        IterationCreated.newBuilder()
            .setIterationId(state.iterations().nextId())
            .setJobId(job.id())
            .setRepetition(repetition)
            .setNumShards(numShards)
            .addAllSplitSources(sources)
            .setTokenHash(beginning.tokenHash())
            .setSourcesFingerprint(beginning.found().fingerprint())
            .setOutline(
                beginning.found().fingerprint() == 0
                    ? DatasetOutline.getDefaultInstance()
                    : beginning.found().outline())
            .setAnnounced(
                job.bounded()
                    && job.isDynamic()
                    && !job.isCoordinated()
                    && beginning.found().lostLineage().isEmpty())
            .setOrderObstacle(beginning.found().order().flatMap(RowOrder::obstacle).orElse(""))
            .build();
    List<Task> tasks =
        planning.forIteration(state, liveness, job, creation.getIterationId(), numShards, dataset);
    CopyTokens.requireWorkers(beginning.copies(), tasks.size());
    List<JournalRecord> records = new ArrayList<>();
    records.addAll(collectionOfLast(state, job, repetition, beginning));
    records.add(JournalRecords.of(beginning.created(creation)));
    records.addAll(TaskPlanning.creations(tasks));
    records.add(
        job.isExactlyOnce()
            ? JournalRecords.of(beginning.reader().beginning(creation.getIterationId(), clientId))
            : JournalRecords.clientAcquired(clientId, creation.getIterationId()));
    return new Decision<>(
        records,
        new Place(
            clientId,
            creation.getSourcesFingerprint(),
            creation.getOutline(),
            job.isWhole() && creation.getSourcesFingerprint() != 0 ? ids(tasks) : List.of(),
            creation.getOrderObstacle(),
            TaskMessages.definitions(tasks, job, dataset, numShards, sources.size())));
  }

  /** Collects what is left of the iteration of a reopened repetition. */
  private static List<JournalRecord> collectionOfLast(
      DispatcherState state, Job job, long repetition, Beginning beginning) {
    List<JournalRecord> records = new ArrayList<>();
    if (beginning.pass().isPresent()) {
      state
          .iterations()
          .find(job, repetition)
          .ifPresent(last -> {
            beginning
                .reader()
                .replacedClients(last)
                .forEach(client -> records.add(beginning.reader().release(last, client)));
            records.add(JournalRecords.iterationCollected(last.id()));
          });
    }
    return records;
  }

  private long numShards(Job job) {
    return switch (job.processingMode().getShardingPolicy()) {
      case OFF, DYNAMIC, UNRECOGNIZED -> 0;
      case FILE, DATA, FILE_OR_DATA, HINT -> {
        if (configuredWorkers.isEmpty()) {
          throw StatusException.of(
              StatusCode.NOT_FOUND,
              "Failed to shard dataset in tf.data service: sharding policy %s divides a dataset"
                  + " among a fixed list of workers, and this dispatcher was started without one"
                  + " (worker_addresses)",
              job.processingMode().getShardingPolicy());
        }
        yield configuredWorkers.size();
      }
    };
  }

  /**
   * The dataset whose sources must be found before the requested iteration can be created; empty if
   * the iteration exists or needs no sources.
   */
  public Optional<RegisteredDataset> needsSplitSources(
      DispatcherState state, GetOrCreateIterationRequest request) {
    Job job = state.jobs().get(request.getJobId());
    return job.isDynamic() && !state.hasRepetition(job, request.getRepetition())
        ? Optional.of(state.datasets().get(job.datasetId()))
        : Optional.empty();
  }

  /** A stock client's view of its iteration, at each heartbeat. */
  public Decision<ClientHeartbeatResponse> heartbeat(
      DispatcherState state, LivenessView liveness, ClientHeartbeatRequest request) {
    Iteration iteration = ofClient(state, request.getIterationClientId());
    requireRunnable(state, iteration);
    unservedShares(liveness, iteration).stream()
        .findFirst()
        .ifPresent(share -> {
          throw new StatusException(StatusCode.DEADLINE_EXCEEDED, share);
        });
    Optional<AdmissionAnswered> answer = AdmissionDecisions.answer(iteration, request);
    ClientHeartbeatResponse.Builder response =
        ClientHeartbeatResponse.newBuilder()
            .addAllTaskInfo(readableTasks(state, iteration, iteration.tasks()))
            .setIterationFinished(iteration.isFinished())
            .setDeploymentMode(deploymentMode);
    AdmissionDecisions.admitted(iteration, answer)
        .flatMap(admitted -> newlyReadable(state, admitted))
        .ifPresent(response::addTaskInfo);
    AdmissionDecisions.blockedRound(iteration, answer).ifPresent(response::setBlockRound);
    return new Decision<>(
        answer.map(JournalRecords::of).map(List::of).orElse(List.of()), response.build());
  }

  /** The full view of an iteration for a client that watches it. */
  public WatchIterationResponse watch(
      DispatcherState state, LivenessView liveness, Iteration iteration) {
    requireRunnable(state, iteration);
    return view(state, liveness, iteration, iteration.tasks()).build();
  }

  /**
   * The changed part of a view, for a client that has the full one.
   *
   * @param state the dispatcher's state
   * @param liveness the workers' liveness
   * @param iteration the watched iteration
   * @param taskIds the tasks that may have changed
   */
  public WatchIterationResponse watchChanges(
      DispatcherState state, LivenessView liveness, Iteration iteration, Set<Long> taskIds) {
    if (iteration.numActive() == 0) {
      requireRunnable(state, iteration);
    }
    List<Task> tasks =
        taskIds.stream().sorted().flatMap(id -> state.iterations().findTask(id).stream()).toList();
    return view(state, liveness, iteration, tasks).setChangesOnly(true).build();
  }

  private WatchIterationResponse.Builder view(
      DispatcherState state, LivenessView liveness, Iteration iteration, Collection<Task> tasks) {
    WatchIterationResponse.Builder response =
        WatchIterationResponse.newBuilder()
            .addAllTaskInfo(readableTasks(state, iteration, tasks))
            .setIterationFinished(iteration.isFinished())
            .addAllUnservedShares(unservedShares(liveness, iteration));
    for (Task task : tasks) {
      switch (task.status()) {
        case ACTIVE -> {
          if (liveness.isLost(task.workerAddress())) {
            response.addSilentWorkers(task.workerAddress());
          }
        }
        case FINISHED -> response.addFinishedTaskIds(task.id());
        case LOST -> response.addLostTasks(lost(task));
      }
    }
    iteration
        .accounts()
        .ifPresent(accounts ->
            accounts.settlements().forEach(open -> response.addSettlements(open.toProto())));
    iteration.readers().flatMap(Readers::missing).ifPresent(response::setAwaitedReaders);
    return response;
  }

  private List<String> unservedShares(LivenessView liveness, Iteration iteration) {
    return liveness.unservedShares(iteration.id()).stream()
        .map(share ->
            "share %d of %d of the dataset has been without a worker for too long: %s"
                .formatted(share, iteration.numShards(), whyUnserved(iteration, share)))
        .toList();
  }

  private String whyUnserved(Iteration iteration, long share) {
    String configured =
        share < configuredWorkers.size() ? configuredWorkers.get((int) share) : "no one";
    return iteration
        .taskOfShard(share)
        .map(task -> "worker %s does not answer".formatted(task.workerAddress()))
        .orElse("worker " + configured + " of worker_addresses is not there");
  }

  /**
   * The iteration of a client.
   *
   * @throws StatusException NOT_FOUND, with TensorFlow's message
   */
  static Iteration ofClient(DispatcherState state, long clientId) {
    return state
        .iterations()
        .ofClient(clientId)
        .orElseThrow(() ->
            StatusException.of(
                StatusCode.NOT_FOUND,
                "Unknown iteration client id %1$d. Iteration client id not found: %1$d. A"
                    + " dispatcher that is not configured to be fault tolerant, or that starts on"
                    + " another work_dir, does not know its earlier readers.",
                clientId));
  }

  /**
   * The iteration of a Headrace client.
   *
   * @throws StatusException FAILED_PRECONDITION if the client has been released
   */
  public static Iteration ofReader(DispatcherState state, long clientId) {
    boolean was =
        clientId >= Iterations.FIRST_CLIENT_ID
            && clientId < state.iterations().nextClientId()
            && state.iterations().ofClient(clientId).isEmpty();
    if (was) {
      throw released(clientId);
    }
    return ofClient(state, clientId);
  }

  /** The error for a client that has lost its place in its iteration. */
  public static StatusException released(long clientId) {
    return StatusException.of(
        StatusCode.FAILED_PRECONDITION,
        "iteration client %d has lost its place in its iteration: it left, was silent for too long,"
            + " or another client resumed from a checkpoint of the same reader and took its place;"
            + " go on from the last checkpoint",
        clientId);
  }

  public Decision<ReleaseIterationClientResponse> release(DispatcherState state, long clientId) {
    Iteration iteration = ofClient(state, clientId);
    return new Decision<>(
        List.of(JournalRecords.clientReleased(clientId, iteration.id())),
        ReleaseIterationClientResponse.getDefaultInstance());
  }

  private static void requireRunnable(DispatcherState state, Iteration iteration) {
    if (!iteration.isFinished()) {
      TaskPlanning.requireSomeWorkerCanRun(state, iteration.job(), state.datasetOf(iteration));
    }
  }

  /** The description of a task that has waited for its consumers until now. */
  private static Optional<TaskInfo> newlyReadable(
      DispatcherState state, Admissions.Candidate admitted) {
    return state
        .iterations()
        .findTask(admitted.taskId())
        .flatMap(task ->
            state
                .workers()
                .find(task.workerAddress())
                .map(worker -> TaskMessages.info(task, worker, admitted.targetRound())));
  }

  /** The readable tasks: active and finished ones, not lost ones, nor those that wait. */
  private static List<TaskInfo> readableTasks(
      DispatcherState state, Iteration iteration, Collection<Task> tasks) {
    Admissions admissions = iteration.admissions();
    List<TaskInfo> infos = new ArrayList<>();
    for (Task task : tasks) {
      Optional<RegisteredWorker> worker = state.workers().find(task.workerAddress());
      if (!task.isLost() && !admissions.isWaiting(task.id()) && worker.isPresent()) {
        infos.add(TaskMessages.info(task, worker.get(), admissions.startingRound(task.id())));
      }
    }
    return infos;
  }

  static LostTask lost(Task task) {
    LostTask.Builder lost =
        LostTask.newBuilder()
            .setTaskId(task.id())
            .setWorkerAddress(task.workerAddress())
            .setReason(task.lossReason());
    task.lostAt().ifPresent(lost::setPosition);
    task.lostSplits().ifPresent(lost::setNumSplits);
    task.lostRows().ifPresent(lost::setNumElements);
    return lost.build();
  }
}
