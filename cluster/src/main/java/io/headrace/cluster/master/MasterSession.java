package io.headrace.cluster.master;

import io.headrace.cluster.master.StepPlans.RequestedStep;
import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.peer.WorkerPeer.PartResult;
import io.headrace.cluster.plan.DeviceSet;
import io.headrace.cluster.plan.RefCountedPlan;
import io.headrace.cluster.plan.SessionGraph;
import io.headrace.cluster.plan.StepPlan;
import io.headrace.cluster.plan.StepSignature;
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
 * A session at its master: its graph, the plans of its steps by signature, and the running steps.
 * Thread-safe. Methods may block on calls of other tasks unless they return a future.
 */
public final class MasterSession {
  private static final Logger LOGGER = System.getLogger(MasterSession.class.getName());
  private static final int MAX_PLANS = 256;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final long STEP_ID_MASK = (1L << 57) - 1;

  /**
   * The parameters of a session.
   *
   * @param handle the session's handle
   * @param config the session's config
   * @param workers the workers of the session, by task in its cluster
   * @param graphs the environment of placement
   */
  record Setting(
      String handle,
      ConfigProto config,
      Map<DeviceSpec, WorkerPeer> workers,
      SessionGraph.Setting graphs) {}

  /**
   * A client's request of a step.
   *
   * @param feeds values by name
   * @param fetches names of tensors
   * @param targets names of nodes
   * @param timeoutMillis the timeout in ms; 0 for that of the session's config
   * @param isTimed whether to record when nodes ran
   */
  public record StepRequest(
      Map<String, Tensor> feeds,
      List<String> fetches,
      List<String> targets,
      long timeoutMillis,
      boolean isTimed) {}

  /**
   * The result of a step.
   *
   * @param fetched values by name, the names being those of the request in canonical form
   * @param plan the plan of the step
   * @param times when its nodes ran; empty if the step was not timed
   */
  public record StepResult(Map<String, Tensor> fetched, StepPlan plan, StepStats times) {
    StepResult(PartResult all, StepPlan plan) {
      this(all.fetched(), plan, all.times());
    }
  }

  /** The options of a step. */
  private record StepOptions(long timeoutMillis, boolean isTimed) {
    static StepOptions of(StepRequest request) {
      return new StepOptions(request.timeoutMillis(), request.isTimed());
    }

    static StepOptions of(RunOptions options) {
      return new StepOptions(
          options.getTimeoutInMs(), options.getTraceLevel() == TraceLevel.FULL_TRACE);
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

  /** Marks the session as used. */
  void touch() {
    usedNanos = host.ticker().nanoTime();
  }

  /** Whether no step is running and the session was idle for {@code nanos}. */
  boolean isUnusedFor(long nanos) {
    return steps.isEmpty() && host.ticker().nanoTime() - usedNanos > nanos;
  }

  /** A session of the graph {@code definition}; its workers are not called yet. */
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

  /**
   * Extends the graph.
   *
   * @return the new version
   * @throws StatusException ABORTED if {@code expectedVersion} is not the current version
   */
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

  /** Runs a step without blocking. */
  public CompletableFuture<StepResult> run(StepRequest request, Cancellation client) {
    checkOpen();
    RequestedStep requested =
        new RequestedStep(
            List.copyOf(request.feeds().keySet()), request.fetches(), request.targets());
    Map<String, Tensor> feeds = canonical(request.feeds());
    Optional<RefCountedPlan> known = plans.known(requested);
    if (known.isPresent()) {
      return run(known.get(), feeds, StepOptions.of(request), client);
    }
    return CompletableFuture.supplyAsync(() -> plans.of(requested), host.threads())
        .thenCompose(plan -> run(plan, feeds, StepOptions.of(request), client));
  }

  /** Runs a step, and then releases its acquired plan {@code shared}. */
  private CompletableFuture<StepResult> run(
      RefCountedPlan shared, Map<String, Tensor> feeds, StepOptions options, Cancellation client) {
    MasterStep step = newStep(shared);
    StepPlan plan = shared.plan();
    try {
      checkTypes(plan, feeds);
    } catch (StatusException e) {
      end(step);
      throw e;
    }
    return start(step, feeds, plan.signature().fetches(), true, options, client)
        .whenComplete((_, _) -> end(step))
        .thenApply(fetched -> new StepResult(fetched, plan));
  }

  private static Map<String, Tensor> canonical(Map<String, Tensor> feeds) {
    Map<String, Tensor> result = new HashMap<>();
    feeds.forEach((name, tensor) -> result.put(StepSignature.canonical(name), tensor));
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

  private MasterStep newStep(RefCountedPlan plan) {
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
      StepOptions options,
      Cancellation client) {
    Cancellation.Registration registration =
        client.onCancel(() ->
            step.cancel(
                new StatusException(StatusCode.CANCELLED, "the client cancelled the step")));
    CompletableFuture<PartResult> fetched = step.run(feeds, fetches, isLast, options.isTimed());
    long millis =
        options.timeoutMillis() > 0
            ? options.timeoutMillis()
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

  /**
   * Sets up a partial run.
   *
   * @return its handle
   */
  String setUpPartialRun(List<String> feeds, List<String> fetches, List<String> targets) {
    checkOpen();
    RefCountedPlan plan = plans.of(StepSignature.of(feeds, fetches, targets, Map.of(), true));
    String name = String.valueOf(partialNumbers.getAndIncrement());
    partialRuns.put(name, new PartialRun(newStep(plan), graph));
    return name;
  }

  /** Runs the next part of a partial run; blocks until its fetches are computed. */
  StepResult runPart(String name, StepRequest request, Cancellation client) {
    checkOpen();
    PartialRun partial = partialRuns.get(name);
    if (partial == null) {
      throw StatusException.invalidArgument(
          "Must run PartialRunSetup before performing partial runs: there is no handle \"%s\"",
          name);
    }
    Map<String, Tensor> feeds = canonical(request.feeds());
    List<String> fetches =
        request.fetches().stream().map(StepSignature::canonical).distinct().toList();
    MasterStep step = partial.step();
    boolean isLast = partial.advance(feeds.keySet(), fetches);
    boolean hasMoreParts = false;
    try {
      checkTypes(step.plan(), feeds);
      StepResult result =
          new StepResult(
              FutureWaits.await(
                  start(step, feeds, fetches, isLast, StepOptions.of(request), client)),
              step.plan());
      hasMoreParts = !isLast;
      return result;
    } finally {
      if (!hasMoreParts) {
        partialRuns.remove(name);
        end(step);
      }
    }
  }

  /**
   * Plans the step that {@code options} describe.
   *
   * @return the callable's handle
   */
  long makeCallable(CallableOptions options) {
    checkOpen();
    return callables.add(options, planner.plan(graph, Callables.signature(options)));
  }

  /** The options of a callable. */
  CallableOptions callable(long number) {
    checkOpen();
    return callables.options(number);
  }

  /** Runs a step of a callable, with the callable's own run options; does not block. */
  CompletableFuture<StepResult> runCallable(
      long number, Map<String, Tensor> feeds, Cancellation client) {
    StepOptions options = StepOptions.of(callable(number).getRunOptions());
    return run(callables.use(number), feeds, options, client);
  }

  void releaseCallable(long number) {
    callables.release(number);
  }

  /** Completes when the steps that are running now have ended. */
  CompletableFuture<Void> stepsEnded() {
    return steps.ended();
  }

  /** The number of running steps. */
  int runningSteps() {
    return steps.count();
  }

  /** Closes the session at the client's request. */
  void close() {
    close(
        new StatusException(
            StatusCode.CANCELLED, "Step was cancelled by an explicit call to `Session::Close()`."));
  }

  /**
   * Cancels the steps with {@code why}, waits up to {@link #CLOSE_TIMEOUT} until they have ended,
   * and deletes the session at each worker.
   */
  void close(StatusException why) {
    closed = true;
    steps.cancel(why);
    partialRuns.values().forEach(partial -> end(partial.step()));
    partialRuns.clear();
    if (!FutureWaits.awaitEnd(steps.ended(), CLOSE_TIMEOUT)) {
      LOGGER.log(Level.WARNING, "session {0} is closed while some of its steps run", handle());
    }
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    setting
        .workers()
        .forEach((task, worker) ->
            ends.add(
                worker
                    .deleteSession(handle())
                    .orTimeout(CLOSE_TIMEOUT.toNanos(), TimeUnit.NANOSECONDS)
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
