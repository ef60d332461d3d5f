package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Checkpoint;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.data.DeploymentMode;
import io.headrace.rpc.LocalWorkers;
import io.headrace.rpc.StreamTasks;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers of the workers in their own process. */
@Timeout(120)
@Isolated // looks at all workers of this process
final class LocalReadsTest {
  private static final long N = 2_000;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final Deque<WorkerServer> workers = new ArrayDeque<>();

  @AfterEach
  void stop() {
    workers.forEach(WorkerServer::close);
    dispatcher.close();
  }

  private WorkerServer startWorker(String... tags) {
    WorkerServer started =
        WorkerServer.start(
            WorkerConfig.forDispatcher(dispatcher.address()).withWorkerTags(List.of(tags)));
    workers.add(started);
    return started;
  }

  private static DistributeOptions local() {
    return DistributeOptions.of(ProcessingMode.DYNAMIC).withTargetWorkers(TargetWorkers.LOCAL);
  }

  private Dataset distributed(Dataset dataset, DistributeOptions options) {
    return dataset.apply(DataService.distribute(options, dispatcher.target()));
  }

  private static void take(ElementIterator elements, long most, List<Long> into) {
    for (long i = 0; i < most && elements.hasNext(); i++) {
      Tensor batch = elements.next().tensor();
      for (int j = 0; j < batch.elements(); j++) {
        into.add(batch.integer(j));
      }
    }
  }

  private List<Long> read(Dataset dataset, DistributeOptions options) {
    List<Long> values = new ArrayList<>();
    try (ElementIterator elements = distributed(dataset, options).iterator()) {
      take(elements, Long.MAX_VALUE, values);
    }
    return values;
  }

  private static List<Long> numbers(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private static void assertRefused(StatusCode code, String why, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(StatusException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(why);
  }

  /** Hides a worker, as if it were in another process, until the test ends. */
  private static void hide(WorkerServer worker) {
    StreamTasks none =
        (_, _) -> {
          throw new AssertionError("not in this process");
        };
    LocalWorkers.add(worker.address(), none).close();
  }

  @Test
  void rowsThatAreDroppedOrFail_areWhatTheyAreElsewhere() {
    var _ = startWorker();
    Dataset numbers = Dataset.range(N);

    assertThat(read(numbers, local())).containsExactlyElementsOf(numbers(0, N));
    assertThat(read(numbers.filter(x -> x.less(700)).batch(32), local()))
        .containsExactlyElementsOf(numbers(0, 700));
    assertThat(read(numbers.filter(x -> x.less(0)), local())).isEmpty();
    List<Long> values = new ArrayList<>();
    Dataset failing =
        Dataset.range(5).map(x -> x.cast(DataType.INT32)).map(x -> x.mul(0).add(12).floorDiv(x));
    try (ElementIterator elements = distributed(failing, local()).iterator()) {
      assertRefused(StatusCode.INVALID_ARGUMENT, "division by zero", elements::next);
      take(elements, Long.MAX_VALUE, values);
    }
    assertThat(values).containsExactly(12L, 6L, 4L, 3L);
  }

  @Test
  void rows_areTakenByReference() {
    var _ = startWorker();
    DistributeOptions epochs =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withTransfer(Transfer.LOCAL);
    Dataset pages = Dataset.range(1 << 16).batch(1 << 16).cache().repeat(2);

    try (ElementIterator elements = distributed(pages, epochs).iterator()) {
      Object first = TensorMemory.array(elements.next().tensor());
      assertThat(TensorMemory.array(elements.next().tensor())).isSameAs(first);
    }
  }

  @Test
  void unsharded_onlyTheOwnWorkersCopyIsRead() {
    var _ = startWorker();
    hide(startWorker());
    DistributeOptions epochs =
        DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withTargetWorkers(TargetWorkers.LOCAL);

    assertThat(read(Dataset.range(N), epochs)).containsExactlyElementsOf(numbers(0, N));
  }

  @Test
  void workerOfAnotherProcess_thatIsColocatedWithAnotherTrainer_isLeftToThat() {
    var _ = startWorker("colocated");
    hide(startWorker("COLOCATED"));
    DistributeOptions epochs = DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS);

    assertThat(read(Dataset.range(N), epochs)).containsExactlyElementsOf(numbers(0, N));
    assertThat(read(Dataset.range(N), epochs.withTargetWorkers(TargetWorkers.ANY)))
        .hasSize(2 * (int) N);
  }

  @Test
  void exactlyOnce_workersThatStopAndStart_loseAndRepeatNothing() {
    var _ = startWorker();
    List<Long> values = new ArrayList<>();
    Dataset numbers = Dataset.range(N).filter(x -> x.less(N - 100));
    DistributeOptions once = local().withGuarantee(Guarantee.EXACTLY_ONCE);

    try (ElementIterator elements = distributed(numbers, once).iterator()) {
      for (int i = 0; i < 3; i++) {
        take(elements, 300, values);
        WorkerServer next = startWorker();
        workers.removeFirst().close();
        assertThat(next.deletedTasks()).isZero();
      }
      take(elements, Long.MAX_VALUE, values);
    }

    assertThat(values).containsExactlyInAnyOrderElementsOf(numbers(0, N - 100));
  }

  @Test
  void reader_resumesFromItsCheckpoint() {
    var _ = startWorker();
    List<Long> values = new ArrayList<>();
    Checkpoint checkpoint;
    try (ElementIterator elements = distributed(Dataset.range(N), local()).iterator()) {
      take(elements, 500, values);
      checkpoint = elements.checkpoint();
    }

    values.addAll(read(Dataset.range(N), local().resumedFrom(checkpoint)));

    assertThat(values).containsExactlyInAnyOrderElementsOf(numbers(0, N));
  }

  @Test
  void withoutAWorkerInTheProcess_isRefused() {
    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        "Local reads require local tf.data workers, but no local worker is found",
        () -> read(Dataset.range(N), local()));
    hide(startWorker());
    assertRefused(
        StatusCode.NOT_FOUND,
        "is not in this process, so it can't be read by the protocol 'local'",
        () ->
            read(
                Dataset.range(N),
                DistributeOptions.of(ProcessingMode.DYNAMIC).withTransfer(Transfer.LOCAL)));
  }

  @Test
  void consumersInStep_andReadersOfOneJobThatDiffer_areRefused() {
    var _ = startWorker();
    assertRefused(
        StatusCode.INVALID_ARGUMENT,
        "Coordinated reads require non-local workers, but `target_workers` is \"LOCAL\".",
        () -> read(Dataset.range(N), local().withJobName("steps").withConsumers(0, 2)));

    try (ElementIterator elements =
        distributed(Dataset.range(N), local().withJobName("shared")).iterator()) {
      assertThat(elements.next().tensor().integer(0)).isZero();
      assertRefused(
          StatusCode.INVALID_ARGUMENT,
          "Existing target workers: <LOCAL>; got <ANY>",
          () ->
              read(
                  Dataset.range(N),
                  local().withJobName("shared").withTargetWorkers(TargetWorkers.ANY)));
    }
  }

  /** Reads, in the process of the first of two workers of a fixed list, what is read there. */
  private static List<Long> readStatically(DeploymentMode deployment, TargetWorkers target) {
    try (DispatchServer fixed =
            DispatchServer.start(
                DispatcherConfig.builder()
                    .workerAddresses(List.of("localhost", "localhost"))
                    .deploymentMode(deployment)
                    .build());
        WorkerServer own = WorkerServer.start(WorkerConfig.forDispatcher(fixed.address()));
        WorkerServer other = WorkerServer.start(WorkerConfig.forDispatcher(fixed.address()))) {
      hide(other);
      assertThat(LocalWorkers.find(own.address())).isPresent();
      List<Long> values = new ArrayList<>();
      DistributeOptions options =
          DistributeOptions.of(ProcessingMode.DATA).withTargetWorkers(target);
      try (ElementIterator elements =
          Dataset.range(100).apply(DataService.distribute(options, fixed.target())).iterator()) {
        take(elements, Long.MAX_VALUE, values);
      }
      return values;
    }
  }

  @Test
  void shares_whereTrainersAndWorkersAreColocated_areReadByTheTrainerBesideThem() {
    List<Long> share = readStatically(DeploymentMode.DEPLOYMENT_MODE_COLOCATED, TargetWorkers.AUTO);

    assertThat(share)
        .containsExactlyElementsOf(
            LongStream.iterate(0, x -> x < 100, x -> x + 2).boxed().toList());
    assertThat(readStatically(DeploymentMode.DEPLOYMENT_MODE_COLOCATED, TargetWorkers.ANY))
        .hasSize(100);
  }

  @ParameterizedTest
  @EnumSource(
      value = DeploymentMode.class,
      names = {"DEPLOYMENT_MODE_REMOTE", "DEPLOYMENT_MODE_HYBRID", "DEPLOYMENT_MODE_UNSPECIFIED"})
  void shares_ofOtherDeployments_areReadByAll(DeploymentMode deployment) {
    assertThat(readStatically(deployment, TargetWorkers.AUTO)).hasSize(100);
  }
}
