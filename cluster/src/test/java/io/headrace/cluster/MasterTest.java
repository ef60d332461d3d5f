package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headrace.cluster.master.Master;
import io.headrace.cluster.master.MasterHost;
import io.headrace.cluster.master.MasterSession.StepRequest;
import io.headrace.cluster.master.MasterSession.StepResult;
import io.headrace.cluster.master.StepPlans;
import io.headrace.cluster.peer.FutureWaits;
import io.headrace.cluster.peer.Peers;
import io.headrace.cluster.peer.ShutdownGate;
import io.headrace.cluster.peer.WorkerPeer;
import io.headrace.cluster.plan.RefCountedPlan;
import io.headrace.cluster.plan.StepGraph;
import io.headrace.cluster.plan.StepPlan;
import io.headrace.cluster.plan.StepSignature;
import io.headrace.cluster.spec.ClusterSpec;
import io.headrace.cluster.spec.ServerDefs;
import io.headrace.cluster.worker.LocalDevices;
import io.headrace.cluster.worker.StepWorker;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.ServerDef;
import io.headrace.proto.tensorflow.StepStats;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.execute.GraphExecutor.Threads;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A master and the fake worker of another task: the calls it makes, and their order. */
@Timeout(120)
final class MasterTest {
  private static final DeviceSpec FAR = DeviceSpec.ofTask("far", 0);

  private final ClusterSpec cluster =
      ClusterSpec.of(Map.of("near", List.of("localhost:1"), "far", List.of("localhost:2")));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong numbers = new AtomicLong();
  private final FakeWorker far = new FakeWorker(FAR);
  private final ShutdownGate stopping = new ShutdownGate(DeviceSpec.ofTask("near", 0));
  private final Master master = master();

  private Master master() {
    ServerDef definition = ServerDefs.of(cluster, ServerDefs.Overrides.task("near", 0));
    DeviceSpec near = DeviceSpec.ofTask("near", 0);
    LocalDevices devices =
        LocalDevices.create(
            near, ConfigProto.getDefaultInstance(), numbers::incrementAndGet, List.of());
    Peers peers = new Peers(cluster, new Peers.Connections(timer, Duration.ofSeconds(30)));
    peers.setLocal(FAR, far);
    OpRegistry ops = OpRegistry.standard();
    StepWorker worker =
        new StepWorker(
            near,
            devices,
            ops,
            new Threads(threads, SystemTicker.INSTANCE),
            SystemTicker.INSTANCE,
            peers,
            numbers::incrementAndGet);
    MasterHost host =
        new MasterHost(ops, numbers::incrementAndGet, SystemTicker.INSTANCE, timer, threads);
    return new Master(definition, devices, worker, peers, host, stopping);
  }

  @AfterEach
  void stop() {
    timer.shutdownNow();
    threads.shutdown();
  }

  private String open(int nodes) {
    GraphDef.Builder graph = GraphDef.newBuilder();
    for (int i = 0; i < nodes; i++) {
      graph.addNode(NodeDef.newBuilder().setName("n" + i).setOp("NoOp").setDevice(FAR.toString()));
    }
    return master.createSession(
        graph.build(), ConfigProto.getDefaultInstance(), "", new Cancellation());
  }

  private CompletableFuture<StepResult> run(String session, String target) {
    return master
        .session(session)
        .run(new StepRequest(Map.of(), List.of(), List.of(target), 0, false), new Cancellation());
  }

  private void awaitCall(String call) throws InterruptedException {
    while (!far.calls().contains(call)) {
      Thread.sleep(5);
    }
  }

  @Test
  void close_endsTheSessionAtAWorker_afterItsStepHasEndedThere() throws InterruptedException {
    String session = open(1);
    far.reply = new CompletableFuture<>();
    CompletableFuture<StepResult> step = run(session, "n0");
    awaitCall("runGraph");
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(() -> master.closeSession(session), threads);
    while (!isMissing(session)) {
      Thread.sleep(5);
    }
    assertThat(far.calls()).containsExactly("createSession", "registerGraph", "runGraph");
    far.reply.completeExceptionally(new StatusException(StatusCode.CANCELLED, "cancelled"));
    closed.join();
    assertThat(far.calls())
        .containsExactly(
            "createSession", "registerGraph", "runGraph", "cleanupGraph", "deleteSession");
    assertThat(catchThrowable(() -> FutureWaits.await(step)))
        .hasMessageContaining("Session::Close()");
  }

  private boolean isMissing(String session) {
    return catchThrowable(() -> master.session(session)) != null;
  }

  @Test
  void sessionThatIsOpenedWhileTheServerStops_isEndedAtItsWorkers_andRefused() {
    far.onCreateSession = stopping::begin;
    assertThatThrownBy(() -> open(1))
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageContaining("the server of /job:near/replica:0/task:0 stops");
    assertThat(far.calls()).containsExactly("createSession", "deleteSession");
    assertThatThrownBy(() -> open(1))
        .hasMessageContaining("the server of /job:near/replica:0/task:0 stops");
    assertThat(far.calls()).hasSize(2);
  }

  @Test
  void plansOfAStep_areForgottenByTheirTasks_beyondSoMany() {
    int nodes = 300;
    String session = open(nodes);
    for (int i = 0; i < nodes; i++) {
      var _ = run(session, "n" + i).join();
    }
    assertThat(count("registerGraph")).isEqualTo(nodes);
    assertThat(count("registerGraph") - count("deregisterGraph")).isEqualTo(256);
    var _ = run(session, "n" + (nodes - 1)).join();
    assertThat(count("registerGraph")).isEqualTo(nodes);
    var _ = run(session, "n0").join();
    assertThat(count("registerGraph")).isEqualTo(nodes + 1);
  }

  private long count(String call) {
    return far.calls().stream().filter(call::equals).count();
  }

  @Test
  void planInUse_outlivesItsRetirement_untilItsStepIsOver() {
    AtomicLong forgotten = new AtomicLong();
    StepPlan none =
        new StepPlan(
            StepSignature.of(List.of(), List.of(), List.of("n"), Map.of(), false),
            List.of(),
            new StepGraph.Ends(Map.of(), Map.of()),
            new StepGraph.Ends(Map.of(), Map.of()));
    RefCountedPlan plan = new RefCountedPlan(none, _ -> forgotten.incrementAndGet());
    assertThat(plan.use(1)).isTrue();
    plan.retire();
    assertThat(plan.use(2)).isFalse();
    assertThat(forgotten).hasValue(0);
    plan.release();
    assertThat(forgotten).hasValue(1);
    plan.retire();
    assertThat(forgotten).hasValue(1);
  }

  @Test
  void plansThatAreUsedLeast_giveWay() {
    AtomicLong made = new AtomicLong();
    StepPlans plans =
        new StepPlans(
            2,
            signature -> {
              made.incrementAndGet();
              return new RefCountedPlan(
                  new StepPlan(
                      signature,
                      List.of(),
                      new StepGraph.Ends(Map.of(), Map.of()),
                      new StepGraph.Ends(Map.of(), Map.of())),
                  _ -> {});
            });
    for (String target : List.of("a", "b", "a", "c", "a")) {
      StepPlans.RequestedStep requested =
          new StepPlans.RequestedStep(List.of(), List.of(), List.of(target));
      Optional<RefCountedPlan> known = plans.known(requested);
      known.orElseGet(() -> plans.of(requested)).release();
    }
    assertThat(made).hasValue(3);
    plans.of(new StepPlans.RequestedStep(List.of(), List.of(), List.of("b"))).release();
    assertThat(made).hasValue(4);
  }

  @Test
  void step_ofAFakeWorker_isOver_whenItsPartIs() {
    String session = open(1);
    far.reply =
        CompletableFuture.completedFuture(
            new WorkerPeer.PartResult(Map.of(), StepStats.getDefaultInstance()));
    assertThat(run(session, "n0").join().fetched()).isEmpty();
    assertThat(far.calls()).endsWith("runGraph", "cleanupGraph");
  }
}
