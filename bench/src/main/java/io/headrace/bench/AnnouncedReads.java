package io.headrace.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.headrace.client.DataService;
import io.headrace.client.ServiceCompression;
import io.headrace.dataset.Dataset;
import io.headrace.proto.data.ClientHeartbeatRequest;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceBlockingStub;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.data.WorkerServiceGrpc.WorkerServiceBlockingStub;
import io.headrace.rpc.GrpcChannels;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Scanner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * A reader of TensorFlow's protocol alone, with dynamic sharding, on many workers of this process,
 * each of which announces what it delivers to the dispatcher: {@code AnnouncedReads TARGET WORKERS
 * RATE}. It reads RATE elements a second, as many from each worker.
 *
 * <p>Prints "ready", and answers "read SECONDS" with "read ELEMENTS SECONDS LONGEST", where LONGEST
 * is the longest time in seconds that a request for an element took.
 */
@SuppressWarnings("SystemOut") // standard output carries the results
final class AnnouncedReads {
  private static final double NANOS = 1e9;

  private final DispatcherServiceBlockingStub dispatcher;
  private final long client;
  private final int workers;
  private final long intervalNanos;
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final LongAdder taken = new LongAdder();
  private final AtomicLong longestNanos = new AtomicLong();

  private AnnouncedReads(
      DispatcherServiceBlockingStub dispatcher, long client, int workers, long rate) {
    this.dispatcher = dispatcher;
    this.client = client;
    this.workers = workers;
    this.intervalNanos = (long) (NANOS * workers / rate);
  }

  /** Runs until its input ends. */
  public static void main(String[] args) throws InterruptedException {
    String target = args[0];
    int workers = Integer.parseInt(args[1]);
    for (int i = 0; i < workers; i++) {
      var _ = WorkerServer.start(WorkerConfig.forDispatcher(GrpcTargets.address(target)));
    }
    String id =
        DataService.registerDataset(
            target, Dataset.range(1L << 60), ServiceCompression.NONE, Optional.empty());
    var stub =
        DispatcherServiceGrpc.newBlockingStub(GrpcChannels.open(GrpcTargets.address(target)));
    long client = SplitCallers.createIteration(stub, id);
    var reads = new AnnouncedReads(stub, client, workers, Long.parseLong(args[2]));
    reads.start();
    System.out.println("ready");
    var input = new Scanner(System.in, UTF_8);
    while (input.hasNext()) {
      input.next("read");
      reads.read(input.nextDouble());
    }
    System.exit(0);
  }

  /** Starts a thread for each task, and one for heartbeats, which keep the iteration alive. */
  private void start() throws InterruptedException {
    List<TaskInfo> tasks = heartbeat();
    while (tasks.size() < workers) {
      Thread.sleep(100);
      tasks = heartbeat();
    }
    for (TaskInfo task : tasks) {
      Thread.ofVirtual().start(() -> readAll(task));
    }
    Thread.ofVirtual().start(this::stayAlive);
  }

  private List<TaskInfo> heartbeat() {
    return dispatcher
        .clientHeartbeat(ClientHeartbeatRequest.newBuilder().setIterationClientId(client).build())
        .getTaskInfoList();
  }

  private void stayAlive() {
    try {
      while (true) {
        Thread.sleep(1000);
        var _ = heartbeat();
      }
    } catch (StatusRuntimeException | InterruptedException e) {
      failures.add(e);
    }
  }

  private void readAll(TaskInfo task) {
    ManagedChannel channel = GrpcChannels.open(task.getWorkerAddress());
    WorkerServiceBlockingStub worker = WorkerServiceGrpc.newBlockingStub(channel);
    GetElementRequest request = GetElementRequest.newBuilder().setTaskId(task.getTaskId()).build();
    long due = SystemTicker.INSTANCE.nanoTime();
    try {
      while (true) {
        long asked = SystemTicker.INSTANCE.nanoTime();
        getElement(worker, request);
        taken.increment();
        long now = SystemTicker.INSTANCE.nanoTime();
        longestNanos.accumulateAndGet(now - asked, Math::max);
        due = Math.max(due + intervalNanos, now - intervalNanos);
        Thread.sleep(Math.max(0, due - now) / 1_000_000);
      }
    } catch (StatusRuntimeException | InterruptedException e) {
      failures.add(e);
    }
  }

  /** Gets an element; tries again while the worker has not been given its task yet. */
  private static void getElement(WorkerServiceBlockingStub worker, GetElementRequest request)
      throws InterruptedException {
    while (true) {
      try {
        var _ = worker.getElement(request);
        return;
      } catch (StatusRuntimeException e) {
        if (e.getStatus().getCode() != Status.Code.UNAVAILABLE) {
          throw e;
        }
        Thread.sleep(10);
      }
    }
  }

  private void read(double seconds) throws InterruptedException {
    long started = SystemTicker.INSTANCE.nanoTime();
    long before = taken.sum();
    longestNanos.set(0);
    Thread.sleep((long) (seconds * 1000));
    if (!failures.isEmpty()) {
      throw new IllegalStateException("a call failed", failures.peek());
    }
    long count = taken.sum() - before;
    double took = (SystemTicker.INSTANCE.nanoTime() - started) / NANOS;
    System.out.println("read " + count + " " + took + " " + longestNanos.get() / NANOS);
  }
}
