package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceImplBase;
import io.headrace.proto.data.GetVersionRequest;
import io.headrace.proto.data.GetVersionResponse;
import io.headrace.proto.data.GetWorkersRequest;
import io.headrace.proto.data.GetWorkersResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Peers that are cheap for themselves and dear for the server, beside one that is neither. */
@Timeout(120)
final class AbusedServerTest {
  private static final int RESETS = 50_000;
  private static final int PINGS = 200_000;

  /** As many calls as a connection can have in flight. */
  private static final int CALLS = 4000;

  private static final int CONNECTIONS = 8;

  private final GrpcServer server =
      GrpcServer.start(
          GrpcServerConfig.onPort(0).withConnectionsPerAddress(CONNECTIONS),
          List.of(new Versions().bindService()));
  private final ManagedChannel honest = GrpcChannels.open("localhost:" + server.port());

  @AfterEach
  void stop() {
    GrpcChannels.close(honest);
    server.stop(Duration.ZERO);
  }

  @Test
  void rapidResets_endTheirConnectionAlone() throws IOException {
    askVersion();
    try (RawHttp2Client hostile = RawHttp2Client.connect(server.port())) {
      assertThat(until(RESETS, hostile, hostile::reset)).isLessThan(RESETS);
    }
    askVersion();
  }

  @Test
  void resetsThatTheServerIsMadeToSend_endTheirConnectionAlone() throws IOException {
    askVersion();
    try (RawHttp2Client hostile = RawHttp2Client.connect(server.port())) {
      assertThat(until(RESETS, hostile, hostile::provokeReset)).isLessThan(RESETS);
    }
    askVersion();
  }

  @Test
  void pings_endTheirConnectionAlone() throws IOException {
    askVersion();
    try (RawHttp2Client hostile = RawHttp2Client.connect(server.port())) {
      assertThat(until(PINGS, hostile, hostile::ping)).isLessThan(PINGS);
    }
    askVersion();
  }

  @Test
  void pingAfterEachReply_isNoAbuse() throws IOException {
    try (RawHttp2Client client = RawHttp2Client.connect(server.port())) {
      for (int i = 0; i < 100; i++) {
        client.call();
        client.await();
      }
    }
  }

  @Test
  void allCallsInFlight_cancelledAtOnce_areNoAbuse() {
    for (int attempt = 0; attempt < 2; attempt++) {
      List<Future<GetWorkersResponse>> calls = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        calls.add(
            DispatcherServiceGrpc.newFutureStub(honest)
                .getWorkers(GetWorkersRequest.getDefaultInstance()));
      }
      calls.forEach(call -> call.cancel(true));
      askVersion();
    }
  }

  @Test
  void connectionsBeyondTheLimit_areClosedAtOnce_andTheOthersGoOn() throws IOException {
    askVersion();
    List<Socket> open = new ArrayList<>();
    for (int i = 1; i < CONNECTIONS; i++) {
      open.add(new Socket("localhost", server.port()));
      assertThat(isServed(open.getLast())).isTrue();
    }

    for (int i = 0; i < 3; i++) {
      assertThat(isServed(new Socket("localhost", server.port()))).isFalse();
    }

    askVersion();
    for (Socket socket : open) {
      socket.close();
    }
    awaitService();
  }

  @Test
  void connectionsOfAnotherAddress_areNotRefused() throws IOException {
    InetAddress here = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    InetAddress there = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
    // The garbage collector closes sockets that nothing refers to.
    List<Socket> open = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      open.add(new Socket(here, server.port(), here, 0));
      assertThat(isServed(open.getLast())).isTrue();
    }

    assertThat(isServed(new Socket(here, server.port(), here, 0))).isFalse();
    assertThat(isServed(new Socket(here, server.port(), there, 0))).isTrue();
    for (Socket socket : open) {
      socket.close();
    }
  }

  private interface Step {
    void take() throws IOException;
  }

  /** Takes up to {@code count} steps; returns how many were taken when the server hung up. */
  private static int until(int count, RawHttp2Client client, Step step) throws IOException {
    int taken = 0;
    try {
      while (taken < count) {
        step.take();
        taken++;
        if (taken % RawHttp2Client.BURST == 0) {
          client.exchange();
        }
      }
      client.await();
      return taken;
    } catch (IOException e) {
      if (!RawHttp2Client.isEnd(e)) {
        throw e;
      }
      return Math.min(taken, count - 1);
    }
  }

  /** Whether the server speaks on a new connection, as HTTP/2 servers do first. */
  private static boolean isServed(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    try {
      return in.read() >= 0;
    } catch (SocketException e) {
      return false; // reset
    }
  }

  /** Waits until a connection is accepted: the server hears later that others have been closed. */
  private void awaitService() throws IOException {
    boolean served = false;
    while (!served) {
      try (Socket socket = new Socket("localhost", server.port())) {
        served = isServed(socket);
      }
    }
  }

  private void askVersion() {
    assertThatCode(
            () -> {
              var _ =
                  DispatcherServiceGrpc.newBlockingStub(honest)
                      .getVersion(GetVersionRequest.getDefaultInstance());
            })
        .doesNotThrowAnyException();
  }

  /** Answers GetVersion; never answers GetWorkers. */
  private static final class Versions extends DispatcherServiceImplBase {
    @Override
    public void getVersion(GetVersionRequest request, StreamObserver<GetVersionResponse> reply) {
      reply.onNext(GetVersionResponse.newBuilder().setVersion(9).build());
      reply.onCompleted();
    }

    @Override
    public void getWorkers(GetWorkersRequest request, StreamObserver<GetWorkersResponse> reply) {
      // The caller cancels.
    }
  }
}
