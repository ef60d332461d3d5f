package io.headrace.cluster.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.TextFormat;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.headrace.cluster.Server;
import io.headrace.proto.tensorflow.CallableOptions;
import io.headrace.proto.tensorflow.CloseSessionRequest;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.CreateSessionRequest;
import io.headrace.proto.tensorflow.ExtendSessionRequest;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.ListDevicesRequest;
import io.headrace.proto.tensorflow.MakeCallableRequest;
import io.headrace.proto.tensorflow.MasterServiceGrpc;
import io.headrace.proto.tensorflow.MasterServiceGrpc.MasterServiceBlockingStub;
import io.headrace.proto.tensorflow.NamedTensorProto;
import io.headrace.proto.tensorflow.PartialRunSetupRequest;
import io.headrace.proto.tensorflow.ReleaseCallableRequest;
import io.headrace.proto.tensorflow.ResetRequest;
import io.headrace.proto.tensorflow.RunCallableRequest;
import io.headrace.proto.tensorflow.RunMetadata;
import io.headrace.proto.tensorflow.RunOptions;
import io.headrace.proto.tensorflow.RunOptions.TraceLevel;
import io.headrace.proto.tensorflow.RunStepRequest;
import io.headrace.proto.tensorflow.RunStepResponse;
import io.headrace.proto.tensorflow.StepStats;
import io.headrace.proto.tensorflow.TensorConnection;
import io.headrace.proto.tensorflow.TensorProto;
import io.headrace.proto.tensorflow.error.Code;
import io.headrace.rpc.GrpcChannels;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.List;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The statuses that clients of sessions get. */
final class MasterServiceTest {
  private static final String GRAPH =
      """
      node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "q" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
      node { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } }
      node { name: "y" op: "Mul" input: "p" input: "two:0"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "z" op: "AddV2" input: "y" input: "q"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "v" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
        attr { key: "shape" value { shape {} } } }
      node { name: "set" op: "Assign" input: "v" input: "two"
        attr { key: "T" value { type: DT_FLOAT } } }
      node { name: "after" op: "NoOp" input: "^p" input: "^set" }
      node { name: "nothing" op: "NoOp" }
      node { name: "queue" op: "FIFOQueueV2"
        attr { key: "component_types" value { list { type: DT_FLOAT } } } }
      node { name: "never" op: "QueueDequeueV2" input: "queue"
        attr { key: "component_types" value { list { type: DT_FLOAT } } } }
      """;

  private static Server server;
  private static ManagedChannel channel;
  private static MasterServiceBlockingStub master;

  @BeforeAll
  static void start() {
    server = Server.startLocal();
    channel = GrpcChannels.open(server.target().substring("grpc://".length()));
    master = MasterServiceGrpc.newBlockingStub(channel);
  }

  @AfterAll
  static void stop() {
    GrpcChannels.close(channel);
    server.close();
  }

  private static GraphDef graph(String text) {
    try {
      return TextFormat.parse(text, GraphDef.class);
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
  }

  private static String open(String graph, ConfigProto config) {
    return master
        .createSession(
            CreateSessionRequest.newBuilder().setGraphDef(graph(graph)).setConfig(config).build())
        .getSessionHandle();
  }

  private static String open() {
    return open(GRAPH, ConfigProto.getDefaultInstance());
  }

  private static RunStepRequest.Builder step(String session) {
    return RunStepRequest.newBuilder().setSessionHandle(session).setStoreErrorsInResponseBody(true);
  }

  private static NamedTensorProto feed(String name, Tensor value) {
    return NamedTensorProto.newBuilder().setName(name).setTensor(TensorProtos.write(value)).build();
  }

  private static AbstractStringAssert<?> assertFails(Code code, RunStepRequest.Builder step) {
    RunStepResponse response = master.runStep(step.build());
    assertThat(response.getStatusCode()).as(response.getStatusErrorMessage()).isEqualTo(code);
    return assertThat(response.getStatusErrorMessage());
  }

  private static float run(RunStepRequest.Builder step) {
    RunStepResponse response = master.runStep(step.build());
    assertThat(response.getStatusErrorMessage()).isEmpty();
    return TensorProtos.read(response.getTensor(0).getTensor()).floats()[0];
  }

  @Test
  void step_givesWhatIsFetched_byTheNamesAskedFor() {
    RunStepResponse response =
        master.runStep(
            step(open())
                .addFeed(feed("p:0", Tensor.scalar(3f)))
                .addFetch("y")
                .addFetch("y:0")
                .build());
    assertThat(response.getTensorList()).extracting("name").containsExactly("y", "y:0");
    assertThat(TensorProtos.read(response.getTensor(0).getTensor()).floats()).containsExactly(6);
    assertThat(response.hasMetadata()).isTrue();
  }

  @Test
  void step_feedsAnyTensor() {
    assertThat(
            run(
                step(open())
                    .addFeed(feed("y:0", Tensor.scalar(3f)))
                    .addFeed(feed("q:0", Tensor.scalar(1f)))
                    .addFetch("z:0")))
        .isEqualTo(4);
  }

  @Test
  void target_runsWhatItWaitsFor_exceptPlaceholdersThatAreFed() {
    String session = open();
    assertThat(
            run(
                step(session)
                    .addFeed(feed("p:0", Tensor.scalar(3f)))
                    .addTarget("after")
                    .addFetch("y:0")))
        .isEqualTo(6);
    assertThat(run(step(session).addFetch("v:0"))).isEqualTo(2);
  }

  @Test
  void session_thatIsNotThere_isAborted() {
    assertFails(Code.ABORTED, step("nobody").addFetch("y:0"))
        .isEqualTo("Session nobody is not found.");
    assertThatThrownBy(() ->
            master.closeSession(
                CloseSessionRequest.newBuilder().setSessionHandle("nobody").build()))
        .hasMessageStartingWith("ABORTED: Session nobody is not found. Possibly, this master has");
    assertThatThrownBy(() ->
            master.listDevices(ListDevicesRequest.newBuilder().setSessionHandle("nobody").build()))
        .hasMessageStartingWith("INVALID_ARGUMENT: Session nobody is not found.");
  }

  @Test
  void step_thatIsMalformed_isRefusedAsTensorFlowDoes() {
    String s = open();
    Tensor one = Tensor.scalar(1f);
    assertFails(Code.INVALID_ARGUMENT, step(s))
        .isEqualTo("Must specify at least one target to fetch or execute.");
    assertFails(Code.INVALID_ARGUMENT, step(s).addFeed(feed("p:0", one)).addFetch("p:0"))
        .isEqualTo("p:0 is both fed and fetched.");
    assertFails(
            Code.INVALID_ARGUMENT,
            step(s).addFeed(feed("p:0", one)).addFeed(feed("p", one)).addFetch("y:0"))
        .isEqualTo("Endpoint \"p:0\" fed more than once.");
    assertFails(Code.NOT_FOUND, step(s).addFetch("w:0"))
        .isEqualTo("FetchOutputs node w:0: not found");
    assertFails(Code.NOT_FOUND, step(s).addFeed(feed("w:0", one)).addFetch("y:0"))
        .isEqualTo("FeedInputs: unable to find feed output w:0");
    assertFails(Code.INVALID_ARGUMENT, step(s).addFeed(feed("p:1", one)).addFetch("y:0"))
        .isEqualTo("FeedInputs: p:1 should have output index < 1");
    assertFails(Code.INVALID_ARGUMENT, step(s).addFetch("y:1"))
        .isEqualTo("FetchOutputs y:1: output index too large, must be < 1");
    assertFails(Code.INVALID_ARGUMENT, step(s).addFetch("nothing:0"))
        .startsWith("Tried to fetch data for 'nothing:0', which produces no output");
    assertFails(Code.NOT_FOUND, step(s).addTarget("w"))
        .isEqualTo("PruneForTargets: Some target nodes not found: w ");
    NamedTensorProto torn =
        NamedTensorProto.newBuilder()
            .setName("p:0")
            .setTensor(
                TensorProto.newBuilder()
                    .setDtypeValue(DataType.FLOAT32.number())
                    .setTensorContent(ByteString.copyFromUtf8("abc")))
            .build();
    assertFails(Code.INVALID_ARGUMENT, step(s).addFeed(torn).addFetch("y:0"))
        .startsWith("Invalid TensorProto for feed value 0");
    assertFails(Code.INTERNAL, step(s).addFeed(feed("p:0", Tensor.scalar(1))).addFetch("y:0"))
        .contains("does not match declared output type float for node {{node _recv_p_0}}");
    assertFails(Code.INVALID_ARGUMENT, step(s).addFetch("y:0"))
        .startsWith("From /job:localhost/replica:0/task:0:\nYou must feed a value for placeholder")
        .endsWith("[[{{node p}}]]");
  }

  @Test
  void step_isWorthAnErrorInTheStatus_whereTheBodyIsNotAskedFor() {
    assertThatThrownBy(() ->
            master.runStep(
                step(open()).setStoreErrorsInResponseBody(false).addFetch("w:0").build()))
        .hasMessage("NOT_FOUND: FetchOutputs node w:0: not found");
  }

  @Test
  void request_thatComesTwice_isAborted() {
    String session = open();
    assertThat(run(step(session).setRequestId(-5).addFetch("two:0"))).isEqualTo(2);
    assertFails(Code.ABORTED, step(session).setRequestId(-5).addFetch("two:0"))
        .isEqualTo("The same RunStep (Master) request was received twice.");
  }

  private static AbstractStringAssert<?> assertNotCreated(String code, String graph) {
    StatusRuntimeException[] thrown = new StatusRuntimeException[1];
    assertThatThrownBy(() -> open(graph, ConfigProto.getDefaultInstance()))
        .isInstanceOfSatisfying(StatusRuntimeException.class, e -> thrown[0] = e);
    assertThat(thrown[0].getStatus().getCode()).hasToString(code);
    return assertThat(thrown[0].getStatus().getDescription());
  }

  @Test
  void graph_thatIsMalformed_isRefused() {
    assertNotCreated("NOT_FOUND", "node { name: 'a' op: 'Frobnicate' }")
        .startsWith("Op type not registered 'Frobnicate' in binary running on")
        .contains("which node 'a' names", "also of nodes at other tasks");
    assertNotCreated("INVALID_ARGUMENT", "node { name: 'a' op: 'NoOp' input: '^b' }")
        .isEqualTo("Node 'a': Unknown input node '^b'");
    assertNotCreated(
            "INVALID_ARGUMENT",
            GRAPH
                + "node { name: 'i' op: 'Identity' input: 'p:1'"
                + " attr { key: 'T' value { type: DT_FLOAT } } }")
        .endsWith("Connecting to invalid output 1 of source node p which has 1 outputs.");
    assertNotCreated("INVALID_ARGUMENT", "node { name: 'a' op: 'NoOp' input: '^a' }")
        .isEqualTo("1 nodes in a cycle: a");
    assertNotCreated("NOT_FOUND", GRAPH + "node { name: 'a' op: 'Identity' input: 'two' }")
        .startsWith("No attr named 'T' in NodeDef: {{node a}}");
    assertNotCreated("INVALID_ARGUMENT", "node { name: 'a' op: 'NoOp' device: 'cpu:0' }")
        .startsWith("Malformed device specification 'cpu:0' in node: {{node a}}");
    assertNotCreated("INVALID_ARGUMENT", "node { name: 'a' op: 'NoOp' device: '/job:ps' }")
        .startsWith(
            "Cannot assign a device for operation a: {{node a}} was explicitly assigned to /job:ps"
                + " but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ].");
    assertNotCreated("INVALID_ARGUMENT", "versions { min_consumer: 3000 }")
        .startsWith("GraphDef min consumer version 3000 above current version 2474");
  }

  @Test
  void session_withThreadPoolsOrABadFilter_isRefused() {
    assertThatThrownBy(
            () -> open(GRAPH, ConfigProto.newBuilder().setUsePerSessionThreads(true).build()))
        .hasMessageContaining(
            "INVALID_ARGUMENT: Distributed session does not support session thread pool options.");
    assertThatThrownBy(
            () -> open(GRAPH, ConfigProto.newBuilder().addDeviceFilters("nonsense").build()))
        .hasMessageContaining("INVALID_ARGUMENT: Malformed device specification 'nonsense'");
  }

  @Test
  void extension_isOfTheNewestVersion_andHasNewNodesOnly() {
    String session = open();
    ExtendSessionRequest more =
        ExtendSessionRequest.newBuilder()
            .setSessionHandle(session)
            .setGraphDef(
                graph(
                    "node { name: 'n' op: 'Neg' input: 'two'"
                        + " attr { key: 'T' value { type: DT_FLOAT } } }"))
            .build();
    assertThat(master.extendSession(more).getNewGraphVersion()).isEqualTo(1);
    assertThat(run(step(session).addFetch("n:0"))).isEqualTo(-2);
    assertThatThrownBy(() -> master.extendSession(more))
        .hasMessage("ABORTED: Current version is 1 but caller expected 0.");
    assertThatThrownBy(
            () -> master.extendSession(more.toBuilder().setCurrentGraphVersion(1).build()))
        .hasMessageContaining("GraphDef argument to Extend includes node 'n'");
  }

  @Test
  void callable_whoseConnectionIsACircle_isRefused() {
    CallableOptions options =
        CallableOptions.newBuilder()
            .addFetch("y:0")
            .addTensorConnection(
                TensorConnection.newBuilder().setFromTensor("y:0").setToTensor("p:0"))
            .build();
    MakeCallableRequest make =
        MakeCallableRequest.newBuilder().setSessionHandle(open()).setOptions(options).build();
    assertThatThrownBy(() -> master.makeCallable(make))
        .hasMessageStartingWith(
            "INVALID_ARGUMENT: Requested Tensor connection between nodes \"p\"");
  }

  @Test
  void callable_takesAndGivesInOrder_andConnectsTensors() {
    String session = open();
    CallableOptions options =
        CallableOptions.newBuilder()
            .addFeed("p:0")
            .addFetch("z:0")
            .addFetch("y:0")
            .addTensorConnection(
                TensorConnection.newBuilder().setFromTensor("two:0").setToTensor("q:0"))
            .build();
    MakeCallableRequest make =
        MakeCallableRequest.newBuilder().setSessionHandle(session).setOptions(options).build();
    long handle = master.makeCallable(make).getHandle();
    RunCallableRequest.Builder run =
        RunCallableRequest.newBuilder()
            .setSessionHandle(session)
            .setHandle(handle)
            .addFeed(TensorProtos.write(Tensor.scalar(3f)));
    assertThat(master.runCallable(run.build()).getFetchList())
        .extracting(proto -> TensorProtos.read(proto).floats()[0])
        .containsExactly(8f, 6f);
    assertThatThrownBy(() -> master.runCallable(run.clone().clearFeed().build()))
        .hasMessage("INVALID_ARGUMENT: Expected 1 feed tensors, but got 0");
    assertThatThrownBy(() -> master.runCallable(run.clone().setHandle(99).build()))
        .hasMessage("INVALID_ARGUMENT: No such callable handle: 99");
    ReleaseCallableRequest release =
        ReleaseCallableRequest.newBuilder().setSessionHandle(session).setHandle(handle).build();
    master.releaseCallable(release);
    master.releaseCallable(release);
    assertThatThrownBy(() -> master.runCallable(run.build()))
        .hasMessage(
            "INVALID_ARGUMENT: Attempted to run callable after handle was released: " + handle);
  }

  private RunCallableRequest callable(String session, String fetch, RunOptions options) {
    long handle =
        master
            .makeCallable(
                MakeCallableRequest.newBuilder()
                    .setSessionHandle(session)
                    .setOptions(CallableOptions.newBuilder().addFetch(fetch).setRunOptions(options))
                    .build())
            .getHandle();
    return RunCallableRequest.newBuilder().setSessionHandle(session).setHandle(handle).build();
  }

  @Test
  void callable_thatTakesTooLong_isEnded() {
    String session = open();
    RunOptions hasty = RunOptions.newBuilder().setTimeoutInMs(50).build();
    assertThatThrownBy(() -> master.runCallable(callable(session, "never:0", hasty)))
        .hasMessage("DEADLINE_EXCEEDED: Operation timed out.");
    assertThat(run(step(session).addFetch("two:0"))).isEqualTo(2);
  }

  @Test
  void callable_isTimedAndShown_whereItsOptionsAskForThat() {
    String session = open();
    RunOptions options =
        RunOptions.newBuilder()
            .setTraceLevel(TraceLevel.FULL_TRACE)
            .setOutputPartitionGraphs(true)
            .build();
    RunMetadata shown = master.runCallable(callable(session, "two:0", options)).getMetadata();
    assertThat(shown.getStepStats().getDevStats(0).getNodeStatsList())
        .anySatisfy(node -> assertThat(node.getNodeName()).isEqualTo("two"));
    assertThat(shown.getPartitionGraphsCount()).isPositive();
    RunMetadata plain =
        master
            .runCallable(callable(session, "two:0", RunOptions.getDefaultInstance()))
            .getMetadata();
    assertThat(plain.hasStepStats()).isFalse();
    assertThat(plain.getPartitionGraphsCount()).isZero();
  }

  @Test
  void partialRun_goesOnWhereItStopped() {
    String session = open();
    String handle =
        master
            .partialRunSetup(
                PartialRunSetupRequest.newBuilder()
                    .setSessionHandle(session)
                    .addAllFeed(List.of("p:0", "q:0"))
                    .addAllFetch(List.of("y:0", "z:0"))
                    .build())
            .getPartialRunHandle();
    RunStepRequest.Builder part = step(session).setPartialRunHandle(handle);
    Tensor three = Tensor.scalar(3f);
    assertThat(run(part.clone().addFeed(feed("p:0", three)).addFetch("y:0"))).isEqualTo(6);
    assertThat(run(part.clone().addFeed(feed("q:0", three)).addFetch("z:0"))).isEqualTo(9);
    assertFails(Code.INVALID_ARGUMENT, part.clone().addFetch("z:0"))
        .startsWith("Must run PartialRunSetup before performing partial runs");
  }

  @Test
  void partialRun_thatFetchesTooEarlyOrTwice_isRefused() {
    String session = open();
    PartialRunSetupRequest setup =
        PartialRunSetupRequest.newBuilder()
            .setSessionHandle(session)
            .addAllFeed(List.of("p:0", "q:0"))
            .addAllFetch(List.of("y:0", "z:0"))
            .build();
    NamedTensorProto three = feed("p:0", Tensor.scalar(3f));
    RunStepRequest.Builder part =
        step(session).setPartialRunHandle(master.partialRunSetup(setup).getPartialRunHandle());
    assertFails(Code.INVALID_ARGUMENT, part.clone().addFeed(three).addFetch("z:0"))
        .isEqualTo("Fetch z:0 can't be computed from the feeds that have been fed so far.");
    part.setPartialRunHandle(master.partialRunSetup(setup).getPartialRunHandle());
    assertFails(Code.INVALID_ARGUMENT, part.clone().addFetch("two:0"))
        .isEqualTo("The fetch two:0 was not specified in partial_run_setup.");
    part.setPartialRunHandle(master.partialRunSetup(setup).getPartialRunHandle());
    assertThat(run(part.clone().addFeed(three).addFetch("y:0"))).isEqualTo(6);
    assertFails(Code.INVALID_ARGUMENT, part.clone().addFeed(three))
        .isEqualTo("The feed p:0 has already been fed.");
  }

  @Test
  void reset_endsAllSessions_andEmptiesTheDefaultContainer() {
    String session = open();
    master.runStep(step(session).addTarget("set").build());
    master.reset(ResetRequest.newBuilder().addContainer("elsewhere").build());
    assertFails(Code.ABORTED, step(session).addFetch("v:0")).endsWith("is not found.");
    assertThat(run(step(open()).addFetch("v:0"))).isEqualTo(2);
    master.reset(ResetRequest.getDefaultInstance());
    assertFails(Code.FAILED_PRECONDITION, step(open()).addFetch("v:0"))
        .contains("Attempting to use uninitialized value v");
  }

  @Test
  void isolatedSession_hasItsOwnVariables() {
    String alone = open(GRAPH, ConfigProto.newBuilder().setIsolateSessionState(true).build());
    master.runStep(step(alone).addTarget("set").build());
    assertThat(run(step(alone).addFetch("v:0"))).isEqualTo(2);
    String other = open(GRAPH, ConfigProto.newBuilder().setIsolateSessionState(true).build());
    assertFails(Code.FAILED_PRECONDITION, step(other).addFetch("v:0")).contains("uninitialized");
  }

  @Test
  void partitionGraphs_areGivenWhereAskedFor() {
    RunOptions options = RunOptions.newBuilder().setOutputPartitionGraphs(true).build();
    RunStepResponse response =
        master.runStep(step(open()).setOptions(options).addFetch("two:0").build());
    assertThat(response.getMetadata().getPartitionGraphsCount()).isPositive();
  }

  @Test
  void step_isTimed_whereThatIsAskedFor() {
    String session = open();
    RunOptions timed = RunOptions.newBuilder().setTraceLevel(TraceLevel.FULL_TRACE).build();
    RunStepRequest.Builder step = step(session).addFetch("two:0");
    assertThat(master.runStep(step.build()).getMetadata().hasStepStats()).isFalse();
    StepStats stats = master.runStep(step.setOptions(timed).build()).getMetadata().getStepStats();
    assertThat(stats.getDevStatsList())
        .singleElement()
        .satisfies(device -> {
          assertThat(device.getDevice()).isEqualTo("/job:localhost/replica:0/task:0/device:CPU:0");
          assertThat(device.getNodeStatsList())
              .anySatisfy(node -> {
                assertThat(node.getNodeName()).isEqualTo("two");
                assertThat(node.getTimelineLabel()).startsWith("two = ");
                assertThat(node.getAllStartMicros()).isPositive();
                assertThat(node.getOutputList()).hasSize(1);
              });
        });
  }

  @Test
  void devices_haveTheTasksName() {
    assertThat(master.listDevices(ListDevicesRequest.getDefaultInstance()).getLocalDeviceList())
        .singleElement()
        .satisfies(device -> {
          assertThat(device.getName()).isEqualTo("/job:localhost/replica:0/task:0/device:CPU:0");
          assertThat(device.getIncarnation()).isNotZero();
        });
  }
}
