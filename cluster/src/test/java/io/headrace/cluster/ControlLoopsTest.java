package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.headrace.cluster.peer.RendezvousKey;
import io.headrace.cluster.plan.DeviceSet;
import io.headrace.cluster.plan.OpFinder;
import io.headrace.cluster.plan.Partitioner;
import io.headrace.cluster.plan.SessionGraph;
import io.headrace.cluster.plan.StepGraph;
import io.headrace.cluster.plan.StepSignature;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.execute.FunctionLibrary;
import io.headrace.runtime.execute.GraphExecutor;
import io.headrace.runtime.execute.GraphExecutor.Threads;
import io.headrace.runtime.execute.LocalRendezvous;
import io.headrace.runtime.execute.NodePlacement;
import io.headrace.runtime.execute.Rendezvous;
import io.headrace.runtime.execute.SessionKernels;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops over several devices: the partitions run concurrently and share one rendezvous. */
final class ControlLoopsTest {
  private static final String INT = "attr { key: 'T' value { type: DT_INT32 } }";
  private static final String MERGE = INT + "attr { key: 'N' value { i: 2 } }";
  private static final String A = "/job:a/replica:0/task:0/device:CPU:0";
  private static final String B = "/job:b/replica:0/task:0/device:CPU:0";
  private static final String B1 = "/job:b/replica:0/task:0/device:CPU:1";

  /** Records the keys sent and received, and the most tensors that waited at a time. */
  private static final class CountingRendezvous implements Rendezvous {
    private final LocalRendezvous local = new LocalRendezvous();
    final Set<String> sent = ConcurrentHashMap.newKeySet();
    final Set<String> received = ConcurrentHashMap.newKeySet();
    final AtomicInteger waiting = new AtomicInteger();
    final AtomicInteger most = new AtomicInteger();

    @Override
    public CompletableFuture<Void> send(String key, Value value) {
      assertThat(sent.add(key)).as(key).isTrue();
      most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
      return local.send(key, value);
    }

    @Override
    public CompletableFuture<Value> receive(String key) {
      assertThat(received.add(key)).as(key).isTrue();
      CompletableFuture<Value> value = local.receive(key);
      var _ = value.thenRun(waiting::decrementAndGet);
      return value;
    }

    @Override
    public void abort(StatusException reason) {
      local.abort(reason);
    }
  }

  private final ExecutorService pool = Executors.newFixedThreadPool(3);
  private final OpRegistry ops = OpRegistry.standard();
  private final CountingRendezvous rendezvous = new CountingRendezvous();
  private final Cancellation cancellation = new Cancellation();

  @AfterEach
  void endPool() {
    pool.shutdownNow();
  }

  private static DeviceSet devices() {
    List<DeviceSet.ClusterDevice> devices = new ArrayList<>();
    for (String name : List.of(A, B, B1)) {
      DeviceAttributes attributes =
          DeviceAttributes.newBuilder()
              .setName(name)
              .setDeviceType(Device.CPU)
              .setIncarnation(7)
              .build();
      DeviceSpec task = DeviceSpec.parse(name).taskOnly();
      devices.addAll(DeviceSet.of(task, List.of(attributes), name.equals(A)));
    }
    return new DeviceSet(devices);
  }

  private Map<String, GraphDef> partition(String nodes, String fetch) {
    GraphDef graph;
    try {
      graph = TextFormat.parse(nodes.replace('\'', '"'), GraphDef.class);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
    DeviceSet devices = devices();
    SessionGraph session =
        SessionGraph.create(graph, new SessionGraph.Setting(ops, devices, false));
    StepSignature signature =
        StepSignature.of(List.of(), List.of(fetch), List.of(), Map.of(), false);
    StepGraph step = StepGraph.build(session, signature, devices.client());
    Map<String, GraphDef> parts = new LinkedHashMap<>();
    Partitioner.partition(step.nodes(), new AtomicLong())
        .forEach((task, part) -> parts.put(task.toString(), Partitioner.written(part, session)));
    return parts;
  }

  private static List<NodeDef> nodesAt(String job, Map<String, GraphDef> parts) {
    return Objects.requireNonNull(parts.get(job + "/replica:0/task:0")).getNodeList();
  }

  private List<CompletableFuture<Void>> start(Map<String, GraphDef> parts) {
    NodePlacement place = new NodePlacement(new Device(A, Device.CPU), new Resources("a"));
    List<GraphExecutor> executors = new ArrayList<>();
    for (GraphDef part : parts.values()) {
      executors.add(
          GraphExecutor.prepare(
              FlowGraph.EMPTY.with(part.getNodeList(), new OpFinder(ops)::find),
              _ -> place,
              new SessionKernels(),
              new FunctionLibrary(part.getLibrary(), ops),
              new Threads(pool, SystemTicker.INSTANCE)));
    }
    return executors.stream()
        .map(e -> e.run(1, rendezvous, cancellation).orTimeout(100, TimeUnit.SECONDS))
        .toList();
  }

  /** Runs a step and returns its result; fails if a sent tensor was not received. */
  private int run(String nodes, String fetch) {
    Map<String, GraphDef> parts = partition(nodes, fetch);
    start(parts).forEach(CompletableFuture::join);
    String key = RendezvousKey.of(A, 7, A, fetch + ":0");
    int result = rendezvous.receive(key).join().tensor().ints()[0];
    assertThat(rendezvous.received).isEqualTo(rendezvous.sent);
    return result;
  }

  private static String node(
      String name, String op, String device, String attrs, String... inputs) {
    StringBuilder node =
        new StringBuilder("node { name: '" + name + "' op: '" + op + "' device: '");
    node.append(device).append("' ").append(attrs);
    for (String input : inputs) {
      node.append(" input: '").append(input).append('\'');
    }
    return node.append(" }\n").toString();
  }

  private static String number(String name, int value, String device, String... controls) {
    String tensor = "tensor { dtype: DT_INT32 tensor_shape { } int_val: " + value + " }";
    return node(
        name,
        "Const",
        device,
        "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { %s } }"
            .formatted(tensor),
        controls);
  }

  private static String frame(String name, boolean isConstant) {
    return INT
        + "attr { key: 'frame_name' value { s: '%s' } }".formatted(name)
        + "attr { key: 'parallel_iterations' value { i: 4 } }"
        + "attr { key: 'is_constant' value { b: %s } }".formatted(isConstant);
  }

  /** The variable {@code name} of the loop {@code f}, whose next value is {@code next}. */
  private static String variable(String f, String name, String device, String start, String next) {
    String full = f + name;
    return node(full + "enter", "Enter", device, frame(f, false), start)
        + node(full + "merge", "Merge", device, MERGE, full + "enter", full + "next")
        + node(full + "switch", "Switch", device, INT, full + "merge", f + "cond")
        + node(full, "Identity", device, INT, full + "switch:1")
        + node(full + "next", "NextIteration", device, INT, next)
        + node(full + "exit", "Exit", device, INT, full + "switch");
  }

  /**
   * The variable i of the loop {@code f}, which runs while it is less than {@code n}; the next
   * value is {@code i} plus one.
   */
  private static String counter(String f, String device, String start, String n, String i) {
    return variable(f, "i", device, start, f + "add")
        + node(f + "limit", "Enter", device, frame(f, true), n)
        + node(f + "less", "Less", device, INT, f + "imerge", f + "limit")
        + node(f + "cond", "LoopCond", device, "", f + "less")
        + number(f + "one", 1, device, "^" + f + "i")
        + node(f + "add", "AddV2", device, INT, i, f + "one");
  }

  /** A loop that counts i up to {@code n} on one device and sums {@code summand} on another. */
  private static String loop(String counter, String adder, int n, String summand) {
    return number("zero", 0, A)
        + number("n", n, A)
        + counter("f", counter, "zero", "n", "fi")
        + variable("f", "s", adder, "zero", "sum")
        + node("sum", "AddV2", adder, INT, "fs", summand);
  }

  @ParameterizedTest
  @CsvSource({
    A + "," + B + ",9",
    B + "," + A + ",9",
    B + "," + B1 + ",9",
    A + "," + A + ",9",
    A + "," + B + ",1",
    A + "," + B + ",0"
  })
  void loop_givesTheSame_whereverItsNodesAre(String counter, String adder, int n) {
    assertThat(run(loop(counter, adder, n, "fi"), "fsexit")).isEqualTo(n * (n - 1) / 2);
  }

  @Test
  void loop_atOneDevice_getsNoControlLoop() {
    Map<String, GraphDef> parts = partition(loop(B, B, 3, "fi"), "fsexit");
    assertThat(parts.values())
        .flatMap(GraphDef::getNodeList)
        .noneMatch(node -> node.getName().startsWith("_cloop"));
  }

  @Test
  void loop_ofManyIterations_leavesNothingBehind() {
    int n = 10_000;
    assertThat(run(loop(A, B, n, "fi"), "fsexit")).isEqualTo(n * (n - 1) / 2);
    assertThat(rendezvous.sent.size()).isGreaterThan(2 * n);
    // Two in each of the four iterations that may run at a time, and those on their way.
    assertThat(rendezvous.most.get()).isLessThan(20);
  }

  @ParameterizedTest
  @CsvSource({A + "," + B, B + "," + A, B + "," + B, A + "," + A})
  void loop_withinALoop_givesTheSame_whereverItsNodesAre(String counter, String adder) {
    String nodes =
        number("zero", 0, A)
            + number("n", 5, A)
            + counter("f", A, "zero", "n", "fi")
            + variable("f", "s", B, "zero", "gsexit")
            + number("again", 0, counter, "^fi")
            + counter("g", counter, "again", "fi", "gi")
            + variable("g", "s", adder, "fs", "sum")
            + node("sum", "AddV2", adder, INT, "gs", "gi");
    assertThat(run(nodes, "fsexit")).isEqualTo(1 + 3 + 6);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void loop_inABranch_runsIfThatIsTaken(boolean taken) {
    String nodes =
        number("zero", 0, A)
            + number("n", 4, A)
            + node("p", "Less", A, INT, "zero", taken ? "n" : "zero")
            + node("branch", "Switch", A, INT, "zero", "p")
            + counter("f", B, "branch:1", "n", "fi")
            + variable("f", "s", A, "branch:1", "sum")
            + node("sum", "AddV2", A, INT, "fs", "fi")
            + node("no", "Identity", B, INT, "branch")
            + number("otherwise", -1, B, "^no")
            + node("merged", "Merge", A, MERGE, "fsexit", "otherwise");
    assertThat(run(nodes, "merged")).isEqualTo(taken ? 6 : -1);
  }

  @Test
  void device_thatOnlySends_doesSoInEachIteration() {
    String nodes =
        loop(A, A, 4, "twice")
            + number("two", 2, B)
            + node("same", "Enter", B, frame("f", true), "two")
            + node("twice", "AddV2", B, INT, "same", "same");
    assertThat(run(nodes, "fsexit")).isEqualTo(16);
  }

  @Test
  void controlEdge_inALoop_isSentInEachIteration() {
    String nodes =
        loop(A, B, 4, "late")
            + node("late", "Identity", B, INT, "fi", "^there")
            + node("there", "Identity", A, INT, "fi");
    assertThat(run(nodes, "fsexit")).isEqualTo(6);
    assertThat(rendezvous.sent).filteredOn(key -> key.contains("there/ctrl")).hasSize(5);
  }

  @Test
  void nodesThatPassOn_areMovedToTheirTensors() {
    String nodes =
        number("zero", 0, A)
            + node("p", "Less", A, INT, "zero", "zero")
            + node("here", "Identity", A, INT, "zero")
            + node("branch", "Switch", B, INT, "here", "p")
            + node("there", "Neg", B, INT, "branch");
    assertThat(nodesAt("/job:a", partition(nodes, "there")))
        .extracting(NodeDef::getName)
        .contains("branch");
  }

  @Test
  void receivers_atAnotherDeviceOfTheTask_waitForItsLoop_asStockWorkersExpect() {
    List<NodeDef> nodes = nodesAt("/job:b", partition(loop(B, B1, 4, "fi"), "fsexit"));
    NodeDef merge =
        nodes.stream()
            .filter(node -> node.getOp().equals("Merge") && node.getName().startsWith("_cloop"))
            .findFirst()
            .orElseThrow();
    assertThat(merge.getDevice()).isEqualTo(B1);
    assertThat(nodes)
        .filteredOn(node -> node.getInputList().contains("^" + merge.getName()))
        .extracting(NodeDef::getName)
        .contains("sum", "fsswitch");
  }

  @Test
  void loop_overTwoDevices_withoutACondition_isRefused() {
    String nodes = loop(A, B, 4, "fi").replace("'LoopCond'", "'LogicalNot'");
    assertThatThrownBy(() -> partition(nodes, "fsexit"))
        .isInstanceOf(StatusException.class)
        .hasMessage("A cross-device loop must have a pivot predicate: f");
  }

  @Test
  void error_inTheMidstOfALoop_endsEveryPart() {
    String nodes =
        loop(A, B, 1_000_000_000, "bad")
            + number("ten", 10, B, "^fs")
            + node("left", "Sub", B, INT, "ten", "fi")
            + node("bad", "FloorDiv", B, INT, "fi", "left");
    for (CompletableFuture<Void> run : start(partition(nodes, "fsexit"))) {
      assertThatThrownBy(run::join)
          .cause()
          .satisfies(
              e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.INVALID_ARGUMENT))
          .hasMessageContaining("{{node bad}}");
    }
  }

  @Test
  void cancellation_endsEveryPart() {
    List<CompletableFuture<Void>> runs =
        start(partition(loop(A, B, Integer.MAX_VALUE, "fi"), "fsexit"));
    cancellation.cancel();
    for (CompletableFuture<Void> run : runs) {
      assertThatThrownBy(run::join)
          .cause()
          .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.CANCELLED));
    }
  }
}
