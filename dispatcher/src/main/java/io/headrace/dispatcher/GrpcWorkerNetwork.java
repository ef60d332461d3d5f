package io.headrace.dispatcher;

import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.stub.AbstractStub;
import io.headrace.dispatcher.decide.Caller;
import io.headrace.proto.data.GetWorkerTasksRequest;
import io.headrace.proto.data.GetWorkerTasksResponse;
import io.headrace.proto.data.ProcessTaskRequest;
import io.headrace.proto.data.ProcessTaskResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceStub;
import io.headrace.proto.headrace.ConfirmIncarnationRequest;
import io.headrace.proto.headrace.ConfirmIncarnationResponse;
import io.headrace.proto.headrace.SendHeartbeatRequest;
import io.headrace.proto.headrace.SendHeartbeatResponse;
import io.headrace.proto.headrace.WorkerExtensionsGrpc;
import io.headrace.proto.headrace.WorkerExtensionsGrpc.WorkerExtensionsStub;
import io.headrace.rpc.DispatcherEpoch;
import io.headrace.rpc.EpochFence;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcTargets;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Calls workers through TensorFlow's WorkerService. */
final class GrpcWorkerNetwork implements WorkerNetwork {
  private static final int DEADLINE_SECONDS = 5;

  /** Guarded by itself. A failed channel is dropped, so the next call reconnects at once. */
  @GuardedBy("channels")
  private final Map<String, ManagedChannel> channels = new HashMap<>();

  private final ClientInterceptor marking;

  @GuardedBy("channels")
  private boolean closed;

  /** Calls carry {@code epoch}, which fences off earlier dispatchers. */
  GrpcWorkerNetwork(DispatcherEpoch epoch) {
    marking = EpochFence.markingRequests(epoch);
  }

  @Override
  public CompletableFuture<Set<Long>> tasks(String address) {
    return this.<WorkerServiceStub, GetWorkerTasksResponse>call(
            address,
            WorkerServiceGrpc::newStub,
            stub ->
                UnaryCalls.call(reply ->
                    stub.getWorkerTasks(GetWorkerTasksRequest.getDefaultInstance(), reply)))
        .thenApply(GrpcWorkerNetwork::ids);
  }

  @Override
  public CompletableFuture<Boolean> confirm(String address, long incarnation) {
    ConfirmIncarnationRequest request =
        ConfirmIncarnationRequest.newBuilder().setIncarnation(incarnation).build();
    return this.<WorkerExtensionsStub, ConfirmIncarnationResponse>call(
            address,
            WorkerExtensionsGrpc::newStub,
            stub -> UnaryCalls.call(reply -> stub.confirmIncarnation(request, reply)))
        .thenApply(_ -> true);
  }

  @Override
  public CompletableFuture<Set<String>> hosts(String address) {
    return CompletableFuture.supplyAsync(
        () -> resolve(GrpcTargets.host(address)), task -> Thread.ofVirtual().start(task));
  }

  private static Set<String> resolve(String name) {
    try {
      return Stream.of(InetAddress.getAllByName(name))
          .map(Caller::hostAt)
          .collect(Collectors.toSet());
    } catch (UnknownHostException e) {
      throw new StatusException(
          StatusCode.UNAVAILABLE, "the host " + name + " can't be resolved: " + e.getMessage(), e);
    }
  }

  @Override
  public CompletableFuture<Boolean> process(TaskDef task) {
    ProcessTaskRequest request = ProcessTaskRequest.newBuilder().setTask(task).build();
    return this.<WorkerServiceStub, ProcessTaskResponse>call(
            task.getWorkerAddress(),
            WorkerServiceGrpc::newStub,
            stub -> UnaryCalls.call(reply -> stub.processTask(request, reply)))
        .thenApply(_ -> true);
  }

  @Override
  public CompletableFuture<Boolean> hurry(String address) {
    return this.<WorkerExtensionsStub, SendHeartbeatResponse>call(
            address,
            WorkerExtensionsGrpc::newStub,
            stub ->
                UnaryCalls.call(
                    reply -> stub.sendHeartbeat(SendHeartbeatRequest.getDefaultInstance(), reply)))
        .thenApply(_ -> true);
  }

  @Override
  public void forget(String address) {
    @Nullable ManagedChannel channel;
    synchronized (channels) {
      channel = channels.remove(address);
    }
    if (channel != null) {
      channel.shutdown();
    }
  }

  @Override
  public void close() {
    List<ManagedChannel> open;
    synchronized (channels) {
      closed = true;
      open = List.copyOf(channels.values());
      channels.clear();
    }
    open.forEach(ManagedChannel::shutdownNow);
  }

  private static Set<Long> ids(GetWorkerTasksResponse response) {
    return response.getTasksList().stream().map(TaskInfo::getTaskId).collect(Collectors.toSet());
  }

  private <S extends AbstractStub<S>, R> CompletableFuture<R> call(
      String address, Function<Channel, S> stub, Function<S, CompletableFuture<R>> call) {
    ManagedChannel channel;
    try {
      channel = channel(address);
    } catch (StatusException | IllegalArgumentException e) {
      return CompletableFuture.failedFuture(unreachable(address, e));
    }
    return call.apply(
            stub.apply(channel)
                .withInterceptors(marking)
                .withDeadlineAfter(DEADLINE_SECONDS, SECONDS))
        .whenComplete((_, failure) -> dropIf(failure != null, address, channel));
  }

  private ManagedChannel channel(String address) {
    synchronized (channels) {
      if (closed) {
        throw new StatusException(StatusCode.UNAVAILABLE, "the dispatcher is stopping");
      }
      return channels.computeIfAbsent(address, GrpcChannels::open);
    }
  }

  private static StatusException unreachable(String address, Throwable cause) {
    return new StatusException(
        StatusCode.UNAVAILABLE,
        "worker " + address + " can't be reached: " + cause.getMessage(),
        cause);
  }

  private void dropIf(boolean failed, String address, ManagedChannel channel) {
    if (failed) {
      synchronized (channels) {
        channels.remove(address, channel);
      }
      channel.shutdown();
    }
  }
}
