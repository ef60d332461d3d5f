package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.headrace.TensorHead;
import io.headrace.proto.headrace.TensorPart;
import io.headrace.proto.headrace.TensorPartsGrpc;
import io.headrace.proto.tensorflow.RecvTensorRequest;
import io.headrace.runtime.execute.Rendezvous.Value;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensors sent between tasks in parts, over in-process gRPC. */
final class TensorPartsMethodTest {
  private static final int LARGE = 300_001;

  private final List<Server> servers = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();

  @AfterEach
  void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    servers.forEach(Server::shutdownNow);
  }

  static Stream<Tensor> tensors() {
    float[] floats = new float[LARGE];
    long[] longs = new long[LARGE];
    byte[] bytes = new byte[LARGE];
    for (int i = 0; i < LARGE; i++) {
      floats[i] = i;
      longs[i] = -i;
      bytes[i] = (byte) i;
    }
    return Stream.of(
        Tensor.scalar(1),
        Tensor.vector(new float[0]),
        Tensor.wrap(DataType.STRING, Shape.of(1), new byte[][] {bytes}),
        Tensor.vector(floats),
        Tensor.wrap(DataType.INT64, Shape.of(LARGE, 1), longs),
        Tensor.wrap(DataType.UINT8, Shape.of(LARGE), bytes),
        outsideTheHeap(floats),
        Tensor.wrap(DataType.COMPLEX64, Shape.of(LARGE / 2), floats).rows(3, LARGE / 2 - 1));
  }

  private static Tensor outsideTheHeap(float[] values) {
    MemorySegment segment =
        Arena.ofAuto()
            .allocateFrom(
                ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), values);
    return TensorMemory.ofSegment(DataType.FLOAT32, Shape.of(values.length), segment);
  }

  private ManagedChannel serve(ServerServiceDefinition service) throws IOException {
    String name = InProcessServerBuilder.generateName();
    servers.add(
        InProcessServerBuilder.forName(name).directExecutor().addService(service).build().start());
    ManagedChannel channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    channels.add(channel);
    return channel;
  }

  /** A task that replies with {@code parts}. */
  private ManagedChannel task(Iterator<OutboundMessage> parts) throws IOException {
    return serve(
        ServerServiceDefinition.builder(TensorPartsGrpc.SERVICE_NAME)
            .addMethod(
                TensorPartsMethod.SENDER,
                ServerCalls.asyncServerStreamingCall(
                    (RecvTensorRequest _, StreamObserver<OutboundMessage> observer) ->
                        StreamedReply.to((ServerCallStreamObserver<OutboundMessage>) observer)
                            .send(parts)))
            .build());
  }

  /** A task that sends the given messages and then ends the call with a status. */
  private ManagedChannel task(StatusCode end, TensorPart... parts) throws IOException {
    return serve(
        new TensorPartsGrpc.TensorPartsImplBase() {
          @Override
          public void receiveTensor(
              RecvTensorRequest request, StreamObserver<TensorPart> observer) {
            for (TensorPart part : parts) {
              observer.onNext(part);
            }
            if (end == StatusCode.OK) {
              observer.onCompleted();
            } else {
              observer.onError(
                  GrpcStatuses.toGrpc(new StatusException(end, "so it is")).asRuntimeException());
            }
          }
        }.bindService());
  }

  private static Optional<Value> receive(ManagedChannel from) {
    CompletableFuture<Optional<Value>> value =
        TensorPartsReceiver.receive(
            from.newCall(TensorPartsReceiver.METHOD, CallOptions.DEFAULT),
            RecvTensorRequest.getDefaultInstance());
    try {
      return value.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StatusException status) {
        throw status;
      }
      throw e;
    }
  }

  private static TensorPart head(DataType dtype, Shape shape) {
    return TensorPart.newBuilder()
        .setHead(
            TensorHead.newBuilder()
                .setDtypeValue(dtype.number())
                .setShape(TensorProtos.shape(shape)))
        .build();
  }

  private static TensorPart content(int bytes) {
    return TensorPart.newBuilder().setContent(ByteString.copyFrom(new byte[bytes])).build();
  }

  @ParameterizedTest
  @MethodSource("tensors")
  void tensor_comesAsItWas(Tensor tensor) throws IOException {
    Value value = receive(task(TensorPartsMethod.of(Value.of(tensor)))).orElseThrow();
    assertThat(TensorProtos.write(value.tensor())).isEqualTo(TensorProtos.write(tensor));
  }

  @Test
  void tensorOutsideTheHeap_isSentFromThere() throws IOException {
    float[] floats = new float[LARGE];
    floats[LARGE - 1] = 1.5f;
    Tensor large = outsideTheHeap(floats);
    Value value = receive(task(TensorPartsMethod.of(Value.of(large)))).orElseThrow();
    assertThat(value.tensor().floats()).isEqualTo(floats);
    Tensor small = outsideTheHeap(new float[] {1, 2, 3});
    assertThat(parts(small)).singleElement().matches(TensorPart::hasWhole);

    // An array would have taken the segment's place.
    assertThat(TensorMemory.segment(large)).isNotNull();
    assertThat(TensorMemory.segment(small)).isNotNull();
  }

  @Test
  void deadTensor_comesDead() throws IOException {
    assertThat(receive(task(TensorPartsMethod.of(Value.dead()))).orElseThrow().isDead()).isTrue();
  }

  @Test
  void largeTensor_isCut_andSmallOnesAreNot() throws InvalidProtocolBufferException {
    List<TensorPart> large = parts(Tensor.vector(new float[LARGE]));
    assertThat(large).first().matches(TensorPart::hasHead);
    assertThat(large.subList(1, large.size())).allMatch(TensorPart::hasContent);
    assertThat(large)
        .allMatch(part -> part.getContent().size() <= TensorPartsMethod.PART_BYTES)
        .extracting(part -> part.getContent().size())
        .satisfies(sizes ->
            assertThat(sizes.stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(LARGE * Float.BYTES));

    assertThat(parts(Tensor.vector(1f))).singleElement().matches(TensorPart::hasWhole);
  }

  private static List<TensorPart> parts(Tensor tensor) throws InvalidProtocolBufferException {
    List<TensorPart> parts = new ArrayList<>();
    Iterator<OutboundMessage> messages = TensorPartsMethod.of(Value.of(tensor));
    while (messages.hasNext()) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try {
        messages.next().stream().transferTo(bytes);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      parts.add(TensorPart.parseFrom(bytes.toByteArray()));
    }
    return parts;
  }

  @Test
  void parts_areMade_whenThereIsRoomForThem() throws IOException {
    int[] made = {0};
    Iterator<OutboundMessage> parts =
        TensorPartsMethod.of(Value.of(Tensor.vector(new float[10 * LARGE])));
    Iterator<OutboundMessage> counted =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return parts.hasNext();
          }

          @Override
          public OutboundMessage next() {
            made[0]++;
            return parts.next();
          }
        };
    ClientCall<RecvTensorRequest, InputStream> call =
        task(counted).newCall(TensorPartsReceiver.METHOD, CallOptions.DEFAULT);
    call.start(new ClientCall.Listener<>() {}, new Metadata());
    call.sendMessage(RecvTensorRequest.getDefaultInstance());
    call.halfClose();
    call.request(2);

    assertThat(made[0]).isBetween(2, 4);
    call.request(3);
    assertThat(made[0]).isBetween(5, 7);
    call.cancel("seen", null);
    assertThat(made[0]).isLessThan(8);
  }

  @Test
  void taskWithoutParts_saysNothing() throws IOException {
    assertThat(receive(serve(ServerServiceDefinition.builder("another.Service").build())))
        .isEmpty();
  }

  @Test
  void unimplemented_ofTheTensor_isAnError() throws IOException {
    ManagedChannel task = task(StatusCode.UNIMPLEMENTED, TensorPart.getDefaultInstance());
    assertThatThrownBy(() -> receive(task))
        .hasMessageContaining("so it is")
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNIMPLEMENTED);
  }

  @Test
  void error_isThatOfTheTask() throws IOException {
    ManagedChannel task = task(StatusCode.ABORTED, head(DataType.INT32, Shape.of(2)), content(4));
    assertThatThrownBy(() -> receive(task))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.ABORTED);
  }

  static Stream<List<TensorPart>> malformed() {
    TensorPart two = head(DataType.INT32, Shape.of(2));
    return Stream.of(
        List.of(),
        List.of(content(4)),
        List.of(two),
        List.of(two, content(4)),
        List.of(two, content(5)),
        List.of(two, content(12)),
        List.of(two, content(0)),
        List.of(head(DataType.STRING, Shape.of(2)), content(4)));
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void partsThatDoNotFit_areRefused(List<TensorPart> parts) throws IOException {
    ManagedChannel task = task(StatusCode.OK, parts.toArray(TensorPart[]::new));
    assertThatThrownBy(() -> receive(task))
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.DATA_LOSS);
  }
}
