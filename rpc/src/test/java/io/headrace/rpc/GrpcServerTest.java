package io.headrace.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceImplBase;
import io.headrace.proto.data.GetDataServiceMetadataRequest;
import io.headrace.proto.data.GetDataServiceMetadataResponse;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.data.GetOrRegisterDatasetResponse;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.GetVersionResponse;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc.DispatcherExtensionsImplBase;
import io.headrace.proto.headrace.WatchIterationRequest;
import io.headrace.proto.headrace.WatchIterationResponse;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT) // mostly waits
@Timeout(60)
final class GrpcServerTest {
  private static final int BUDGET_BYTES = 1 << 20;

  /** More than the flow control window lets pass unread. */
  private static final int LARGE_BYTES = 3 << 20;

  private final ReceiveBudget budget = ReceiveBudget.ofBytes(BUDGET_BYTES);
  private final GrpcServer server =
      start(GrpcServerConfig.onPort(0).withReceiveBudget(budget), new Echo());
  private final ManagedChannel channel = GrpcChannels.open("localhost:" + server.port());
  private final DispatcherServiceGrpc.DispatcherServiceBlockingStub stub =
      DispatcherServiceGrpc.newBlockingStub(channel);

  @AfterEach
  void stop() {
    GrpcChannels.close(channel);
    server.close();
  }

  @Test
  void call_isAnswered() {
    assertThat(stub.getVersion(GetVersionRequest.getDefaultInstance()).getVersion()).isEqualTo(9);
  }

  @Test
  void stop_doesNotWaitForAConnection_thatEndedBeforeItSaidAnything() throws IOException {
    try (Socket mute = new Socket("localhost", server.port())) {
      assertThat(mute.getInputStream().read()).isNotNegative(); // the server speaks first
    }
    long started = System.nanoTime();
    server.stop(Duration.ofSeconds(45));
    assertThat(System.nanoTime() - started).isLessThan(Duration.ofSeconds(40).toNanos());
  }

  @Test
  void call_handlerThrowsStatusException_getsItsCodeAndMessage() {
    assertThatThrownBy(() -> metadata("missing"))
        .satisfies(e -> assertThat(GrpcStatuses.fromGrpc(e).code()).isEqualTo(StatusCode.NOT_FOUND))
        .hasMessageContaining("Dataset id missing not found");
  }

  @Test
  void call_handlerAnswersWithBug_getsInternalWithoutItsMessage() {
    assertThatThrownBy(() -> metadata("bug"))
        .satisfies(e -> assertThat(GrpcStatuses.fromGrpc(e).code()).isEqualTo(StatusCode.INTERNAL))
        .message()
        .doesNotContain("secret");
  }

  @Test
  void message_largerThanTheBudget_isResourceExhausted() {
    assertThatThrownBy(() -> register(BUDGET_BYTES + 1))
        .satisfies(e ->
            assertThat(GrpcStatuses.fromGrpc(e).code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
  }

  @Test
  void message_whileTheBudgetIsHeld_isResourceExhaustedNamingThePeer() {
    budget.acquire(BUDGET_BYTES / 2, "another");

    assertThatThrownBy(() -> register(BUDGET_BYTES * 3 / 4))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("RESOURCE_EXHAUSTED")
        .hasMessageContaining("127.0.0.1");
  }

  @Test
  void budget_afterCallsEnded_isFreeAgain() {
    for (int i = 0; i < 10; i++) {
      assertThat(register(BUDGET_BYTES / 2)).isEqualTo("ok");
    }
  }

  @Test
  void message_thatCantBeRead_isInvalidAndSaysSo() {
    assertThatThrownBy(() -> CallWithBytes.make(channel, new byte[] {-1, 1, 2, 3}))
        .satisfies(
            e -> assertThat(GrpcStatuses.fromGrpc(e).code()).isEqualTo(StatusCode.INVALID_ARGUMENT))
        .hasMessageContaining("the request can't be read");
  }

  @Test
  void call_handlerAnswersWithAFailureThatAnotherCallCaused_getsThatFailure() {
    assertThatThrownBy(() -> metadata("caused"))
        .satisfies(
            e -> assertThat(GrpcStatuses.fromGrpc(e).code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageContaining("the worker does not answer");
  }

  @Test
  void start_takenPort_isRefused() {
    assertThatThrownBy(() -> start(GrpcServerConfig.onPort(server.port()), new Echo()))
        .hasMessageContaining("port " + server.port())
        .extracting(StatusException::codeOf)
        .isEqualTo(StatusCode.UNAVAILABLE);
  }

  @Test
  void stop_twice_doesNoHarm() {
    server.close();
    server.close();

    assertThatThrownBy(() -> metadata("any")).isInstanceOf(StatusRuntimeException.class);
  }

  @Test
  void stop_callThatNeverEnds_isCancelledAfterTheGrace() throws InterruptedException {
    Echo echo = new Echo();
    GrpcServer other = start(GrpcServerConfig.onPort(0), echo);
    ManagedChannel toOther = GrpcChannels.open("localhost:" + other.port());
    var _ = DispatcherServiceGrpc.newFutureStub(toOther).getDataServiceMetadata(request("hang"));
    echo.hanging.await();

    other.stop(Duration.ofMillis(1));

    other.awaitTermination();
    GrpcChannels.close(toOther);
  }

  @Test
  void connection_bytesThatAreNoHttp2_isClosed() throws IOException {
    try (Socket socket = new Socket("localhost", server.port())) {
      socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".repeat(10).getBytes(UTF_8));

      readToEnd(socket);
    }
  }

  @Test
  void connection_thatSaysNothing_isClosedForWantOfASignOfLife() throws IOException {
    try (GrpcServer impatient =
            start(
                GrpcServerConfig.onPort(0)
                    .withKeepAlive(Duration.ofMillis(50), Duration.ofMillis(50)),
                new Echo());
        Socket socket = new Socket("localhost", impatient.port())) {
      readToEnd(socket);
    }
  }

  @Test
  void request_thatNeverArrives_endsItsCall() throws InterruptedException, ExecutionException {
    try (GrpcServer impatient =
        start(GrpcServerConfig.onPort(0).withRequestTimeout(Duration.ofMillis(50)), new Echo())) {
      ManagedChannel toImpatient = GrpcChannels.open("localhost:" + impatient.port());
      CallWithoutRequest call = CallWithoutRequest.start(toImpatient);

      assertThat(call.status().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
      GrpcChannels.close(toImpatient);
    }
  }

  @Test
  void replies_thatAreNotRead_closeTheirConnectionAlone() throws InterruptedException {
    try (GrpcServer bounded =
        start(
            GrpcServerConfig.onPort(0).withReplyBounds(2L * LARGE_BYTES, Duration.ofDays(1)),
            new Echo())) {
      ManagedChannel hostile = GrpcChannels.open("localhost:" + bounded.port());
      ManagedChannel honest = GrpcChannels.open("localhost:" + bounded.port());
      assertThat(largeReply(hostile)).isGreaterThan(LARGE_BYTES);
      CountDownLatch disconnected = disconnection(hostile);
      for (int i = 0; i < 8; i++) {
        askForLargeReply(hostile);
        // A reply counts until its call has ended at the server, too, so large ones might add up.
        assertThat(version(honest)).isEqualTo(9);
      }

      disconnected.await();
      assertThat(largeReply(honest)).isGreaterThan(LARGE_BYTES);
      assertThat(honest.getState(false)).isEqualTo(ConnectivityState.READY);
      hostile.shutdownNow();
      GrpcChannels.close(honest);
    }
  }

  @Test
  void peerThatWaitsForOneLargeReply_doesNotPayForOneThatLetsThemPileUp()
      throws InterruptedException {
    try (GrpcServer bounded =
        start(
            GrpcServerConfig.onPort(0).withReplyBounds(2L * LARGE_BYTES, Duration.ofDays(1)),
            new Echo())) {
      ManagedChannel hostile = GrpcChannels.open("localhost:" + bounded.port());
      ManagedChannel slow = GrpcChannels.open("localhost:" + bounded.port());
      assertThat(version(hostile)).isEqualTo(9);
      assertThat(version(slow)).isEqualTo(9);
      awaitUnread(bounded, 0, 0);
      CountDownLatch disconnected = disconnection(hostile);
      askForLargeReply(slow);
      awaitUnread(bounded, LARGE_BYTES, 2L * LARGE_BYTES);

      askForLargeReply(hostile);
      askForLargeReply(hostile);

      disconnected.await();
      assertThat(slow.getState(false)).isEqualTo(ConnectivityState.READY);
      awaitUnread(bounded, LARGE_BYTES, 2L * LARGE_BYTES);
      hostile.shutdownNow();
      slow.shutdownNow();
    }
  }

  @Test
  void reply_thatIsNotReadForTooLong_closesItsConnectionAlone() throws InterruptedException {
    AtomicLong now = new AtomicLong();
    try (GrpcServer impatient =
        GrpcServer.start(
            GrpcServerConfig.onPort(0).withReplyBounds(1, Duration.ofMillis(50)),
            List.of(new Echo().bindService(), new QuietWatch().bindService()),
            Map.of(),
            now::get)) {
      ManagedChannel toImpatient = GrpcChannels.open("localhost:" + impatient.port());
      assertThat(largeReply(toImpatient)).isGreaterThan(LARGE_BYTES);
      awaitUnread(impatient, 0, 0);
      CountDownLatch disconnected = disconnection(toImpatient);
      ManagedChannel watching = GrpcChannels.open("localhost:" + impatient.port());
      Iterator<WatchIterationResponse> watch =
          DispatcherExtensionsGrpc.newBlockingStub(watching)
              .watchIteration(WatchIterationRequest.getDefaultInstance());
      assertThat(watch.next()).isNotNull();
      awaitUnread(impatient, 0, 0); // the watch is quiet, and stays so
      askForLargeReply(toImpatient);
      awaitUnread(impatient, LARGE_BYTES, 2L * LARGE_BYTES);

      now.set(Duration.ofMinutes(1).toNanos());

      disconnected.await();
      awaitUnread(impatient, 0, 0); // dropped with their connection
      assertThat(watching.getState(false)).isEqualTo(ConnectivityState.READY);
      toImpatient.shutdownNow();
      watching.shutdownNow();
    }
  }

  /** Waits until {@code from} to {@code to} bytes of the server's replies are unread. */
  private static void awaitUnread(GrpcServer server, long from, long to)
      throws InterruptedException {
    while (server.unreadReplyBytes() < from || server.unreadReplyBytes() > to) {
      Thread.sleep(1);
    }
  }

  /** Sends a request and does not read the reply: the flow control window fills up. */
  private static void askForLargeReply(ManagedChannel channel) {
    ClientCall<GetDataServiceMetadataRequest, GetDataServiceMetadataResponse> call =
        channel.newCall(
            DispatcherServiceGrpc.getGetDataServiceMetadataMethod(), CallOptions.DEFAULT);
    call.start(new ClientCall.Listener<>() {}, new Metadata());
    call.sendMessage(request("large"));
    call.halfClose();
  }

  /** Counted down when the connected {@code channel} loses its connection. */
  private static CountDownLatch disconnection(ManagedChannel channel) {
    CountDownLatch disconnected = new CountDownLatch(1);
    channel.notifyWhenStateChanged(ConnectivityState.READY, disconnected::countDown);
    return disconnected;
  }

  private static long version(ManagedChannel channel) {
    return DispatcherServiceGrpc.newBlockingStub(channel)
        .getVersion(GetVersionRequest.getDefaultInstance())
        .getVersion();
  }

  private static int largeReply(ManagedChannel channel) {
    return DispatcherServiceGrpc.newBlockingStub(channel)
        .getDataServiceMetadata(request("large"))
        .getSerializedSize();
  }

  private static void readToEnd(Socket socket) throws IOException {
    try (InputStream in = socket.getInputStream()) {
      in.readAllBytes();
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }

  private static GrpcServer start(GrpcServerConfig config, Echo echo) {
    return GrpcServer.start(config, List.of(echo.bindService()));
  }

  private GetDataServiceMetadataResponse metadata(String id) {
    return stub.getDataServiceMetadata(request(id));
  }

  private static GetDataServiceMetadataRequest request(String id) {
    return GetDataServiceMetadataRequest.newBuilder().setDatasetId(id).build();
  }

  private String register(int bytes) {
    return stub.getOrRegisterDataset(
            GetOrRegisterDatasetRequest.newBuilder()
                .setDataset(DatasetDef.getDefaultInstance())
                .setDatasetIdBytes(ByteString.copyFromUtf8("x".repeat(bytes - 100)))
                .build())
        .getDatasetId();
  }

  /** A service that replies, throws, breaks or hangs, depending on the request's id. */
  private static final class Echo extends DispatcherServiceImplBase {
    private final CountDownLatch hanging = new CountDownLatch(1);

    @Override
    public void getVersion(GetVersionRequest request, StreamObserver<GetVersionResponse> reply) {
      reply.onNext(GetVersionResponse.newBuilder().setVersion(9).build());
      reply.onCompleted();
    }

    @Override
    public void getOrRegisterDataset(
        GetOrRegisterDatasetRequest request, StreamObserver<GetOrRegisterDatasetResponse> reply) {
      reply.onNext(GetOrRegisterDatasetResponse.newBuilder().setDatasetId("ok").build());
      reply.onCompleted();
    }

    @Override
    public void getDataServiceMetadata(
        GetDataServiceMetadataRequest request,
        StreamObserver<GetDataServiceMetadataResponse> reply) {
      switch (request.getDatasetId()) {
        case "bug" -> reply.onError(new IllegalStateException("a secret"));
        case "large" -> {
          reply.onNext(
              GetDataServiceMetadataResponse.newBuilder()
                  .setMetadata(
                      DataServiceMetadata.newBuilder()
                          .setElementSpec(ByteString.copyFrom(new byte[LARGE_BYTES])))
                  .build());
          reply.onCompleted();
        }
        case "hang" -> hanging.countDown();
        case "caused" ->
            UnaryCalls.answer(
                CompletableFuture.failedFuture(
                    new StatusException(
                        StatusCode.UNAVAILABLE,
                        "the worker does not answer",
                        Status.NOT_FOUND.asRuntimeException())),
                reply);
        default ->
            throw StatusException.of(
                StatusCode.NOT_FOUND, "Dataset id %s not found", request.getDatasetId());
      }
    }
  }

  /** Sends one small message and nothing more. */
  private static final class QuietWatch extends DispatcherExtensionsImplBase {
    @Override
    public void watchIteration(
        WatchIterationRequest request, StreamObserver<WatchIterationResponse> reply) {
      reply.onNext(WatchIterationResponse.getDefaultInstance());
    }
  }
}
