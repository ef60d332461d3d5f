package io.headrace.runtime.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.device.SessionTensors;
import io.headrace.runtime.execute.GraphExecutor.Threads;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.SystemTicker;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Execution of whole graphs, with their transfers. */
class GraphExecutorTest {
  private static final String FLOAT = "attr { key: 'T' value { type: DT_FLOAT } }";
  private static final String INT = "attr { key: 'T' value { type: DT_INT32 } }";

  private final ExecutorService pool = Executors.newFixedThreadPool(3);
  private final Resources resources = new Resources();
  private final LocalRendezvous rendezvous = new LocalRendezvous();
  private final Cancellation cancellation = new Cancellation();
  private final SessionKernels kernels = new SessionKernels();

  @AfterEach
  void endPool() {
    pool.shutdownNow();
  }

  /** The kernels of the device that runs the graphs. */
  DeviceKernels device() {
    return DeviceKernels.cpu();
  }

  private GraphExecutor prepare(String nodes) {
    return prepare(nodes, pool);
  }

  private GraphExecutor prepare(String nodes, Executor executor) {
    GraphDef graph;
    try {
      graph = TextFormat.parse(nodes.replace('\'', '"'), GraphDef.class);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
    OpRegistry ops = OpRegistry.standard();
    NodePlacement place =
        new NodePlacement(
            Device.HOST, resources, RemoteDevices.none(), new SessionTensors(), device());
    return GraphExecutor.prepare(
        FlowGraph.EMPTY.with(
            graph.getNodeList(), node -> Objects.requireNonNull(ops.find(node.getOp()))),
        _ -> place,
        kernels,
        new FunctionLibrary(graph.getLibrary(), ops),
        new Threads(executor, SystemTicker.INSTANCE));
  }

  private CompletableFuture<Void> run(String nodes) {
    return prepare(nodes).run(7, rendezvous, cancellation).orTimeout(60, TimeUnit.SECONDS);
  }

  private static String node(String name, String op, String rest, String... inputs) {
    StringBuilder node = new StringBuilder("node { name: '" + name + "' op: '" + op + "' ");
    for (String input : inputs) {
      node.append("input: '").append(input).append("' ");
    }
    return node.append(rest).append(" }\n").toString();
  }

  private static String number(String name, int value, String... controls) {
    return node(
        name,
        "Const",
        "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'value' value { tensor {"
            + " dtype: DT_INT32 tensor_shape { } int_val: "
            + value
            + " } } }",
        controls);
  }

  private static String transfer(String name) {
    return "attr { key: 'tensor_name' value { s: '"
        + name
        + "' } } attr { key: 'send_device' value { s: 'a' } } attr { key: 'recv_device' value { s:"
        + " 'b' } } attr { key: 'send_device_incarnation' value { i: 255 } }";
  }

  private static String receive(String name, String type) {
    return node(
        name,
        "_Recv",
        transfer(name) + " attr { key: 'tensor_type' value { type: " + type + " } }");
  }

  private static String send(String name, String input, String type) {
    return node(name, "_Send", transfer(name) + " " + type, input);
  }

  private static String key(String name) {
    return "a;00000000000000ff;b;" + name + ";0:0";
  }

  private Value sent(String name) {
    return rendezvous.receive(key(name)).join();
  }

  /** {@code i = 0; while (i < n) i = -(-(i + 1))}: a chain, which devices may fuse. */
  private static String loop(String start) {
    String frame =
        "attr { key: 'frame_name' value { s: 'f' } } attr { key: 'parallel_iterations' value { i:"
            + " 2 } } "
            + INT;
    String constant = frame + " attr { key: 'is_constant' value { b: true } }";
    return node("enter", "Enter", frame, start)
        + node("limit", "Enter", constant, "n")
        + node("merge", "Merge", INT + " attr { key: 'N' value { i: 2 } }", "enter", "next")
        + node("less", "Less", INT, "merge", "limit")
        + node("cond", "LoopCond", "", "less")
        + node("switch", "Switch", INT, "merge", "cond")
        + number("one", 1, "^switch_true")
        + node("switch_true", "Identity", INT, "switch:1")
        + node("sum", "AddV2", INT, "switch_true", "one")
        + node("negative", "Neg", INT, "sum")
        + node("add", "Neg", INT, "negative")
        + node("next", "NextIteration", INT, "add")
        + node("exit", "Exit", INT, "switch");
  }

  @Test
  void nodes_runWhenWhatTheyTakeIsThere() {
    var _ = rendezvous.send(key("x"), Value.of(Tensor.vector(1f, 2f)));
    run(receive("x", "DT_FLOAT") + node("y", "AddV2", FLOAT, "x", "x") + send("out", "y", FLOAT))
        .join();
    assertThat(sent("out").tensor().floats()).containsExactly(2, 4);
  }

  /** In TensorFlow, a tensor read from a variable shares the variable's memory. */
  @Test
  void variableThatWasRead_isReadAgainAfterAnAssignment() {
    String attrs =
        "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'shape' value { shape { } } }";
    run(node("v", "VariableV2", attrs)
            + number("one", 1)
            + number("five", 5)
            + node("assign", "Assign", INT, "v", "one")
            + node("read", "Identity", INT, "v", "^assign")
            + node("again", "Identity", INT, "read")
            + node("is_one", "Equal", INT, "again", "one")
            + node("switch", "Switch", INT, "v", "is_one")
            + node("before", "Neg", INT, "again", "^switch")
            + node("change", "AssignAdd", INT, "v", "five", "^before")
            + node("behind", "Neg", INT, "again", "^change")
            + node("switched", "Neg", INT, "switch:1", "^change")
            + send("before_out", "before", INT)
            + send("behind_out", "behind", INT)
            + send("switched_out", "switched", INT))
        .join();
    assertThat(sent("before_out").tensor().ints()).containsExactly(-1);
    assertThat(sent("behind_out").tensor().ints()).containsExactly(-6);
    assertThat(sent("switched_out").tensor().ints()).containsExactly(-6);
  }

  @Test
  void variableWithoutAValue_isFoundByItsRead() {
    String attrs =
        "attr { key: 'dtype' value { type: DT_INT32 } } attr { key: 'shape' value { shape { } } }";
    assertThatThrownBy(
            () -> run(node("v", "VariableV2", attrs) + node("read", "Identity", INT, "v")).join())
        .hasMessageContaining("Attempting to use uninitialized value v")
        .hasMessageContaining("{{node read}}");
  }

  @Test
  void receive_waitsForASenderThatComesLater() {
    CompletableFuture<Void> run = run(receive("x", "DT_FLOAT") + send("out", "x", FLOAT));
    var _ = rendezvous.send(key("x"), Value.of(Tensor.scalar(3f)));
    run.join();
    assertThat(sent("out").tensor().floats()).containsExactly(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100})
  void loop_runsUntilItsConditionFails(int iterations) {
    run(number("zero", 0) + number("n", iterations) + loop("zero") + send("out", "exit", INT))
        .join();
    assertThat(sent("out").tensor().ints()).containsExactly(iterations);
  }

  @ParameterizedTest
  @CsvSource({"0,-5", "1,25", "2,5", "3,5", "-1,5"})
  void choice_ofAnIndexThatThereIsNot_isTheLast(int index, int expected) {
    String attrs = INT + "attr { key: 'num_outs' value { i: 3 } }";
    run(number("i", index)
            + number("x", 5)
            + node("choice", "_SwitchN", attrs, "x", "i")
            + node("a", "Neg", INT, "choice")
            + node("b", "Square", INT, "choice:1")
            + node("m", "Merge", INT + " attr { key: 'N' value { i: 3 } }", "a", "b", "choice:2")
            + send("out", "m", INT))
        .join();
    assertThat(sent("out").tensor().ints()).containsExactly(expected);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void branch_thatIsNotTaken_isDeadUpToTheMerge(boolean taken) {
    var _ = rendezvous.send(key("p"), Value.of(Tensor.scalar(taken)));
    run(receive("p", "DT_BOOL")
            + number("x", 5)
            + node("switch", "Switch", INT, "x", "p")
            + node("double", "AddV2", INT, "switch:1", "switch:1")
            + node("merge", "Merge", INT + " attr { key: 'N' value { i: 2 } }", "switch", "double")
            + send("out", "merge", INT)
            + send("which", "merge:1", INT)
            + send("side", "double", INT))
        .join();
    assertThat(sent("out").tensor().ints()).containsExactly(taken ? 10 : 5);
    assertThat(sent("which").tensor().ints()).containsExactly(taken ? 1 : 0);
    assertThat(sent("side").isDead()).isEqualTo(!taken);
  }

  @Test
  void loop_inABranchThatIsNotTaken_isDead() {
    var _ = rendezvous.send(key("p"), Value.of(Tensor.scalar(false)));
    run(receive("p", "DT_BOOL")
            + number("x", 0)
            + number("n", 3)
            + node("branch", "Switch", INT, "x", "p")
            + loop("branch:1")
            + send("out", "exit", INT))
        .join();
    assertThat(sent("out").isDead()).isTrue();
  }

  /** The rendezvous key of a tensor sent in an iteration of {@link #loop}. */
  private static String keyInLoop(String name, int iteration) {
    String id = Long.toUnsignedString(FrameIds.child(FrameIds.ROOT, 0, "f"));
    return key(name).replace("0:0", id + ":" + iteration);
  }

  @Test
  void whatIsDeadInEachIteration_isSentInEach() {
    var _ = rendezvous.send(key("p"), Value.of(Tensor.scalar(false)));
    List<CompletableFuture<Value>> received =
        IntStream.rangeClosed(0, 3)
            .mapToObj(iteration -> rendezvous.receive(keyInLoop("inside", iteration)))
            .toList();
    String frame =
        "attr { key: 'frame_name' value { s: 'f' } } attr { key: 'is_constant' value { b: true } }";
    run(receive("p", "DT_BOOL")
            + number("x", 0)
            + number("n", 3)
            + node("branch", "Switch", INT, "x", "p")
            + loop("x")
            + node("invariant", "Enter", frame + INT, "branch:1")
            + send("inside", "invariant", INT))
        .join();
    assertThat(received)
        .allMatch(CompletableFuture::isDone)
        .allMatch(value -> value.join().isDead());
  }

  @Test
  void loop_goesNoFurtherAheadOfWhoReceives_thanIterationsMayRun() {
    Deque<Runnable> tasks = new ArrayDeque<>();
    CompletableFuture<Void> run =
        prepare(
                number("x", 0) + number("n", 9) + loop("x") + send("inside", "merge", INT),
                tasks::add)
            .run(7, rendezvous, cancellation);
    CompletableFuture<Value> third = rendezvous.receive(keyInLoop("inside", 2));
    runAll(tasks);
    assertThat(third)
        .isNotDone(); // two iterations may run in parallel, and wait for their receives
    for (int iteration : new int[] {0, 1, 3, 4, 5, 6, 7, 8, 9}) {
      CompletableFuture<Value> value = rendezvous.receive(keyInLoop("inside", iteration));
      runAll(tasks);
      assertThat(value).isCompleted();
      assertThat(value.join().tensor().ints()).containsExactly(iteration);
    }
    assertThat(third).isCompleted();
    assertThat(run).isCompleted();
  }

  private static void runAll(Deque<Runnable> tasks) {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /** A long session registers and deregisters that many graphs. */
  @Test
  void kernels_lastAsLongAsAGraphHasThem_butStatefulOnesAsTheSession() {
    String shared = number("shape", 3) + number("vector", 1);
    String random =
        node(
            "random",
            "RandomUniformInt",
            "attr { key: 'T' value { type: DT_INT32 } } attr { key: 'Tout' value { type: DT_INT32"
                + " } }",
            "vector",
            "vector",
            "shape");
    GraphExecutor first = prepare(shared + random);
    GraphExecutor second = prepare(shared + number("own", 4));
    assertThat(kernels.count()).isEqualTo(4);
    first.close();
    first.close();
    assertThat(kernels.count()).isEqualTo(4);
    second.close();
    assertThat(kernels.count()).isOne();
    assertThatThrownBy(() -> prepare(shared + node("wrong", "Cast", "", "shape")))
        .isInstanceOf(StatusException.class);
    assertThat(kernels.count()).isOne();
  }

  @Test
  void inputs_ofDifferentFrames_areRefused() {
    String frame = "attr { key: 'frame_name' value { s: '%s' } } " + INT;
    assertThatThrownBy(() ->
            prepare(
                number("x", 0)
                    + node("a", "Enter", frame.formatted("f"), "x")
                    + node("b", "Enter", frame.formatted("g"), "x")
                    + node("sum", "AddV2", INT, "a", "b")))
        .hasMessageContaining("{{node sum}} has inputs from different frames");
  }

  @Test
  void error_namesItsNodeAndEndsWhatWaits() {
    CompletableFuture<Void> run =
        run(
            receive("never", "DT_FLOAT")
                + send("out", "never", FLOAT)
                + number("x", 1)
                + number("zero", 0)
                + node("bad", "FloorDiv", INT, "x", "zero")
                + send("quotient", "bad", INT));
    assertThatThrownBy(run::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("[[{{node bad}}]]");
  }

  @Test
  void cancellation_endsWhatWaits() {
    CompletableFuture<Void> run = run(receive("never", "DT_FLOAT") + send("out", "never", FLOAT));
    cancellation.cancel();
    assertThatThrownBy(run::join)
        .cause()
        .satisfies(e -> assertThat(StatusException.codeOf(e)).isEqualTo(StatusCode.CANCELLED));
  }

  @Test
  void frameIds_areTensorFlows() {
    assertThat(Long.toUnsignedString(FrameIds.child(FrameIds.ROOT, 0, "f")))
        .isEqualTo("12862229943350002202");
  }
}
