package io.headrace.rpc.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.channelz.v1.ChannelzGrpc;
import io.grpc.channelz.v1.GetServerSocketsRequest;
import io.grpc.channelz.v1.GetServersRequest;
import io.grpc.channelz.v1.GetSocketRequest;
import io.grpc.channelz.v1.Server;
import io.grpc.channelz.v1.SocketRef;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceImplBase;
import io.headrace.proto.headrace.DispatcherAdminGrpc.DispatcherAdminImplBase;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcServer;
import io.headrace.rpc.GrpcServerConfig;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class InspectionTest {
  private static final int CONNECTIONS = 16;

  private final GrpcServer server =
      GrpcServer.start(
          GrpcServerConfig.onPort(0),
          Stream.concat(
                  Stream.of(new DispatcherServiceImplBase() {}.bindService()),
                  new Inspection(true, true).services().stream())
              .toList());
  private final ManagedChannel channel = GrpcChannels.open("127.0.0.1:" + server.port());

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.close();
  }

  private static ServerReflectionResponse reflect(
      ManagedChannel channel, ServerReflectionRequest.Builder request)
      throws ExecutionException, InterruptedException {
    CompletableFuture<ServerReflectionResponse> answer = new CompletableFuture<>();
    StreamObserver<ServerReflectionRequest> call =
        ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(ServerReflectionResponse response) {
                    answer.complete(response);
                  }

                  @Override
                  public void onError(Throwable failure) {
                    answer.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
    call.onNext(request.build());
    call.onCompleted();
    return answer.get();
  }

  private static ServerReflectionRequest.Builder listing() {
    return ServerReflectionRequest.newBuilder().setListServices("");
  }

  private List<String> services() throws ExecutionException, InterruptedException {
    return reflect(channel, listing()).getListServicesResponse().getServiceList().stream()
        .map(ServiceResponse::getName)
        .toList();
  }

  @Test
  void reflection_listsServices_alsoThoseThatAreAddedLater()
      throws ExecutionException, InterruptedException {
    assertThat(services())
        .containsExactlyInAnyOrder(
            "tensorflow.data.DispatcherService",
            "grpc.reflection.v1.ServerReflection",
            "grpc.reflection.v1alpha.ServerReflection",
            "grpc.channelz.v1.Channelz");

    server.add(List.of(new DispatcherAdminImplBase() {}.bindService()));

    assertThat(services()).contains("headrace.DispatcherAdmin");
  }

  @Test
  void reflection_describesAService()
      throws ExecutionException, InterruptedException, InvalidProtocolBufferException {
    List<ByteString> files =
        reflect(
                channel,
                ServerReflectionRequest.newBuilder()
                    .setFileContainingSymbol("tensorflow.data.DispatcherService"))
            .getFileDescriptorResponse()
            .getFileDescriptorProtoList();

    assertThat(FileDescriptorProto.parseFrom(files.getFirst()).getService(0).getName())
        .isEqualTo("DispatcherService");
  }

  @Test
  @SuppressWarnings("deprecation")
  void olderReflection_isAnswered() throws ExecutionException, InterruptedException {
    CompletableFuture<Integer> services = new CompletableFuture<>();
    var call =
        io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(channel)
            .serverReflectionInfo(
                new StreamObserver<>() {
                  @Override
                  public void onNext(io.grpc.reflection.v1alpha.ServerReflectionResponse response) {
                    services.complete(response.getListServicesResponse().getServiceCount());
                  }

                  @Override
                  public void onError(Throwable failure) {
                    services.completeExceptionally(failure);
                  }

                  @Override
                  public void onCompleted() {}
                });
    call.onNext(
        io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
            .setListServices("")
            .build());
    call.onCompleted();

    assertThat(services.get()).isEqualTo(4);
  }

  /** The server as channelz knows it: the tests of a module share a process. */
  private Server inChannelz() {
    return ChannelzGrpc.newBlockingStub(channel)
        .getServers(GetServersRequest.getDefaultInstance())
        .getServerList()
        .stream()
        .filter(found ->
            found.getListenSocketList().stream().anyMatch(at -> portOf(at) == server.port()))
        .findFirst()
        .orElseThrow();
  }

  private int portOf(SocketRef socket) {
    return ChannelzGrpc.newBlockingStub(channel)
        .getSocket(GetSocketRequest.newBuilder().setSocketId(socket.getSocketId()).build())
        .getSocket()
        .getLocal()
        .getTcpipAddress()
        .getPort();
  }

  private List<SocketRef> sockets(Server of) {
    return ChannelzGrpc.newBlockingStub(channel)
        .getServerSockets(
            GetServerSocketsRequest.newBuilder().setServerId(of.getRef().getServerId()).build())
        .getSocketRefList();
  }

  /** Each answer needs the thread of the connection that it is about. */
  @Test
  void connections_thatAskForOneAnother_areAllAnswered()
      throws ExecutionException, InterruptedException {
    List<ManagedChannel> channels = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      channels.add(GrpcChannels.open("127.0.0.1:" + server.port()));
      assertThat(reflect(channels.getLast(), listing()).hasListServicesResponse()).isTrue();
    }
    List<SocketRef> sockets = sockets(inChannelz());
    assertThat(sockets).hasSize(CONNECTIONS + 1);

    List<Future<?>> answers = new ArrayList<>();
    for (SocketRef socket : sockets) {
      for (ManagedChannel from : channels) {
        answers.add(
            ChannelzGrpc.newFutureStub(from)
                .getSocket(
                    GetSocketRequest.newBuilder().setSocketId(socket.getSocketId()).build()));
      }
    }
    for (Future<?> answer : answers) {
      assertThat(answer.get()).isNotNull();
    }
    channels.forEach(ManagedChannel::shutdownNow);
  }

  @Test
  void socketThatIsNotThere_isNotFound() {
    assertThatThrownBy(() ->
            ChannelzGrpc.newBlockingStub(channel)
                .getSocket(GetSocketRequest.newBuilder().setSocketId(-1).build()))
        .hasMessageContaining("NOT_FOUND");
  }

  @Test
  void callersOnOtherHosts_areRefused() throws IOException {
    for (InetAddress outside : outsideAddresses()) {
      String host = outside.getHostAddress();
      ManagedChannel there = GrpcChannels.open(host + ":" + server.port());

      assertThatThrownBy(() -> reflect(there, listing()))
          .rootCause()
          .extracting(failure -> Status.fromThrowable(failure).getCode())
          .isEqualTo(Status.Code.PERMISSION_DENIED);
      assertThatThrownBy(() ->
              ChannelzGrpc.newBlockingStub(there)
                  .getServers(GetServersRequest.getDefaultInstance()))
          .hasMessageContaining("PERMISSION_DENIED: grpc.channelz.v1.Channelz/GetServers is for")
          .hasMessageContaining("(this call came from " + host + ")");
      there.shutdownNow();
    }
  }

  /** This machine's IPv4 addresses but for those of its loopback interface. */
  private static List<InetAddress> outsideAddresses() throws IOException {
    return NetworkInterface.networkInterfaces()
        .flatMap(NetworkInterface::inetAddresses)
        .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
        .toList();
  }
}
