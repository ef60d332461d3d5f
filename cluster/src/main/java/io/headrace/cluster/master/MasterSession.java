package io.headrace.cluster.master;

import io.headrace.cluster.master.StepPlans.Asked;
import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.peer.WorkerPeer.PartResult;
import io.headrace.cluster.plan.DeviceSet;
import io.headrace.cluster.plan.SessionGraph;
import io.headrace.cluster.plan.SharedPlan;
import io.headrace.cluster.plan.Signature;
import io.headrace.cluster.plan.StepPlan;
import io.headrace.proto.tensorflow.CallableOptions;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.RunOptions;
import io.headrace.proto.tensorflow.RunOptions.TraceLevel;
import io.headrace.proto.tensorflow.StepStats;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A session at its master: the graph, how steps of each signature run, and the steps that do.
 * Thread-safe; its methods wait for other tasks where they must.
 */
public final class MasterSession {
  private static final Logger LOGGER = System.getLogger(MasterSession.class.getName());
  private static final int MAX_PLANS = 256;
  private static final Duration ENDING = Duration.ofSeconds(10);
  private static final long STEP_ID_MASK = (1L << 57) - 1;

  /**
   * What a session is made with.
   *
   * @param handle what clients call it
   * @param config its settings
   * @param workers the tasks that take part, by what they are called in it
   * @param graphs how nodes are placed
   */
  record Setting(
      String handle,
      ConfigProto config,
      Map<DeviceSpec, WorkerPeer> workers,
      SessionGraph.Setting graphs) {}

  /**
   * What a client asks of a step.
   *
   * @param feeds values by name
   * @param fetches names of tensors
   * @param targets names of nodes
   * @param timeoutMillis how long it may take; 0 for as long as the session's config says
   * @param isTimed whether it is to be known when nodes ran
   */
  public record StepRequest(
      Map<String, Tensor> feeds,
      List<String> fetches,
      List<String> targets,
      long timeoutMillis,
      boolean isTimed) {}

  /**
   * What came of a step.
   *
   * @param fetched values by name, the names being those of the request in canonical form
   * @param plan how it ran
   * @param times when its nodes ran, if that was asked for
   */
  public record StepResult(Map<String, Tensor> fetched, StepPlan plan, StepStats times) {
    StepResult(PartResult all, StepPlan plan) {
      this(all.fetched(), plan, all.times());
    }
  }

  /** How a step is to run. */
  private record Manner(long timeoutMillis, boolean isTimed) {
    static Manner of(StepRequest request) {
      return new Manner(request.timeoutMillis(), request.isTimed());
    }

    static Manner of(RunOptions options) {
      return new Manner(options.getTimeoutInMs(), options.getTraceLevel() == TraceLevel.FULL_TRACE);
    }
  }

  private final Setting setting;
  private final MasterHost host;

  private final StepPlanner planner;
  private final StepPlans plans;
  private final Map<String, PartialRun> partialRuns = new ConcurrentHashMap<>();
  private final AtomicLong partialNumbers = new AtomicLong();
  private final Callables callables = new Callables();
  private final RunningSteps steps = new RunningSteps();
  private volatile SessionGraph graph;
  private volatile long usedNanos;
  private volatile boolean closed;

  private MasterSession(Setting setting, MasterHost host, SessionGraph graph) {
    this.setting = setting;
    this.host = host;
    this.graph = graph;
    this.planner = new StepPlanner(setting);
    this.plans = new StepPlans(MAX_PLANS, signature -> planner.plan(this.graph, signature));
    this.usedNanos = host.ticker().nanoTime();
  }

  /** A client uses it. */
  void touch() {
    usedNanos = host.ticker().nanoTime();
  }

  /** Whether no step runs, and nobody has asked for anything for {@code nanos}. */
  boolean isUnusedFor(long nanos) {
    return steps.isEmpty() && host.ticker().nanoTime() - usedNanos > nanos;
  }

  /** A session with the graph {@code definition}, which its workers know nothing of yet. */
  static MasterSession create(GraphDef definition, Setting setting, MasterHost host) {
    SessionGraph graph = SessionGraph.create(definition, setting.graphs());
    MasterSession session = new MasterSession(setting, host, graph);
    session.logPlacement(graph, 0);
    return session;
  }

  String handle() {
    return setting.handle();
  }

  DeviceSet devices() {
    return setting.graphs().devices();
  }

  private void logPlacement(SessionGraph placed, int from) {
    if (!setting.config().getLogDevicePlacement()) {
      return;
    }
    for (int i = from; i < placed.graph().nodes().size(); i++) {
      LOGGER.log(
          Level.INFO,
          "{0}: ({1}): {2}",
          placed.graph().nodes().get(i).name(),
          placed.graph().nodes().get(i).op().name(),
          placed.devices().get(i).name());
    }
  }

  /** Adds to the graph; returns its new version. */
  synchronized long extend(GraphDef more, long expectedVersion) {
    checkOpen();
    SessionGraph before = graph;
    if (before.version() != expectedVersion) {
      throw StatusException.of(
          StatusCode.ABORTED,
          "Current version is %d but caller expected %d.",
          before.version(),
          expectedVersion);
    }
    SessionGraph extended = before.extended(more, setting.graphs());
    graph = extended;
    logPlacement(extended, before.graph().nodes().size());
    return extended.version();
  }

  private void checkOpen() {
    if (closed) {
      throw new StatusException(StatusCode.FAILED_PRECONDITION, "Session is closed.");
    }
  }

  /** Runs a step; does not wait. */
  public CompletableFuture<StepResult> run(StepRequest request, Cancellation client) {
    checkOpen();
    Asked asked =
        new Asked(List.copyOf(request.feeds().keySet()), request.fetches(), request.targets());
    Map<String, Tensor> feeds = canonical(request.feeds());
    Optional<SharedPlan> known = plans.known(asked);
    if (known.isPresent()) {
      return run(known.get(), feeds, Manner.of(request), client);
    }
    return CompletableFuture.supplyAsync(() -> plans.of(asked), host.threads())
        .thenCompose(plan -> run(plan, feeds, Manner.of(request), client));
  }

  /** Runs a step; {@code shared} is a use of its plan, which ends with it. */
  private CompletableFuture<StepResult> run(
      SharedPlan shared, Map<String, Tensor> feeds, Manner manner, Cancellation client) {
    MasterStep step = newStep(shared);
    StepPlan plan = shared.plan();
    try {
      checkTypes(plan, feeds);
    } catch (StatusException e) {
      end(step);
      throw e;
    }
    return start(step, feeds, plan.signature().fetches(), true, manner, client)
        .whenComplete((_, _) -> end(step))
        .thenApply(fetched -> new StepResult(fetched, plan));
  }

  private static Map<String, Tensor> canonical(Map<String, Tensor> feeds) {
    Map<String, Tensor> result = new HashMap<>();
    feeds.forEach((name, tensor) -> result.put(Signature.canonical(name), tensor));
    return result;
  }

  private void checkTypes(StepPlan plan, Map<String, Tensor> feeds) {
    feeds.forEach((name, tensor) -> {
      DataType declared = plan.feeds().types().getOrDefault(name, tensor.dtype());
      if (declared != tensor.dtype()) {
        throw StatusException.of(
            StatusCode.INTERNAL,
            "From %s:\nOutput 0 of type %s does not match declared output type %s for node {{node"
                + " _recv_%s}}",
            devices().client().spec().taskOnly(),
            tensor.dtype().tfName(),
            declared.tfName(),
            name.replace(':', '_'));
      }
    });
  }

  private MasterStep newStep(SharedPlan plan) {
    MasterStep step =
        new MasterStep(handle(), plan, host.random().getAsLong() & STEP_ID_MASK, host.timer());
    steps.add(step);
    return step;
  }

  private void end(MasterStep step) {
    touch();
    steps.end(step);
  }

  private CompletableFuture<PartResult> start(
      MasterStep step,
      Map<String, Tensor> feeds,
      List<String> fetches,
      boolean isLast,
      Manner manner,
      Cancellation client) {
    Cancellation.Registration registration =
        client.onCancel(() ->
            step.cancel(
                new StatusException(StatusCode.CANCELLED, "the client cancelled the step")));
    CompletableFuture<PartResult> fetched = step.run(feeds, fetches, isLast, manner.isTimed());
    long millis =
        manner.timeoutMillis() > 0
            ? manner.timeoutMillis()
            : setting.config().getOperationTimeoutInMs();
    if (millis > 0 && !fetched.isDone()) {
      ScheduledFuture<?> timeout =
          host.timer().schedule(() -> step.cancel(timedOut()), millis, TimeUnit.MILLISECONDS);
      var _ = fetched.whenComplete((_, _) -> timeout.cancel(false));
    }
    return fetched.whenComplete((_, _) -> registration.close());
  }

  private static StatusException timedOut() {
    return new StatusException(StatusCode.DEADLINE_EXCEEDED, "Operation timed out.");
  }

  /** Begins a step that comes in parts; returns its handle. */
  String setUpPartialRun(List<String> feeds, List<String> fetches, List<String> targets) {
    checkOpen();
    SharedPlan plan = plans.of(Signature.of(feeds, fetches, targets, Map.of(), true));
    String name = String.valueOf(partialNumbers.getAndIncrement());
    partialRuns.put(name, new PartialRun(newStep(plan), graph));
    return name;
  }

  /** Runs the next part of such a step. */
  StepResult runPart(String name, StepRequest request, Cancellation client) {
    checkOpen();
    PartialRun partial = partialRuns.get(name);
    if (partial == null) {
      throw StatusException.invalidArgument(
          "Must run PartialRunSetup before performing partial runs: there is no handle \"%s\"",
          name);
    }
    Map<String, Tensor> feeds = canonical(request.feeds());
    List<String> fetches = request.fetches().stream().map(Signature::canonical).distinct().toList();
    MasterStep step = partial.step();
    boolean isLast = partial.advance(feeds.keySet(), fetches);
    boolean goesOn = false;
    try {
      checkTypes(step.plan(), feeds);
      StepResult result =
          new StepResult(
              FutureWaits.await(start(step, feeds, fetches, isLast, Manner.of(request), client)),
              step.plan());
      goesOn = !isLast;
      return result;
    } finally {
      if (!goesOn) {
        partialRuns.remove(name);
        end(step);
      }
    }
  }

  /** Prepares the steps that {@code options} describe; returns what to call them by. */
  long makeCallable(CallableOptions options) {
    checkOpen();
    return callables.add(options, planner.plan(graph, Callables.signature(options)));
  }

  /** How a callable was asked for. */
  CallableOptions callable(long number) {
    checkOpen();
    return callables.options(number);
  }

  /** Runs a step of a callable, as its own options say; does not wait. */
  CompletableFuture<StepResult> runCallable(
      long number, Map<String, Tensor> feeds, Cancellation client) {
    Manner manner = Manner.of(callable(number).getRunOptions());
    return run(callables.use(number), feeds, manner, client);
  }

  void releaseCallable(long number) {
    callables.release(number);
  }

  /** Completes when the steps that run now have ended. */
  CompletableFuture<Void> stepsEnded() {
    return steps.ended();
  }

  /** How many steps run. */
  int runningSteps() {
    return steps.count();
  }

  /** Its client ends it. */
  void close() {
    close(
        new StatusException(
            StatusCode.CANCELLED, "Step was cancelled by an explicit call to `Session::Close()`."));
  }

  /**
   * Cancels its steps with {@code why}, waits for their end, for a while at most, and then ends its
   * part at each worker.
   */
  void close(StatusException why) {
    closed = true;
    steps.cancel(why);
    partialRuns.values().forEach(partial -> end(partial.step()));
    partialRuns.clear();
    if (!FutureWaits.awaitEnd(steps.ended(), ENDING)) {
      LOGGER.log(Level.WARNING, "session {0} is ended, and some of its steps are not", handle());
    }
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    setting
        .workers()
        .forEach((task, worker) ->
            ends.add(
                worker
                    .deleteSession(handle())
                    .orTimeout(ENDING.toNanos(), TimeUnit.NANOSECONDS)
                    .exceptionally(e -> {
                      LOGGER.log(
                          Level.WARNING,
                          "session {0} was not ended at {1}: {2}",
                          handle(),
                          task,
                          e);
                      return null;
                    })));
    FutureWaits.awaitAll(ends);
  }
}
