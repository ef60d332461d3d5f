package io.headrace.cluster.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.TextFormat;
import io.grpc.ManagedChannel;
import io.headrace.cluster.Server;
import io.headrace.proto.tensorflow.CleanupGraphRequest;
import io.headrace.proto.tensorflow.CreateWorkerSessionRequest;
import io.headrace.proto.tensorflow.DeregisterGraphRequest;
import io.headrace.proto.tensorflow.DeregisterGraphResponse;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.GetStatusRequest;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.MarkRecvFinishedRequest;
import io.headrace.proto.tensorflow.MarkRecvFinishedResponse;
import io.headrace.proto.tensorflow.RegisterGraphRequest;
import io.headrace.proto.tensorflow.RunGraphRequest;
import io.headrace.proto.tensorflow.RunGraphResponse;
import io.headrace.proto.tensorflow.WorkerServiceGrpc;
import io.headrace.proto.tensorflow.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.headrace.rpc.GrpcChannels;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The calls that masters make of a worker. */
final class WorkerServiceTest {
  private final Server server = Server.startLocal();
  private final ManagedChannel channel =
      GrpcChannels.open(server.target().substring("grpc://".length()));
  private final WorkerServiceBlockingStub worker = WorkerServiceGrpc.newBlockingStub(channel);
  private final AtomicLong steps = new AtomicLong();
  private DeviceAttributes device = DeviceAttributes.getDefaultInstance();

  @BeforeEach
  void findDevice() {
    device = worker.getStatus(GetStatusRequest.getDefaultInstance()).getDeviceAttributes(0);
  }

  @AfterEach
  void stop() {
    GrpcChannels.close(channel);
    server.close();
  }

  private void begin(String session) {
    var _ =
        worker.createWorkerSession(
            CreateWorkerSessionRequest.newBuilder().setSessionHandle(session).build());
  }

  private String register(String session, boolean isDeclared) {
    String text =
        String.format(
            Locale.ROOT,
            """
            node { name: "two" op: "Const" device: "%1$s"
              attr { key: "dtype" value { type: DT_FLOAT } }
              attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape {} float_val: 2 } } } }
            node { name: "send" op: "_Send" input: "two" device: "%1$s"
              attr { key: "T" value { type: DT_FLOAT } }
              attr { key: "tensor_name" value { s: "two:0" } }
              attr { key: "send_device" value { s: "%1$s" } }
              attr { key: "recv_device" value { s: "%1$s" } }
              attr { key: "send_device_incarnation" value { i: %2$d } }
              attr { key: "client_terminated" value { b: true } } }
            """,
            device.getName(),
            device.getIncarnation());
    try {
      return worker
          .registerGraph(
              RegisterGraphRequest.newBuilder()
                  .setSessionHandle(session)
                  .setCreateWorkerSessionCalled(isDeclared)
                  .setGraphDef(TextFormat.parse(text, GraphDef.class))
                  .build())
          .getGraphHandle();
    } catch (TextFormat.ParseException e) {
      throw new AssertionError(e);
    }
  }

  private float run(String session, boolean isDeclared, String graph) {
    long step = steps.incrementAndGet();
    RunGraphResponse response =
        worker.runGraph(
            RunGraphRequest.newBuilder()
                .setSessionHandle(session)
                .setCreateWorkerSessionCalled(isDeclared)
                .setGraphHandle(graph)
                .setStepId(step)
                .addRecvKey(
                    String.format(
                        Locale.ROOT,
                        "%1$s;%2$016x;%1$s;two:0;0:0",
                        device.getName(),
                        device.getIncarnation()))
                .build());
    var _ = worker.cleanupGraph(CleanupGraphRequest.newBuilder().setStepId(step).build());
    return TensorProtos.read(response.getRecv(0).getTensor()).floats()[0];
  }

  private void deregister(String session, boolean isDeclared, String graph) {
    assertThat(
            worker.deregisterGraph(
                DeregisterGraphRequest.newBuilder()
                    .setSessionHandle(session)
                    .setCreateWorkerSessionCalled(isDeclared)
                    .setGraphHandle(graph)
                    .build()))
        .isEqualTo(DeregisterGraphResponse.getDefaultInstance());
  }

  @Test
  void graph_thatIsDeregistered_isForgotten_andNoOther() {
    begin("s");
    String first = register("s", true);
    String second = register("s", true);
    deregister("s", true, first);
    assertThatThrownBy(() -> run("s", true, first))
        .hasMessage("ABORTED: Graph handle is not found: " + first);
    assertThat(run("s", true, second)).isEqualTo(2);
    deregister("s", true, first);
    assertThatThrownBy(() -> deregister("none", true, second))
        .hasMessageStartingWith("ABORTED: Session handle is not found: none.");
  }

  @Test
  void session_thatItsMasterDidNotBegin_lastsAsLongAsItsGraphs() {
    String first = register("old", false);
    String second = register("old", false);
    assertThat(run("old", false, first)).isEqualTo(2);
    assertThatThrownBy(() -> run("old", true, first))
        .hasMessageStartingWith("ABORTED: Session handle is not found: old.");
    deregister("old", false, first);
    assertThat(run("old", false, second)).isEqualTo(2);
    deregister("old", false, second);
    assertThatThrownBy(() -> run("old", false, second))
        .hasMessage("ABORTED: Graph handle is not found: " + second);
    deregister("old", false, second);
  }

  @Test
  void receiptOfATensor_needsNoAcknowledgement_andMayHaveOne() {
    assertThat(
            worker.markRecvFinished(MarkRecvFinishedRequest.newBuilder().setRequestId(7).build()))
        .isEqualTo(MarkRecvFinishedResponse.getDefaultInstance());
  }
}
