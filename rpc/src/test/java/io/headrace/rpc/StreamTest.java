package io.headrace.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.headrace.proto.headrace.OpenTask;
import io.headrace.proto.headrace.ReadTaskRequest;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of a stream, with both ends on the in-process transport, on one thread. */
final class StreamTest {
  private static final StreamOptions SMALL = new StreamOptions(1_000, Duration.ofSeconds(10));

  private final AtomicLong nanos = new AtomicLong();
  private final HeartbeatTimer serverBeats = HeartbeatTimer.stopped();
  private final HeartbeatTimer clientBeats = HeartbeatTimer.stopped();
  private final Tasks tasks = new Tasks();
  private final AtomicInteger arrivals = new AtomicInteger();
  private Server server;
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    String name = InProcessServerBuilder.generateName();
    server =
        InProcessServerBuilder.forName(name)
            .directExecutor()
            .addService(ElementStreams.service(tasks, serverBeats))
            .build()
            .start();
    channel = InProcessChannelBuilder.forName(name).directExecutor().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
    serverBeats.close();
    clientBeats.close();
  }

  @Test
  void items_arriveInOrder_andTheEndStays() {
    tasks.ready.add(rows(0, 3));
    tasks.ready.add(
        new StreamItem.RowFailure(3, new StatusException(StatusCode.DATA_LOSS, "torn")));
    tasks.ready.add(rows(4, 1));
    tasks.ready.add(new StreamItem.End());
    StreamReader reader = open(StreamOptions.DEFAULT);

    assertThat(values(reader.next())).containsExactly(0L, 1L, 2L);
    assertThat(reader.incarnation()).isEqualTo(42);
    assertThat(reader.next())
        .isInstanceOfSatisfying(
            StreamItem.RowFailure.class, failed -> assertThat(failed.failure()).hasMessage("torn"));
    assertThat(values(reader.next())).containsExactly(4L);
    assertThat(reader.next()).isEqualTo(new StreamItem.End());
    assertThat(reader.next()).isEqualTo(new StreamItem.End());
  }

  @Test
  void lastRowsConsumed_endsTheCallInOrder() {
    tasks.ready.add(rows(0, 3));
    tasks.ready.add(new StreamItem.End());
    StreamReader reader = open(StreamOptions.DEFAULT);
    reader.next();
    assertThat(tasks.acknowledged).isZero();
    reader.consumed(3);

    assertThat(tasks.acknowledged).isEqualTo(3);
    assertThat(tasks.returned).isEmpty();
    assertThat(tasks.closed).isEqualTo(1);
    assertThat(reader.next()).isEqualTo(new StreamItem.End());
  }

  @Test
  void endThatComesBehindTheLastConsumedRows_endsTheCallInOrder() {
    tasks.ready.add(rows(0, 3));
    StreamReader reader = open(StreamOptions.DEFAULT);
    reader.next();
    reader.consumed(3);
    tasks.ready.add(new StreamItem.End());
    tasks.wake();

    assertThat(reader.next()).isEqualTo(new StreamItem.End());
    assertThat(tasks.acknowledged).isEqualTo(3);
    assertThat(tasks.returned).isEmpty();
    assertThat(tasks.closed).isEqualTo(1);
  }

  @Test
  void unknownTask_breaksWithItsStatus() {
    tasks.refusal = new StatusException(StatusCode.UNAVAILABLE, "Task 7 not found");
    StreamReader reader = open(StreamOptions.DEFAULT);
    assertThatThrownBy(reader::next)
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageContaining("Task 7 not found");
  }

  @Test
  void failureOfTheTask_breaksWithItsStatus() {
    StreamReader reader = open(StreamOptions.DEFAULT);
    tasks.failure = StatusException.unimplemented("op Frobnicate of node f");
    tasks.wake();
    assertThatThrownBy(reader::next).hasMessageContaining("Frobnicate");
  }

  @Test
  void rowsThatComeLater_wakeTheReader() {
    StreamReader reader = open(StreamOptions.DEFAULT);
    assertThat(reader.poll()).isNull();
    tasks.ready.add(rows(0, 1));
    tasks.wake();
    assertThat(arrivals).hasValue(1);
    assertThat(values(reader.next())).containsExactly(0L);
  }

  @Test
  void creditSpent_stopsTheWorker_untilHalfIsConsumed() {
    for (int i = 0; i < 20; i++) {
      tasks.ready.add(rows(i * 25L, 25)); // about 230 bytes each
    }
    StreamReader reader = open(SMALL);
    int sent = 20 - tasks.ready.size();
    assertThat(sent).isEqualTo(5); // the fifth passes the credit
    reader.next();
    reader.consumed(25);
    assertThat(tasks.ready).hasSize(15);
    reader.next();
    reader.consumed(25);
    reader.next();
    reader.consumed(25);
    assertThat(tasks.ready).hasSizeLessThan(15);
    assertThat(tasks.acknowledged).isEqualTo(75);
  }

  @Test
  void frameLargerThanTheWindow_passes() {
    tasks.ready.add(rows(0, 100_000));
    tasks.ready.add(rows(100_000, 1));
    StreamReader reader = open(SMALL);
    assertThat(reader.next().rows()).isEqualTo(100_000);
    assertThat(reader.poll()).isNull();
    reader.consumed(100_000);
    assertThat(reader.next().rows()).isEqualTo(1);
  }

  @Test
  void frameLargerThanAllCredit_passes() {
    int rows = (int) (StreamWriter.MAX_CREDIT_BYTES / Long.BYTES) + 1_000_000;
    tasks.ready.add(rows(0, rows));
    tasks.ready.add(rows(rows, 1));
    StreamReader reader = open(StreamOptions.DEFAULT);
    assertThat(reader.next().rows()).isEqualTo(rows);
    reader.consumed(rows);
    assertThat(values(reader.next())).containsExactly((long) rows);
  }

  @Test
  void readerThatRunsDry_acknowledges() {
    tasks.ready.add(rows(0, 5));
    StreamReader reader = open(StreamOptions.DEFAULT);
    reader.next();
    reader.consumed(2);
    assertThat(reader.poll()).isNull();
    assertThat(tasks.acknowledged).isEqualTo(2);
  }

  @Test
  void rowsNotConsumed_goBackWhenTheReaderLeaves() {
    tasks.ready.add(rows(0, 5));
    tasks.ready.add(rows(5, 5));
    StreamReader reader = open(StreamOptions.DEFAULT);
    reader.next();
    reader.consumed(2);
    reader.close();

    assertThat(tasks.acknowledged).isEqualTo(2);
    assertThat(tasks.returned).hasSize(2);
    assertThat(values(tasks.returned.get(0))).containsExactly(2L, 3L, 4L);
    assertThat(tasks.returned.get(0).position()).isEqualTo(2);
    assertThat(values(tasks.returned.get(1))).containsExactly(5L, 6L, 7L, 8L, 9L);
  }

  @Test
  void rowsNotAcknowledged_goBackWhenTheConnectionBreaks() {
    tasks.ready.add(rows(0, 5));
    StreamReader reader = open(StreamOptions.DEFAULT);
    reader.next();
    reader.consumed(2);
    channel.shutdownNow();

    assertThat(values(tasks.returned.getFirst())).containsExactly(0L, 1L, 2L, 3L, 4L);
    assertThatThrownBy(reader::poll).isInstanceOf(StatusException.class);
    assertThat(tasks.closed).isEqualTo(1);
  }

  @Test
  void rowsTakenBeforeTheBreak_mayBeConsumedAfterIt() {
    tasks.ready.add(rows(0, 4));
    StreamReader reader = open(StreamOptions.DEFAULT);
    reader.next();
    channel.shutdownNow();

    assertThatCode(() -> reader.consumed(4)).doesNotThrowAnyException();
    assertThatThrownBy(reader::poll).isInstanceOf(StatusException.class);
  }

  @Test
  void close_makesPollFail_andMayComeTwice() {
    StreamReader reader = open(StreamOptions.DEFAULT);
    reader.close();
    reader.close();
    assertThatThrownBy(reader::next)
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.CANCELLED));
    assertThat(tasks.closed).isEqualTo(1);
  }

  @Test
  void sharedTask_givesNoReaderMoreThanAChunkAhead() {
    tasks.shared = true;
    for (int i = 0; i < 4; i++) {
      tasks.ready.add(rows(i, 1));
    }
    StreamReader reader = open(StreamOptions.DEFAULT);
    assertThat(tasks.ready).hasSize(2);
    reader.next();
    assertThat(tasks.ready).hasSize(2);
    reader.consumed(1);
    assertThat(tasks.ready).hasSize(1);
    assertThat(tasks.acknowledged).isEqualTo(1);
  }

  @Test
  void heartbeats_keepTheStreamAtZeroCredit() {
    tasks.ready.add(rows(0, 1_000));
    tasks.ready.add(rows(1_000, 1));
    StreamReader reader = open(SMALL);
    for (int second = 0; second < 60; second++) {
      nanos.addAndGet(1_000_000_000L);
      serverBeats.beat();
      clientBeats.beat();
    }
    assertThat(reader.next().rows()).isEqualTo(1_000);
  }

  @Test
  void readerThatHoldsUpOthers_isAskedToClaimItsRows_untilItDoesNot() {
    StreamReader reader = open(StreamOptions.DEFAULT);
    tasks.holdsUpOthers = true;
    serverBeats.beat();
    assertThat(reader.claimIsAsked()).isTrue();
    tasks.holdsUpOthers = false;
    serverBeats.beat();
    assertThat(reader.claimIsAsked()).isFalse();
  }

  @Test
  void silentWorker_isNoticed() {
    StreamReader reader = open(StreamOptions.DEFAULT);
    nanos.addAndGet(Duration.ofSeconds(10).toNanos());
    clientBeats.beat();
    assertThat(reader.poll()).isNull();
    nanos.addAndGet(1);
    clientBeats.beat();
    assertThatThrownBy(reader::poll)
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE))
        .hasMessageContaining("no sign of life");
    assertThat(tasks.closed).isEqualTo(1);
  }

  @Test
  void streamThatOpensNothing_isEnded() {
    Raw raw = new Raw();
    for (int second = 0; second < 30; second++) {
      assertThat(raw.status).isNull();
      serverBeats.beat();
    }
    assertThat(raw.code()).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, StreamWriter.MAX_CREDIT_BYTES + 1})
  void sillyCredit_isRefused(long bytes) {
    Raw raw = new Raw();
    raw.send(opening().setCreditBytes(bytes));
    assertThat(raw.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void creditThatAddsUpToTooMuch_isRefused() {
    Raw raw = new Raw();
    raw.send(opening().setCreditBytes(StreamWriter.MAX_CREDIT_BYTES));
    assertThat(raw.status).isNull();
    raw.send(ReadTaskRequest.newBuilder().setCreditBytes(1));
    assertThat(raw.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 6, Long.MAX_VALUE})
  void sillyAcknowledgement_isRefused(long rows) {
    tasks.ready.add(rows(0, 5));
    Raw raw = new Raw();
    raw.send(opening().setCreditBytes(1_000));
    raw.send(ReadTaskRequest.newBuilder().setConsumedRows(rows));
    assertThat(raw.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(tasks.returned).hasSize(1);
  }

  @Test
  void acknowledgementThatGoesDown_isRefused() {
    tasks.ready.add(rows(0, 5));
    Raw raw = new Raw();
    raw.send(opening().setCreditBytes(1_000));
    raw.send(ReadTaskRequest.newBuilder().setConsumedRows(3));
    raw.send(ReadTaskRequest.newBuilder().setConsumedRows(2));
    assertThat(raw.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void messageWithoutOpen_isRefused() {
    Raw raw = new Raw();
    raw.send(ReadTaskRequest.newBuilder().setCreditBytes(1));
    assertThat(raw.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void secondOpen_isRefused() {
    Raw raw = new Raw();
    raw.send(opening());
    raw.send(opening());
    assertThat(raw.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void versionZero_isRefused() {
    Raw raw = new Raw();
    raw.send(ReadTaskRequest.newBuilder().setOpen(OpenTask.newBuilder().setTaskId(7)));
    assertThat(raw.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  @Test
  void rowsWithoutError_beyondTheFirstPosition_areRefused() {
    Raw raw = new Raw();
    raw.send(
        ReadTaskRequest.newBuilder()
            .setOpen(
                OpenTask.newBuilder()
                    .setTaskId(7)
                    .setVersion(1)
                    .setFirstPosition(2)
                    .setRowsWithoutError(3)));
    assertThat(raw.code()).isEqualTo(Status.Code.INVALID_ARGUMENT);
  }

  private StreamReader open(StreamOptions options) {
    return StreamReader.open(
        channel,
        new TaskOpening(7, 9, 0, LongSet.EMPTY, 0, 0, ""),
        options,
        nanos::get,
        clientBeats,
        arrivals::incrementAndGet);
  }

  private static ReadTaskRequest.Builder opening() {
    return ReadTaskRequest.newBuilder().setOpen(OpenTask.newBuilder().setTaskId(7).setVersion(1));
  }

  private static StreamItem rows(long position, int rows) {
    long[] values = new long[rows];
    for (int i = 0; i < rows; i++) {
      values[i] = position + i;
    }
    Column column = new Column.Stacked(Tensor.vector(values));
    return new StreamItem.Rows(Chunk.of(rows, List.of(column)).withPosition(position));
  }

  private static long[] values(StreamItem item) {
    Column column = ((StreamItem.Rows) item).chunk().column(0);
    return Column.stack(column).tensor().integers();
  }

  /** A task that the test feeds. */
  private static final class Tasks implements StreamTasks, StreamSource {
    final Deque<StreamItem> ready = new ArrayDeque<>();
    final List<StreamItem> returned = new ArrayList<>();
    @Nullable StatusException refusal;
    @Nullable StatusException failure;
    @Nullable Runnable waker;
    boolean shared;
    boolean holdsUpOthers;
    long acknowledged;
    int closed;

    @Override
    public long incarnation() {
      return 42;
    }

    void wake() {
      if (waker != null) {
        waker.run();
      }
    }

    @Override
    public StreamSource open(TaskOpening opening, Runnable wake) {
      if (refusal != null) {
        throw refusal;
      }
      assertThat(opening.taskId()).isEqualTo(7);
      assertThat(opening.reader()).isIn(0L, 9L);
      waker = wake;
      return this;
    }

    @Override
    public @Nullable StreamItem take() {
      if (failure != null) {
        throw failure;
      }
      return ready.poll();
    }

    @Override
    public boolean isShared() {
      return shared;
    }

    @Override
    public boolean holdsUpOthers() {
      return holdsUpOthers;
    }

    @Override
    public void acknowledge(long rows) {
      acknowledged += rows;
    }

    @Override
    public void close(List<StreamItem> unconsumed, boolean broken) {
      closed++;
      returned.addAll(unconsumed);
    }
  }

  /** A reader that violates the protocol. */
  private final class Raw extends ClientCall.Listener<StreamMessage> {
    private final ClientCall<ReadTaskRequest, StreamMessage> call =
        channel.newCall(StreamMethod.CLIENT, CallOptions.DEFAULT);
    @Nullable Status status;

    Raw() {
      call.start(this, new Metadata());
      call.request(100);
    }

    void send(ReadTaskRequest.Builder request) {
      call.sendMessage(request.build());
    }

    Status.@Nullable Code code() {
      return status == null ? null : status.getCode();
    }

    @Override
    public void onClose(Status end, Metadata trailers) {
      status = end;
    }
  }
}
