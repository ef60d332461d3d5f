package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetDatasetDefRequest;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.GetVersionResponse;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.WatchIterationRequest;
import io.headrace.proto.headrace.WatchIterationResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which of several dispatchers, of different epochs, the fence lets through. */
final class EpochFenceTest {
  private static final UUID JOURNAL = UUID.randomUUID();

  private final List<Server> servers = new ArrayList<>();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicInteger questions = new AtomicInteger();
  private final EpochFence fence = new EpochFence();
  private final Watched watched = new Watched();

  @AfterEach
  void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    servers.forEach(Server::shutdownNow);
  }

  /** Answers one request, fails another, and keeps a stream open. */
  private static final class Dispatcher extends DispatcherServiceGrpc.DispatcherServiceImplBase {
    @Override
    public void getVersion(GetVersionRequest request, StreamObserver<GetVersionResponse> reply) {
      reply.onNext(GetVersionResponse.newBuilder().setVersion(9).build());
      reply.onCompleted();
    }
  }

  private static final class Watched extends DispatcherExtensionsGrpc.DispatcherExtensionsImplBase {
    private final List<StreamObserver<WatchIterationResponse>> watches = new ArrayList<>();

    @Override
    public void watchIteration(
        WatchIterationRequest request, StreamObserver<WatchIterationResponse> reply) {
      reply.onNext(WatchIterationResponse.getDefaultInstance());
      watches.add(reply);
    }
  }

  private static final class Received implements StreamObserver<WatchIterationResponse> {
    private int messages;
    private Throwable failure = new AssertionError("it goes on");

    @Override
    public void onNext(WatchIterationResponse response) {
      messages++;
    }

    @Override
    public void onError(Throwable error) {
      failure = error;
    }

    @Override
    public void onCompleted() {}
  }

  private static DispatcherEpoch epoch(long number) {
    return new DispatcherEpoch(JOURNAL, number);
  }

  private ManagedChannel serve(ServerInterceptor interceptor) throws IOException {
    String name = InProcessServerBuilder.generateName();
    servers.add(
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(ServerInterceptors.intercept(new Dispatcher().bindService(), interceptor))
            .addService(ServerInterceptors.intercept(watched.bindService(), interceptor))
            .build()
            .start());
    ManagedChannel channel = InProcessChannelBuilder.forName(name).directExecutor().build();
    channels.add(channel);
    return channel;
  }

  /** A channel to a dispatcher, through the fence. */
  private Channel dispatcher(DispatcherEpoch epoch) throws IOException {
    return ClientInterceptors.intercept(
        serve(EpochFence.markingAnswers(epoch)), fence.ofAnswers(refusals::incrementAndGet));
  }

  private static long version(Channel channel) {
    return DispatcherServiceGrpc.newBlockingStub(channel)
        .getVersion(GetVersionRequest.getDefaultInstance())
        .getVersion();
  }

  private static void fail(Channel channel) {
    var _ =
        DispatcherServiceGrpc.newBlockingStub(channel)
            .getDatasetDef(GetDatasetDefRequest.getDefaultInstance());
  }

  private static void assertIgnored(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE))
        .hasMessageContaining("was superseded");
  }

  @Test
  void answer_ofAnOlderEpoch_isIgnored_onceANewerOneWasHeardOf() throws IOException {
    Channel older = dispatcher(epoch(3));
    Channel newer = dispatcher(epoch(4));
    assertThat(version(older)).isEqualTo(9);
    assertThat(version(newer)).isEqualTo(9);

    assertIgnored(() -> version(older));

    assertThat(refusals).hasValue(1);
    assertThat(version(newer)).isEqualTo(9);
  }

  @Test
  void failure_ofAnOlderEpoch_isIgnored() throws IOException {
    Channel older = dispatcher(epoch(3));
    assertThatThrownBy(() -> fail(older)).hasMessageContaining("UNIMPLEMENTED");
    var _ = version(dispatcher(epoch(4)));

    assertIgnored(() -> fail(older));
  }

  @Test
  void stream_ofAnEpochThatBecomesOld_ends() throws IOException {
    Received received = new Received();
    DispatcherExtensionsGrpc.newStub(dispatcher(epoch(3)))
        .watchIteration(WatchIterationRequest.getDefaultInstance(), received);
    assertThat(received.messages).isEqualTo(1);
    var _ = version(dispatcher(epoch(4)));

    watched.watches.getFirst().onNext(WatchIterationResponse.getDefaultInstance());

    assertThat(received.messages).isEqualTo(1);
    assertIgnored(() -> {
      throw received.failure;
    });
  }

  @Test
  void answers_ofOtherJournals_andOfStockDispatchers_areHeard() throws IOException {
    var _ = version(dispatcher(epoch(4)));

    assertThat(version(dispatcher(new DispatcherEpoch(UUID.randomUUID(), 1)))).isEqualTo(9);
    Channel stock =
        ClientInterceptors.intercept(
            serve(EpochFenceTest::unmarked), fence.ofAnswers(refusals::incrementAndGet));
    assertThat(version(stock)).isEqualTo(9);
    assertThat(refusals).hasValue(0);
  }

  @Test
  void answer_toWhoDoesNotAsk_hasNoEpoch() throws IOException {
    AtomicReference<Metadata> headers = new AtomicReference<>();
    AtomicReference<Metadata> trailers = new AtomicReference<>();
    Channel stock =
        ClientInterceptors.intercept(
            serve(EpochFence.markingAnswers(epoch(4))),
            MetadataUtils.newCaptureMetadataInterceptor(headers, trailers));

    assertThat(version(stock)).isEqualTo(9);

    assertThat(headers.get().keys()).doesNotContain("headrace-dispatcher-epoch");
    assertThat(trailers.get().keys()).doesNotContain("headrace-dispatcher-epoch");
  }

  private static <Q, R> ServerCall.Listener<Q> unmarked(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    return next.startCall(call, headers);
  }

  @Test
  void request_ofAnOlderEpochThanADispatcherAnsweredWith_isRefused() throws IOException {
    Channel worker = serve(fence.ofRequests(questions::incrementAndGet));
    Channel older = ClientInterceptors.intercept(worker, EpochFence.markingRequests(epoch(3)));
    assertThat(version(older)).isEqualTo(9);

    var _ = version(dispatcher(epoch(4)));

    assertIgnored(() -> version(older));
    assertThat(version(worker)).isEqualTo(9);
    assertThat(questions).hasValue(0);
  }

  @Test
  void request_thatClaimsANewerEpoch_isNotBelieved_butADispatcherIsAsked() throws IOException {
    Channel worker = serve(fence.ofRequests(questions::incrementAndGet));
    Channel dispatcher = dispatcher(epoch(4));
    var _ = version(dispatcher);
    Channel stranger =
        ClientInterceptors.intercept(worker, EpochFence.markingRequests(epoch(Long.MAX_VALUE)));

    assertThat(version(stranger)).isEqualTo(9);

    assertThat(questions).hasValue(1);
    assertThat(version(dispatcher)).isEqualTo(9);
    Channel own = ClientInterceptors.intercept(worker, EpochFence.markingRequests(epoch(4)));
    assertThat(version(own)).isEqualTo(9);
  }

  @Test
  void answer_toNonsense_hasNoEpoch() throws IOException {
    AtomicReference<Metadata> headers = new AtomicReference<>();
    AtomicReference<Metadata> trailers = new AtomicReference<>();
    Channel nosy =
        ClientInterceptors.intercept(
            serve(EpochFence.markingAnswers(epoch(4))),
            MetadataUtils.newCaptureMetadataInterceptor(headers, trailers),
            EpochFence.markingRequests(epoch(1)));

    assertThat(version(nosy)).isEqualTo(9);

    assertThat(headers.get().keys()).doesNotContain("headrace-dispatcher-epoch");
  }

  @Test
  void header_thatIsNoEpoch_isPassedOver() {
    assertThat(DispatcherEpoch.of(epoch(4).toHeader())).contains(epoch(4));
    assertThat(DispatcherEpoch.of("4")).isEmpty();
    assertThat(DispatcherEpoch.of("no/4")).isEmpty();
    assertThat(DispatcherEpoch.of(JOURNAL + "/many")).isEmpty();
  }
}
