package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.rpc.StreamItem;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class RowQueueTest {
  private static final Duration LEASE = Duration.ofMillis(50);

  private final FakeTicker ticker = new FakeTicker();
  private final AtomicInteger completions = new AtomicInteger();
  private final RowQueue queue =
      new RowQueue(ticker, RowQueue.MAX_FRAME_BYTES, completions::incrementAndGet);
  private final List<String> told = new ArrayList<>();

  @Test
  void takeRow_givesRowsOneByOne() {
    queue.put(rows(0, 2));
    queue.put(rows(2, 1));
    assertThat(row()).isEqualTo(0);
    assertThat(row()).isEqualTo(1);
    assertThat(row()).isEqualTo(2);
    assertThat(queue.takeRow(null, null)).isNull();
    assertThat(queue.handedOutRows()).isEqualTo(3);
  }

  @Test
  void takeFrame_joinsSmallChunks_andStopsAtErrors() {
    queue.put(rows(0, 2));
    queue.put(rows(2, 3));
    queue.put(new StreamItem.RowFailure(5, new StatusException(StatusCode.DATA_LOSS, "torn")));
    queue.put(rows(6, 1));
    assertThat(frame()).containsExactly(0, 1, 2, 3, 4);
    assertThat(queue.takeFrame(waiter("s"), 5)).isInstanceOf(StreamItem.RowFailure.class);
    assertThat(frame()).containsExactly(6);
  }

  @Test
  void takeFrame_ofLargeChunk_cutsIt() {
    queue.put(rows(0, 200_000));
    assertThat(frame()).hasSize(131_072);
    assertThat(frame()).hasSize(200_000 - 131_072).startsWith(131_072);
  }

  @Test
  void takeFrame_behindSingleRows_givesTheRest() {
    queue.put(rows(0, 5));
    row();
    row();
    StreamItem rest = queue.takeFrame(waiter("s"), 0);
    assertThat(rest).isNotNull();
    assertThat(rest.position()).isEqualTo(2);
    assertThat(rest.rows()).isEqualTo(3);
  }

  @Test
  void rowsThatAreNotAnnounced_areWithheld_fromRequestsAndStreams() {
    AtomicInteger due = new AtomicInteger();
    queue.announce(LEASE, due::incrementAndGet);
    queue.put(rows(0, 5));
    assertThat(due.get()).isEqualTo(1);
    assertThat(queue.takeRow(waiter("a"), null)).isNull();
    assertThat(queue.takeFrame(waiter("s"), 0)).isNull();

    announce();

    assertThat(told).containsExactly("a wakes", "s wakes");
    assertThat(row()).isEqualTo(0);
    assertThat(queue.takeRow(null, null)).isNull();
    announce();
    assertThat(frame()).doesNotContain(0).startsWith(1);
  }

  private void announce() {
    queue.announced(Objects.requireNonNull(queue.nextAnnouncement(Duration.ZERO)), Duration.ZERO);
  }

  @Test
  void sums_haveTheTimeThatReadersWaited_untilARowCame() {
    assertThat(queue.takeRow(waiter("a"), null)).isNull();
    ticker.advance(Duration.ofMillis(30));
    assertThat(queue.sums().getEmptyMicros()).isEqualTo(30_000);
    queue.put(rows(0, 2));
    assertThat(row()).isEqualTo(0);
    ticker.advance(Duration.ofMillis(500));
    assertThat(row()).isEqualTo(1);

    assertThat(queue.sums().getEmptyMicros()).isEqualTo(30_000);
    assertThat(queue.sums().getRows()).isEqualTo(2);
    assertThat(queue.sums().getBytes()).isPositive();
  }

  @Test
  void sums_ofAReaderThatGoesAway_endItsWait() {
    RowQueue.Waiter gone = waiter("a");
    assertThat(queue.takeRow(gone, null)).isNull();
    ticker.advance(Duration.ofMillis(30));
    queue.forget(gone);
    ticker.advance(Duration.ofMinutes(5));

    assertThat(queue.sums().getEmptyMicros()).isEqualTo(30_000);
  }

  @Test
  void sums_tellRowsThatAreWithheld_fromRowsThatAreMissing() {
    queue.announce(LEASE, () -> {});
    queue.put(rows(0, 5));
    assertThat(queue.takeRow(waiter("a"), null)).isNull();
    ticker.advance(Duration.ofMillis(80));
    announce();
    assertThat(row()).isEqualTo(0);

    assertThat(queue.sums().getWithheldMicros()).isEqualTo(80_000);
    assertThat(queue.sums().getEmptyMicros()).isZero();
  }

  @Test
  void sums_haveTheTimeThatTheProducerWaitedForRoom() {
    for (int i = 0; i < 64; i++) {
      queue.put(rows(i, 1));
    }
    assertThat(queue.sums().getFillPermille()).isEqualTo(1000);
    CompletableFuture<Boolean> room =
        CompletableFuture.supplyAsync(() -> {
          try {
            return queue.awaitRoom();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    while (queue.sums().getFullMicros() == 0) {
      ticker.advance(Duration.ofMillis(1));
    }
    for (int i = 0; i < 40; i++) {
      row();
    }

    assertThat(room.join()).isTrue();
    long full = queue.sums().getFullMicros();
    ticker.advance(Duration.ofMillis(100));
    assertThat(queue.sums().getFullMicros()).isEqualTo(full);
  }

  @Test
  void droppedRecords_areAnnouncedBeforeTheEnd() {
    queue.announce(LEASE, () -> {});
    queue.put(
        new StreamItem.Dropped(
            0, new Origins.Builder().addParts(0, Origins.SPLITS, 7, 1).endRow().build()));
    queue.end();
    assertThat(queue.takeRow(null, null)).isNull();

    AnnouncedRows.Announcement announcement =
        Objects.requireNonNull(queue.nextAnnouncement(Duration.ZERO));
    assertThat(announcement.records().records(0, Origins.SPLITS).contains(7)).isTrue();
    queue.announced(announcement, Duration.ZERO);

    assertThat(queue.takeRow(null, null)).isInstanceOf(TakeResult.End.class);
    assertThat(completions.get()).isEqualTo(1);
  }

  @Test
  void announcement_ofAStoppedQueue_isNone() {
    queue.announce(LEASE, () -> {});
    queue.put(rows(0, 5));

    queue.stop(new StatusException(StatusCode.CANCELLED, "over"));

    assertThat(queue.nextAnnouncement(Duration.ZERO)).isNull();
  }

  @Test
  void boundedQueue_holdsWhatItsReadersTakeInTheTime() throws InterruptedException {
    queue.limitAhead(LEASE);
    assertThat(queue.room()).isEqualTo(1);
    int position = 0;
    for (int i = 0; i < 1000; i++) {
      if (position == i || queue.room() > 1) {
        assertThat(queue.awaitRoom()).isTrue();
        int room = queue.room();
        queue.put(rows(position, room));
        position += room;
      }
      row();
      ticker.advance(Duration.ofMillis(1));
    }

    assertThat(position - 1000).isBetween(20, 60);
  }

  @Test
  void boundedQueue_isNotBounded_aheadOfAStream() {
    queue.limitAhead(LEASE);

    queue.openStream(0, LongSet.EMPTY);

    assertThat(queue.room()).isGreaterThan(1000);
  }

  @Test
  void waiters_areWokenInTheOrderInWhichTheyCame() {
    queue.takeRow(waiter("a"), null);
    queue.takeFrame(waiter("b"), 0);
    queue.takeRow(waiter("c"), null);
    queue.put(rows(0, 1));
    assertThat(told).containsExactly("a wakes", "b wakes", "c wakes");
    queue.put(rows(1, 1));
    assertThat(told).hasSize(3);
  }

  @Test
  void forgottenWaiter_isNotWoken() {
    RowQueue.Waiter waiter = waiter("a");
    queue.takeRow(waiter, null);
    queue.forget(waiter);
    queue.put(rows(0, 1));
    assertThat(told).isEmpty();
  }

  @Test
  void end_isToldAgainAndAgain_andCompletesOnce() {
    queue.put(rows(0, 1));
    queue.end();
    row();
    assertThat(completions).hasValue(0);
    assertThat(queue.takeRow(null, null)).isEqualTo(new TakeResult.End());
    assertThat(queue.takeRow(null, null)).isEqualTo(new TakeResult.End());
    assertThat(completions).hasValue(1);
  }

  @Test
  void end_waitsForRowsThatMayComeBack() {
    queue.openStream(0, LongSet.EMPTY);
    queue.put(rows(0, 3));
    queue.end();
    assertThat(frame()).hasSize(3);
    assertThat(queue.takeRow(waiter("single"), null)).isNull();
    queue.acknowledge(3);
    assertThat(told).containsExactly("single wakes");
    assertThat(queue.takeRow(null, null)).isEqualTo(new TakeResult.End());
  }

  @Test
  void end_isHeldUpByStreamsWithUnacknowledgedRows_onceAnotherReaderWaitsForIt() {
    RowQueue.Waiter pausing = waiter("pausing");
    RowQueue.Waiter waiting = waiter("waiting");
    queue.openStream(0, LongSet.EMPTY);
    queue.openStream(0, LongSet.EMPTY);
    queue.put(rows(0, 2));
    assertThat(queue.takeFrame(pausing, 0)).isNotNull();
    assertThat(queue.takeFrame(waiting, 0)).isNull();
    assertThat(queue.isHeldUpBy(pausing, 2)).as("before the last row is made").isFalse();
    queue.end();
    assertThat(queue.takeFrame(pausing, 2)).isNotNull();
    assertThat(queue.isHeldUpBy(pausing, 2)).as("before another one waits").isFalse();
    assertThat(queue.takeFrame(waiting, 0)).isNull();
    assertThat(queue.isHeldUpBy(pausing, 2)).isTrue();
    assertThat(queue.isHeldUpBy(waiting, 0)).isFalse();
    queue.acknowledge(2);
    assertThat(queue.takeFrame(waiting, 0)).isInstanceOf(StreamItem.End.class);
  }

  @Test
  void endToldToTheOnlyStream_completesWithItsLastAcknowledgement() {
    queue.openStream(0, LongSet.EMPTY);
    queue.put(rows(0, 3));
    queue.end();
    frame();
    assertThat(queue.takeFrame(waiter("s"), 3)).isEqualTo(new StreamItem.End());
    assertThat(completions).hasValue(0);
    queue.acknowledge(3);
    assertThat(completions).hasValue(1);
  }

  @Test
  void returnedRows_comeAgainInOrder_beforeAllOthers() {
    queue.openStream(0, LongSet.EMPTY);
    queue.openStream(0, LongSet.EMPTY);
    queue.put(rows(0, 40_000));
    queue.put(rows(40_000, 40_000));
    queue.put(rows(80_000, 2));
    StreamItem first = queue.takeFrame(waiter("s"), 0);
    StreamItem second = queue.takeFrame(waiter("t"), 0);
    assertThat(first).isNotNull();
    assertThat(second).isNotNull();
    queue.closeStream(waiter("t"), List.of(second), 0);
    queue.closeStream(waiter("s"), List.of(first), 0);
    assertThat(queue.handedOutRows()).isZero();
    for (long expected = 0; expected < 80_002; expected++) {
      assertThat(row()).isEqualTo(expected);
    }
  }

  @Test
  void returnedRows_wakeOthers_andAreNotLostBehindTheEnd() {
    queue.openStream(0, LongSet.EMPTY);
    queue.put(rows(0, 3));
    queue.end();
    StreamItem taken = queue.takeFrame(waiter("s"), 0);
    assertThat(taken).isNotNull();
    assertThat(queue.takeFrame(waiter("s"), 3)).isEqualTo(new StreamItem.End());
    queue.takeRow(waiter("single"), null);
    queue.closeStream(waiter("s"), List.of(taken), 0);
    assertThat(told).containsExactly("single wakes");
    assertThat(row()).isZero();
    assertThat(completions).hasValue(0);
  }

  @Test
  void heldRows_waitForTheReaderWhoseStreamBroke_andComeWithoutWhatItConsumed() {
    queue.holdRows();
    queue.openStream(7, LongSet.EMPTY);
    queue.openStream(8, LongSet.EMPTY);
    queue.put(rows(0, 5));
    queue.end();
    StreamItem taken = queue.takeFrame(waiter("s"), 0);
    assertThat(taken).isNotNull();
    queue.closeStream(waiter("s"), List.of(taken), 7);
    assertThat(queue.takeFrame(waiter("t"), 0)).isNull();

    LongSet consumed = new LongSet();
    consumed.addRange(0, 2);
    consumed.add(3);
    queue.openStream(7, consumed);
    assertThat(told).containsExactly("t wakes");
    assertThat(queue.handedOutRows()).isEqualTo(3);
    assertThat(row()).isEqualTo(2);
    assertThat(row()).isEqualTo(4);
    assertThat(queue.takeRow(null, null)).isEqualTo(new TakeResult.End());
    assertThat(completions).hasValue(1);
    assertThat(queue.isIncomplete()).isFalse();
  }

  @Test
  void heldRows_whoseReaderDoesNotComeBack_areGivenUp_andTheTaskIsIncomplete() {
    queue.holdRows();
    queue.openStream(7, LongSet.EMPTY);
    queue.openStream(8, LongSet.EMPTY);
    queue.put(rows(0, 5));
    queue.end();
    StreamItem taken = queue.takeFrame(waiter("s"), 0);
    assertThat(taken).isNotNull();
    queue.closeStream(waiter("s"), List.of(taken), 7);
    ticker.advance(Duration.ofSeconds(11));
    assertThat(queue.takeFrame(waiter("t"), 0)).isEqualTo(new StreamItem.End());
    assertThat(completions).hasValue(1);
    assertThat(queue.isIncomplete()).isTrue();
  }

  @Test
  void isShared_byTwoStreams_orBySingleRequestsOfTheLastSeconds() {
    queue.openStream(0, LongSet.EMPTY);
    assertThat(queue.isShared()).isFalse();
    queue.takeRow(null, null);
    assertThat(queue.isShared()).isTrue();
    ticker.advance(Duration.ofSeconds(6));
    assertThat(queue.isShared()).isFalse();
    queue.openStream(0, LongSet.EMPTY);
    assertThat(queue.isShared()).isTrue();
  }

  @Test
  void stop_tellsEveryone_andDropsRows() throws InterruptedException {
    queue.takeRow(waiter("a"), null);
    queue.stop(new StatusException(StatusCode.CANCELLED, "Task 7 was deleted."));
    assertThat(told).containsExactly("a wakes");
    assertThatThrownBy(() -> queue.takeRow(null, null)).hasMessage("Task 7 was deleted.");
    assertThatThrownBy(() -> queue.takeFrame(waiter("s"), 0)).hasMessage("Task 7 was deleted.");
    queue.put(rows(0, 1));
    assertThat(queue.awaitRoom()).isFalse();
  }

  @Test
  void fail_tellsThoseWhoWait_only() {
    queue.takeRow(waiter("a"), null);
    queue.fail(new StatusException(StatusCode.NOT_FOUND, "no file"), () -> {});
    assertThat(told).containsExactly("a: no file");
    assertThat(queue.takeRow(waiter("b"), null)).isNull();
  }

  private RowQueue.Waiter waiter(String name) {
    return new RowQueue.Waiter() {
      @Override
      public void wake() {
        told.add(name + " wakes");
      }

      @Override
      public void fail(StatusException reason) {
        told.add(name + ": " + reason.message());
      }
    };
  }

  private long row() {
    @Nullable TakeResult taken = queue.takeRow(null, null);
    assertThat(taken).isInstanceOf(TakeResult.Row.class);
    TakeResult.Row row = (TakeResult.Row) taken;
    return row.chunk().row(row.index()).getFirst().integer(0);
  }

  private long[] frame() {
    @Nullable StreamItem item = queue.takeFrame(waiter("s"), 0);
    assertThat(item).isInstanceOf(StreamItem.Rows.class);
    return Column.stack(((StreamItem.Rows) item).chunk().column(0)).tensor().integers();
  }

  private static StreamItem rows(long position, int rows) {
    long[] values = new long[rows];
    for (int i = 0; i < rows; i++) {
      values[i] = position + i;
    }
    Column column = new Column.Stacked(Tensor.vector(values));
    return new StreamItem.Rows(Chunk.of(rows, List.of(column)).withPosition(position));
  }
}
