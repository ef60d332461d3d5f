package io.headrace.worker;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.ListenableFuture;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.headrace.dataset.execute.pass.CacheBudget;
import io.headrace.kernels.variant.CompressedElements;
import io.headrace.kernels.variant.CompressedVariant;
import io.headrace.proto.data.CompressedElement;
import io.headrace.proto.data.GetElementRequest;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.data.WorkerServiceGrpc;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.rpc.EpochFence;
import io.headrace.rpc.GrpcStatuses;
import io.headrace.rpc.HeartbeatTimer;
import io.headrace.rpc.PeerConnection;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.StreamOptions;
import io.headrace.rpc.StreamReader;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import io.headrace.runtime.time.SystemTicker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both transfers of one worker's tasks, on the in-process transport. */
@Timeout(60)
final class ElementTransferTest {
  private static final long TASK = 4000;
  private static final long CACHE_BYTES = 1 << 20;

  private final BlockingQueue<Long> completed = new LinkedBlockingQueue<>();
  private final BlockingQueue<UnreportedDeliveries> delivered = new LinkedBlockingQueue<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<Long, TaskEnvironment.Loader> loaders = new ConcurrentHashMap<>();
  private final HeartbeatTimer metronome = HeartbeatTimer.stopped();
  private final ScriptedDataset dataset = new ScriptedDataset();
  private final StageTimer stageTimer = new StageTimer(SystemTicker.INSTANCE);
  private final TaskEnvironment environment =
      new TaskEnvironment(
          WorkerHost.ofProcess(),
          (task, step) -> loader(task.getTaskId()).load(task, step),
          threads,
          threads,
          (task, complete) -> {
            assertThat(complete).isTrue();
            completed.add(task);
          },
          _ -> new UnreportedDeliveries(delivered::add),
          _ -> {},
          stageTimer,
          new CacheRoom(CACHE_BYTES, new CacheBudget(2 * CACHE_BYTES)));
  private final TaskTable tasks = new TaskTable(def -> new RunningTask(def, environment));
  private final WorkerServices services = new WorkerServices(tasks, Map::of, 1, () -> {});
  private Server server;
  private String serverName = "";
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    String name = InProcessServerBuilder.generateName();
    InProcessServerBuilder builder = InProcessServerBuilder.forName(name).directExecutor();
    builder.addTransportFilter(PeerConnection.filter());
    services
        .definitions(metronome, new EpochFence(), true)
        .forEach(service -> builder.addService(GrpcStatuses.translating(service)));
    server = builder.build().start();
    serverName = name;
    channel = connect();
    services.becomeRegistered();
    add(TASK, dataset, false);
  }

  private ManagedChannel connect() {
    return InProcessChannelBuilder.forName(serverName).directExecutor().build();
  }

  @AfterEach
  void stop() {
    tasks.close(new StatusException(StatusCode.CANCELLED, "over"));
    channel.shutdownNow();
    server.shutdownNow();
    metronome.close();
    stageTimer.close();
    threads.shutdownNow();
  }

  @Test
  void getElement_givesOneRowAfterTheOther_thenTheEnd() throws InterruptedException {
    dataset.rows(0, 3).end();
    assertThat(List.of(value(get()), value(get()), value(get()))).containsExactly(0L, 1L, 2L);
    assertThat(completed).isEmpty();
    assertThat(get().getEndOfSequence()).isTrue();
    assertThat(get().getEndOfSequence()).isTrue();
    assertThat(completed.poll(30, SECONDS)).isEqualTo(TASK);
    assertThat(completed).isEmpty();
  }

  @Test
  void getElement_thatMayBeSkipped_isSkippedWhileNothingIsReady() {
    dataset.rows(0, 1);
    assertThat(value(get())).isZero();
    assertThat(get(true).getSkipTask()).isTrue();
    dataset.rows(1, 2);
    assertThat(value(get())).isEqualTo(1);
  }

  @Test
  void getElement_thatMayNotBeSkipped_waits()
      throws ExecutionException, InterruptedException, TimeoutException {
    ListenableFuture<GetElementResponse> waiting =
        WorkerServiceGrpc.newFutureStub(channel).getElement(request(TASK, false));
    assertThat(waiting.isDone()).isFalse();
    dataset.rows(7, 8);
    assertThat(value(waiting.get(30, SECONDS))).isEqualTo(7);
  }

  @Test
  void requestThatWasCancelled_takesNoRow() {
    ListenableFuture<GetElementResponse> waiting =
        WorkerServiceGrpc.newFutureStub(channel).getElement(request(TASK, false));
    waiting.cancel(true);
    dataset.rows(7, 8);
    assertThat(value(get())).isEqualTo(7);
  }

  @Test
  void errorOfARow_isGivenToOneCaller_andRowsFollow() {
    dataset
        .rows(0, 1)
        .put(new StatusException(StatusCode.DATA_LOSS, "a.tfrecord is torn at 12"))
        .rows(2, 3);
    assertThat(value(get())).isZero();
    assertStatus(StatusCode.DATA_LOSS, "a.tfrecord is torn at 12", this::get);
    assertThat(value(get())).isEqualTo(2);
  }

  @Test
  void bug_isInternal_andItsMessageStaysAtHome() {
    dataset.put(new IllegalStateException("secret")).rows(1, 2);
    assertStatus(StatusCode.INTERNAL, "internal error", this::get);
    assertThat(value(get())).isEqualTo(1);
  }

  @Test
  void unknownTask_isUnavailable() {
    assertStatus(StatusCode.UNAVAILABLE, "Task 7 not found", () -> get(7, false));
    assertThatThrownBy(() -> open(7).next()).hasMessageContaining("Task 7 not found");
  }

  @Test
  void datasetThatCannotBeRead_isAnsweredSo_andTriedAgain() {
    List<String> tries = new ArrayList<>();
    loaders.put(
        5L,
        (_, _) -> {
          tries.add("a try");
          throw StatusException.unimplemented("op Frobnicate (node f) is not supported");
        });
    tasks.add(definition(5));
    assertStatus(StatusCode.UNIMPLEMENTED, "Frobnicate", () -> get(5, true));
    assertStatus(StatusCode.UNIMPLEMENTED, "Frobnicate", () -> get(5, false));
    assertThatThrownBy(() -> open(5).next()).hasMessageContaining("Frobnicate");
    assertThat(tries).hasSize(3);
  }

  @Test
  void deletedTask_isAtItsEnd_andStopsProducing() throws InterruptedException {
    ListenableFuture<GetElementResponse> waiting =
        WorkerServiceGrpc.newFutureStub(channel).getElement(request(TASK, false));
    StreamReader reader = open(TASK);
    dataset.rows(0, 1);
    tasks.delete(List.of(TASK));
    assertThat(dataset.closed.await(30, SECONDS)).isTrue();
    assertThat(get().getEndOfSequence()).isTrue();
    assertThat(open(TASK).next()).isEqualTo(new StreamItem.End());
    assertThatThrownBy(
            () -> {
              while (true) {
                reader.next();
              }
            })
        .isInstanceOf(StatusException.class);
    waiting.cancel(true);
  }

  @Test
  void idOfADeletedTask_mayComeAgainWithAnother() {
    tasks.delete(List.of(TASK));
    ScriptedDataset other = new ScriptedDataset().rows(40, 41);
    add(TASK, other, false);
    assertThat(value(get())).isEqualTo(40);
  }

  @Test
  void closedTable_saysThatTheWorkerStops() {
    tasks.close(new StatusException(StatusCode.CANCELLED, "Worker is shutting down"));
    assertStatus(StatusCode.CANCELLED, "Worker is shutting down", this::get);
  }

  @Test
  void workerThatIsNotRegistered_isUnavailable() {
    WorkerServices early = new WorkerServices(tasks, Map::of, 1, () -> {});
    assertThatThrownBy(() -> early.open(TaskOpening.of(TASK), () -> {}))
        .hasMessage("Worker has not yet registered with dispatcher.");
  }

  @Test
  void elements_ofEveryForm_areWhatTensorFlowWrites() {
    Tensor image = Tensor.vector(1f, 2f, 3f);
    Tensor name = Tensor.vector("a", "bc");
    dataset.put(Chunk.ofElement(List.of(image, name, Tensor.scalar(true))));
    assertThat(get().getUncompressed().getComponentsList())
        .containsExactly(
            TensorProtos.write(image),
            TensorProtos.write(name),
            TensorProtos.write(Tensor.scalar(true)));
  }

  @Test
  void emptyTensor_hasNoContent() {
    dataset.put(Chunk.ofElement(List.of(Tensor.vector(new long[0]), Tensor.vector(new String[0]))));
    assertThat(get().getUncompressed().getComponentsList())
        .containsExactly(
            TensorProtos.write(Tensor.vector(new long[0])),
            TensorProtos.write(Tensor.vector(new String[0])));
  }

  @Test
  void elementWithoutComponents_hasNone() {
    dataset.put(Chunk.of(1, List.of()));
    assertThat(get().getElementCase()).isEqualTo(GetElementResponse.ElementCase.ELEMENT_NOT_SET);
  }

  @Test
  void compressedTask_compressesSingleRows_andNotFrames() {
    ScriptedDataset plain = new ScriptedDataset().rows(0, 1).rows(1, 2);
    add(6, plain, true);
    GetElementResponse response = get(6, false);
    assertThat(CompressedElements.uncompress(response.getCompressed()).getFirst().integer(0))
        .isZero();
    assertThat(values(open(6).next())).containsExactly(1L);
  }

  @Test
  void largeRows_ofACompressedTask_keepTheirOrder() {
    ScriptedDataset large = new ScriptedDataset();
    for (long i = 0; i < 5; i++) {
      long[] values = new long[10_000];
      values[0] = i;
      large.put(Chunk.ofElement(List.of(Tensor.vector(values))));
    }
    large.end();
    add(6, large, true);
    for (long i = 0; i < 5; i++) {
      Tensor row = CompressedElements.uncompress(get(6, false).getCompressed()).getFirst();
      assertThat(row.elements()).isEqualTo(10_000);
      assertThat(row.integer(0)).isEqualTo(i);
    }
    assertThat(get(6, false).getEndOfSequence()).isTrue();
  }

  @Test
  void elementThatIsACompressedVariant_isSentAsSuch() {
    CompressedElement element = CompressedElements.compress(List.of(Tensor.scalar(3L)));
    dataset.put(Chunk.ofElement(List.of(Tensor.variant(new CompressedVariant(element)))));
    assertThat(get().getCompressed()).isEqualTo(element);
  }

  @Test
  void elementThatIsAnotherVariant_isRefused() {
    dataset.put(Chunk.ofElement(List.of(Tensor.variant(new Object()))));
    assertStatus(
        StatusCode.FAILED_PRECONDITION,
        "Expected dataset to produce a CompressedElement variant tensor, but it produced Object",
        this::get);
  }

  @Test
  void streamOfResources_isRefused() {
    dataset.put(
        Chunk.of(
            1, List.of(new Column.Listed(DataType.RESOURCE, List.of(Tensor.resource("table"))))));
    assertThatThrownBy(() -> open(TASK).next())
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNIMPLEMENTED));
  }

  @Test
  void stream_givesRowsWithTheirPositions_andTheEnd() throws InterruptedException {
    dataset.rows(10, 13).put(new StatusException(StatusCode.DATA_LOSS, "torn")).rows(14, 15).end();
    StreamReader reader = open(TASK);
    List<Long> values = new ArrayList<>();
    long position = 0;
    for (StreamItem item = reader.next(); item.rows() > 0; item = reader.next()) {
      assertThat(item.position()).isEqualTo(position);
      position += item.rows();
      if (item instanceof StreamItem.Rows) {
        values.addAll(values(item));
      }
      reader.consumed(item.rows());
    }
    assertThat(values).containsExactly(10L, 11L, 12L, 14L);
    assertThat(completed.poll(30, SECONDS)).isEqualTo(TASK);
  }

  @Test
  void rowsOfAStreamThatBreaks_goToWhoeverAsksNext() {
    dataset.rows(0, 4).end();
    StreamReader reader = open(TASK);
    assertThat(values(reader.next())).containsExactly(0L, 1L, 2L, 3L);
    reader.consumed(1);
    reader.close();
    assertThat(value(get())).isEqualTo(1);
    assertThat(values(open(TASK).next())).containsExactly(2L, 3L);
    assertThat(completed).isEmpty();
  }

  @Test
  void singleRequestsAndStreams_shareATask_eachRowGoesToOne() {
    List<Long> seen = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      dataset.rows(i, i + 1);
    }
    dataset.end();
    StreamReader reader = open(TASK);
    boolean ended = false;
    while (!ended) {
      GetElementResponse response = get(true);
      if (response.hasUncompressed()) {
        seen.add(value(response));
      }
      @Nullable StreamItem item = reader.poll();
      if (item instanceof StreamItem.Rows) {
        seen.addAll(values(item));
        reader.consumed(item.rows());
      }
      ended = item instanceof StreamItem.End && response.getEndOfSequence();
    }
    assertThat(seen).hasSize(50).doesNotHaveDuplicates();
  }

  @Test
  void atLeastOnce_rowThatWasAnswered_comesBackWhenItsConnectionEnds() {
    ScriptedDataset rows = new ScriptedDataset();
    add(TASK + 1, rows, false, Guarantee.AT_LEAST_ONCE);
    rows.rows(0, 3).end();
    ManagedChannel other = connect();
    assertThat(value(get(other, TASK + 1, false))).isZero();
    assertThat(value(get(other, TASK + 1, false))).isEqualTo(1);

    other.shutdownNow();

    // The second request confirmed the first row; nothing confirms the second. The third may be
    // requested before the worker hears of the connection's end.
    assertThat(
            Stream.of(get(TASK + 1, false), get(TASK + 1, false)).map(ElementTransferTest::value))
        .containsExactlyInAnyOrder(1L, 2L);
    assertThat(completed).isEmpty();
    assertThat(get(TASK + 1, false).getEndOfSequence()).isTrue();
    assertThat(completed).containsExactly(TASK + 1);
  }

  @Test
  void atLeastOnce_end_waitsUntilItIsKnownThatOthersHaveTheirRows()
      throws ExecutionException, InterruptedException, TimeoutException {
    ScriptedDataset rows = new ScriptedDataset();
    add(TASK + 1, rows, false, Guarantee.AT_LEAST_ONCE);
    rows.rows(0, 1).end();
    ManagedChannel other = connect();
    assertThat(value(get(other, TASK + 1, false))).isZero();

    ListenableFuture<GetElementResponse> end =
        WorkerServiceGrpc.newFutureStub(channel).getElement(request(TASK + 1, false));
    assertThat(end.isDone()).isFalse();
    assertThat(completed).isEmpty();

    assertThat(get(other, TASK + 1, false).getEndOfSequence()).isTrue();
    assertThat(end.get(30, SECONDS).getEndOfSequence()).isTrue();
    assertThat(completed).containsExactly(TASK + 1);
    other.shutdownNow();
  }

  @Test
  void atLeastOnce_notesWhatWasFetched_byBothTransfers() {
    ScriptedDataset rows = new ScriptedDataset();
    add(TASK + 1, rows, false, Guarantee.AT_LEAST_ONCE);
    rows.numbered(0, 6).end();
    assertThat(value(get(TASK + 1, false))).isZero();
    assertThat(delivered).isEmpty();
    assertThat(value(get(TASK + 1, false))).isEqualTo(1);
    assertThat(FakeDispatcher.next(delivered).take().records(0, Origins.SPLITS).ranges())
        .containsExactly(0, 1);

    // Its first row does not confirm the row that was sent to the other reader.
    StreamReader reader = open(TASK + 1);
    assertThat(values(reader.next())).containsExactly(2L, 3L, 4L, 5L);
    assertThat(delivered).isEmpty();
    reader.consumed(3);
    assertThat(reader.poll()).isNull();
    assertThat(FakeDispatcher.next(delivered).take().records(0, Origins.SPLITS).ranges())
        .containsExactly(2, 5);
  }

  /**
   * The opening of a reader that has the rows before {@code first}, the last of which include
   * errors.
   */
  private static TaskOpening openingAt(long first, long withoutError) {
    return new TaskOpening(TASK, 0, 0, LongSet.EMPTY, first, withoutError, "");
  }

  @Test
  void rowsThatWereTakenBefore_areNotSent_andThoseWithoutErrorNotMade() {
    dataset
        .put(new IllegalStateException("row 1000, as when it was taken"))
        .rows(1001, 1003)
        .rows(1003, 1005)
        .end();

    StreamReader reader = open(openingAt(1003, 1000));

    StreamItem item = reader.next();
    assertThat(values(item)).containsExactly(1003L, 1004L);
    assertThat(item.position()).isEqualTo(1003);
    reader.consumed(2);
    assertThat(reader.next()).isInstanceOf(StreamItem.End.class);
    assertThat(dataset.passedOver).hasValue(1000);
    RunningTask task = tasks.find(TASK);
    assertThat(task).isNotNull();
    assertThat(task.rows().handedOutRows()).isEqualTo(2);
  }

  @Test
  void readerThatHasRows_ofATaskThatBegan_getsThemAgain() {
    dataset.rows(0, 2);
    assertThat(value(get())).isZero();

    StreamReader reader = open(openingAt(2, 2));

    assertThat(values(reader.next())).containsExactly(1L);
    assertThat(dataset.passedOver).hasValue(0);
  }

  @Test
  void rowThatIsAnErrorNow_isTheReadersError_andTheNextReaderHasItTriedAgain() {
    // Every attempt fails: one that does so before its reader waits for a row is made again.
    dataset.passOverFailure.set(
        new StatusException(StatusCode.DATA_LOSS, "a.tfrecord is torn at 12"));
    dataset.rows(7, 8);

    assertThatThrownBy(() -> open(openingAt(7, 7)).next())
        .isInstanceOf(StatusException.class)
        .hasMessageContaining(
            "Failed to pass over 7 rows that were taken before: a.tfrecord is torn at 12");
    dataset.passOverFailure.set(null);
    assertThat(values(open(openingAt(7, 7)).next())).containsExactly(7L);
  }

  @Test
  void taskThatSharesSplits_canNotBeginAtAPosition() {
    tasks.add(
        definition(9).toBuilder()
            .setProcessingModeDef(
                ProcessingModeDef.newBuilder().setShardingPolicy(ShardingPolicy.DYNAMIC))
            .build());
    TaskOpening opening = new TaskOpening(9, 0, 0, LongSet.EMPTY, 1, 0, "");

    assertThatThrownBy(() -> open(opening).next())
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("task 9 can't begin at position 1");
  }

  @Test
  void cachedTask_givesEachTrainerEveryRow_byRequestsAndStreams() throws InterruptedException {
    ScriptedDataset rows = addCached(TASK + 1).rows(0, 3);

    assertThat(value(getCached("a"))).isZero();
    assertThat(value(getCached("a"))).isEqualTo(1);
    assertThat(value(getCached("b"))).isZero();
    assertThat(values(open(cached("stream")).next())).containsExactly(0L, 1L, 2L);
    assertThat(value(getCached("a"))).isEqualTo(2);
    rows.rows(3, 4);
    assertThat(value(getCached("a"))).isEqualTo(3);
    assertThat(completed.poll()).isNull();
  }

  @Test
  void cachedTask_atTheEnd_isAnErrorForItsTrainers_andIsNotFinished() throws InterruptedException {
    addCached(TASK + 1).rows(0, 1).end();
    assertThat(value(getCached("a"))).isZero();

    assertThatThrownBy(() -> getCached("a"))
        .isInstanceOf(StatusRuntimeException.class)
        .hasMessageContaining("However, it reached the end of sequence.");
    StreamReader reader = open(cached("b"));
    assertThat(values(reader.next())).containsExactly(0L);
    reader.consumed(1);
    assertThatThrownBy(reader::next)
        .isInstanceOf(StatusException.class)
        .hasMessageContaining("However, it reached the end of sequence.");
    assertThat(completed.poll()).isNull();
  }

  @Test
  void cachedTask_requestThatWaitsAndIsCancelled_takesNoRow()
      throws ExecutionException, InterruptedException, TimeoutException {
    ScriptedDataset rows = addCached(TASK + 1).rows(0, 1);
    assertThat(value(getCached("a"))).isZero();
    ListenableFuture<GetElementResponse> cancelled = askCached("a");
    ListenableFuture<GetElementResponse> other = askCached("b");
    assertThat(value(other.get(30, SECONDS))).isZero();
    cancelled.cancel(true);

    rows.rows(1, 2);

    assertThat(value(getCached("a"))).isEqualTo(1);
  }

  @Test
  void cachedTask_thatIsDeleted_failsWaitingTrainers() {
    addCached(TASK + 1);
    ListenableFuture<GetElementResponse> waiting = askCached("a");

    tasks.delete(List.of(TASK + 1));

    assertThatThrownBy(() -> waiting.get(30, SECONDS)).hasMessageContaining("was deleted");
    assertThat(getCached("a").getEndOfSequence()).isTrue();
  }

  @Test
  void cachedTask_withoutATrainerId_isAnError() {
    addCached(TASK + 1).rows(0, 1);

    assertThatThrownBy(() -> getCached(""))
        .hasMessageContaining("cross-trainer cache requires a non-empty trainer ID.");
    assertThatThrownBy(() -> open(TASK + 1).next())
        .hasMessageContaining("cross-trainer cache requires a non-empty trainer ID.");
  }

  private ScriptedDataset addCached(long id) {
    ScriptedDataset rows = new ScriptedDataset();
    loaders.put(id, (_, _) -> new TaskDataset(rows, false, List.of(), Guarantee.AT_MOST_ONCE));
    tasks.add(definition(id).toBuilder().setUseCrossTrainerCache(true).build());
    return rows;
  }

  private static TaskOpening cached(String trainer) {
    return new TaskOpening(TASK + 1, 0, 0, LongSet.EMPTY, 0, 0, trainer);
  }

  private ListenableFuture<GetElementResponse> askCached(String trainer) {
    return WorkerServiceGrpc.newFutureStub(channel).getElement(requestOf(trainer));
  }

  private GetElementResponse getCached(String trainer) {
    return WorkerServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(30, SECONDS)
        .getElement(requestOf(trainer));
  }

  /** A trainer's request, as stock clients send it. */
  private static GetElementRequest requestOf(String trainer) {
    return request(TASK + 1, true).toBuilder().setTrainerId(trainer).build();
  }

  private void add(long id, ScriptedDataset rows, boolean compressed) {
    add(id, rows, compressed, Guarantee.AT_MOST_ONCE);
  }

  private void add(long id, ScriptedDataset rows, boolean compressed, Guarantee guarantee) {
    loaders.put(id, (_, _) -> new TaskDataset(rows, compressed, List.of(), guarantee));
    tasks.add(definition(id));
  }

  private TaskEnvironment.Loader loader(long id) {
    TaskEnvironment.@Nullable Loader found = loaders.get(id);
    assertThat(found).isNotNull();
    return found;
  }

  private static TaskDef definition(long id) {
    return TaskDef.newBuilder().setTaskId(id).build();
  }

  private StreamReader open(long task) {
    return open(TaskOpening.of(task));
  }

  private StreamReader open(TaskOpening opening) {
    return StreamReader.open(
        channel, opening, StreamOptions.DEFAULT, new FakeTicker(), metronome, () -> {});
  }

  private GetElementResponse get() {
    return get(false);
  }

  private GetElementResponse get(boolean allowSkip) {
    return get(TASK, allowSkip);
  }

  private GetElementResponse get(long task, boolean allowSkip) {
    return get(channel, task, allowSkip);
  }

  private static GetElementResponse get(ManagedChannel by, long task, boolean allowSkip) {
    return WorkerServiceGrpc.newBlockingStub(by)
        .withDeadlineAfter(30, SECONDS)
        .getElement(request(task, allowSkip));
  }

  private static GetElementRequest request(long task, boolean allowSkip) {
    return GetElementRequest.newBuilder().setTaskId(task).setAllowSkip(allowSkip).build();
  }

  private static long value(GetElementResponse response) {
    return TensorProtos.read(response.getUncompressed().getComponents(0)).integer(0);
  }

  private static List<Long> values(StreamItem item) {
    List<Long> values = new ArrayList<>();
    Chunk chunk = ((StreamItem.Rows) item).chunk();
    for (int i = 0; i < chunk.rows(); i++) {
      values.add(chunk.row(i).getFirst().integer(0));
    }
    return values;
  }

  private static void assertStatus(StatusCode code, String message, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              StatusException status = GrpcStatuses.fromGrpc(e);
              assertThat(status.code()).isEqualTo(code);
              assertThat(status.message()).contains(message);
            });
  }
}
