package io.headrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Empty;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ClientCalls;
import io.headrace.rpc.GrpcChannels;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Services of stock servers that this server does not implement. */
final class UnimplementedServicesTest {
  private final Server server = Server.startLocal();
  private final ManagedChannel channel =
      GrpcChannels.open(server.target().substring("grpc://".length()));

  @AfterEach
  void stop() {
    GrpcChannels.close(channel);
    server.close();
  }

  private Status call(String method, MethodType type) {
    MethodDescriptor<Empty, Empty> descriptor =
        MethodDescriptor.newBuilder(
                ProtoUtils.marshaller(Empty.getDefaultInstance()),
                ProtoUtils.marshaller(Empty.getDefaultInstance()))
            .setFullMethodName(method)
            .setType(type)
            .build();
    try {
      var _ =
          ClientCalls.blockingUnaryCall(
              channel, descriptor, CallOptions.DEFAULT, Empty.getDefaultInstance());
      return Status.OK;
    } catch (StatusRuntimeException e) {
      return e.getStatus();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "tensorflow.eager.EagerService/CreateContext, UNARY",
    "tensorflow.eager.EagerService/StreamingEnqueue, BIDI_STREAMING",
    "tensorflow.CoordinationService/RegisterTask, UNARY",
    "tensorflow.ProfilerService/Profile, UNARY",
    "tensorflow.WorkerService/RecvBuf, UNARY",
    "tensorflow.WorkerService/CompleteGroup, UNARY",
    "tensorflow.WorkerService/CompleteInstance, UNARY",
    "tensorflow.WorkerService/GetStepSequence, UNARY",
    "tensorflow.WorkerService/Tracing, UNARY",
  })
  void call_ofWhatIsNoSession_isUnimplemented_andSaysWhatIsServed(String method, MethodType type) {
    Status status = call(method, type);
    assertThat(status.getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
    assertThat(status.getDescription())
        .contains(method.substring(method.indexOf('/') + 1), "this server serves sessions");
  }
}
