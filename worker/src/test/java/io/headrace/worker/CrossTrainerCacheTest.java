package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.execute.pass.CacheBudget;
import io.headrace.kernels.variant.CompressedElements;
import io.headrace.proto.data.GetElementResponse;
import io.headrace.rpc.OutboundMessage;
import io.headrace.rpc.StreamItem;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The window of a task that several trainers read. */
final class CrossTrainerCacheTest {
  /** Room for four single rows. */
  private static final long ROOM = 4 * (CachedRows.ENTRY_BYTES + Long.BYTES);

  private static final long LARGE = 1 << 20;

  private final CacheBudget budget = new CacheBudget(2 * LARGE);
  private final RowQueue queue = new RowQueue(new FakeTicker(), RowQueue.MAX_FRAME_BYTES, () -> {});
  private final List<String> told = new ArrayList<>();
  private long produced;

  private CrossTrainerCache cache(long maxBytes, boolean compressed) {
    CrossTrainerCache cache =
        new CrossTrainerCache(
            queue, new RowCompressor(Runnable::run), new CacheRoom(maxBytes, budget));
    cache.open(compressed);
    queue.begin();
    return cache;
  }

  @Test
  void eachTrainer_getsEveryRow_atItsOwnPace() {
    CrossTrainerCache cache = cache(LARGE, false);
    produce(3);

    assertThat(read(cache, "a", 3)).containsExactly(0L, 1L, 2L);
    assertThat(read(cache, "b", 2)).containsExactly(0L, 1L);
    produce(1);
    assertThat(read(cache, "a", 1)).containsExactly(3L);
    assertThat(read(cache, "b", 2)).containsExactly(2L, 3L);
  }

  @Test
  void readersOfOneTrainer_shareItsRows() {
    CrossTrainerCache cache = cache(LARGE, false);
    produce(4);

    assertThat(read(cache, "a", 2)).containsExactly(0L, 1L);
    assertThat(frame(cache, "a")).containsExactly(2L, 3L);
  }

  @Test
  void fullWindow_losesItsOldestRows_whichSlowTrainersSkip() {
    CrossTrainerCache cache = cache(ROOM, false);
    produce(1);
    assertThat(read(cache, "slow", 1)).containsExactly(0L);
    assertThat(read(cache, "fast", 1)).containsExactly(0L);

    for (long row = 1; row < 10; row++) {
      produce(1);
      assertThat(read(cache, "fast", 1)).containsExactly(row);
      assertThat(cache.bytes()).isPositive().isLessThanOrEqualTo(ROOM);
      assertThat(budget.usedBytes()).isEqualTo(cache.bytes());
    }

    assertThat(read(cache, "slow", 4)).containsExactly(6L, 7L, 8L, 9L);
    assertThat(read(cache, "new", 4)).containsExactly(6L, 7L, 8L, 9L);
  }

  @Test
  void windowOfFrames_neverHoldsMoreThanItsRoom() {
    CrossTrainerCache cache = cache(LARGE, false);
    for (int i = 0; i < 40; i++) {
      produce(12_345);
      assertThat(frame(cache, "a")).isNotEmpty();
      assertThat(cache.bytes()).isLessThanOrEqualTo(LARGE);
      assertThat(budget.usedBytes()).isEqualTo(cache.bytes());
    }
    assertThat(frame(cache, "b").getFirst()).isPositive();
  }

  @Test
  void rowThatIsLargerThanTheCache_isAnError_andTheNextOneFollows() {
    CrossTrainerCache cache = cache(ROOM, false);
    produce(1);
    queue.put(new StreamItem.Rows(large().withPosition(produced++)));
    produce(1);

    assertThat(read(cache, "a", 1)).containsExactly(0L);
    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "tf.data service element size is larger than cache size in bytes.",
        () -> read(cache, "a", 1));
    assertThat(read(cache, "a", 1)).containsExactly(2L);
  }

  @Test
  void errorInPlaceOfARow_goesToTheTrainerThatMeetsIt_andOthersPassOver() {
    CrossTrainerCache cache = cache(LARGE, false);
    produce(1);
    queue.put(
        new StreamItem.RowFailure(produced++, new StatusException(StatusCode.DATA_LOSS, "torn")));
    produce(1);
    assertThat(read(cache, "a", 1)).containsExactly(0L);

    assertFails(StatusCode.DATA_LOSS, "torn", () -> read(cache, "a", 1));

    assertThat(read(cache, "a", 1)).containsExactly(2L);
    assertThat(read(cache, "b", 2)).containsExactly(0L, 2L);
  }

  @Test
  void errorInPlaceOfARow_isAnItemOfAStream() {
    CrossTrainerCache cache = cache(LARGE, false);
    queue.put(
        new StreamItem.RowFailure(produced++, new StatusException(StatusCode.DATA_LOSS, "torn")));
    produce(1);

    assertThat(cache.takeFrame("a", waiter("a"))).isInstanceOf(StreamItem.RowFailure.class);
    assertThat(frame(cache, "a")).containsExactly(1L);
  }

  @Test
  void end_isAnError_eachTime_forTrainersThatHaveReadTheWindow() {
    CrossTrainerCache cache = cache(LARGE, false);
    produce(1);
    queue.end();
    assertThat(read(cache, "a", 1)).containsExactly(0L);

    for (int i = 0; i < 2; i++) {
      assertFails(
          StatusCode.INVALID_ARGUMENT,
          "Cross-trainer caching requires the input dataset to be infinite. However, it reached"
              + " the end of sequence.",
          () -> read(cache, "a", 1));
    }
    assertThat(read(cache, "b", 1)).containsExactly(0L);
  }

  @Test
  void trainersThatWait_areWokenByTheNextRow_andAllGetIt() {
    CrossTrainerCache cache = cache(LARGE, false);
    cache.openStream("b");
    assertThat(cache.takeReply("a", waiter("a"))).isNull();
    assertThat(cache.takeFrame("b", waiter("b"))).isNull();

    produce(1);

    assertThat(told).containsExactly("a woken", "b woken");
    assertThat(read(cache, "a", 1)).containsExactly(0L);
    assertThat(frame(cache, "b")).containsExactly(0L);
  }

  @Test
  void waiterThatIsForgotten_isNotWoken() {
    CrossTrainerCache cache = cache(LARGE, false);
    RowQueue.Waiter gone = waiter("gone");
    assertThat(cache.takeReply("a", gone)).isNull();
    cache.forget(gone);

    produce(1);

    assertThat(told).isEmpty();
  }

  @Test
  void failureToLoad_failsTheTrainersThatWait_andTheNextOnesTryAgain() {
    CrossTrainerCache cache = cache(LARGE, false);
    assertThat(cache.takeReply("a", waiter("a"))).isNull();
    queue.fail(new StatusException(StatusCode.NOT_FOUND, "no file"), () -> {});
    assertThat(told).containsExactly("a NOT_FOUND");

    produce(1);
    assertThat(read(cache, "a", 1)).containsExactly(0L);
  }

  @Test
  void stop_failsAllTrainers_andGivesTheMemoryBack() {
    CrossTrainerCache cache = cache(LARGE, false);
    produce(2);
    assertThat(read(cache, "a", 2)).containsExactly(0L, 1L);
    assertThat(cache.takeReply("a", waiter("a"))).isNull();
    assertThat(budget.usedBytes()).isPositive();
    StatusException reason = new StatusException(StatusCode.CANCELLED, "deleted");

    cache.stop(reason);
    cache.stop(reason);

    assertThat(told).containsExactly("a CANCELLED");
    assertThat(budget.usedBytes()).isZero();
    assertFails(StatusCode.CANCELLED, "deleted", () -> read(cache, "b", 1));
  }

  @Test
  void trainerWithoutAnId_isRefused() {
    CrossTrainerCache cache = cache(LARGE, false);

    assertFails(
        StatusCode.INVALID_ARGUMENT,
        "tf.data service cross-trainer cache requires a non-empty trainer ID.",
        () -> read(cache, "", 1));
    assertFails(
        StatusCode.INVALID_ARGUMENT, "trainer_id may have", () -> read(cache, "a".repeat(2000), 1));
  }

  @Test
  void trainersBeyondTheMost_areRefused_unlessOthersAreBehindTheWindow() {
    CrossTrainerCache cache = cache(ROOM, false);
    produce(1);
    for (int i = 0; i < CrossTrainerCache.MAX_TRAINERS; i++) {
      assertThat(read(cache, "trainer " + i, 1)).containsExactly(0L);
    }
    assertFails(
        StatusCode.RESOURCE_EXHAUSTED, "10000 trainers read", () -> read(cache, "one more", 1));

    for (long row = 1; row < 9; row++) {
      produce(1);
      assertThat(read(cache, "trainer 0", 1)).containsExactly(row);
    }

    assertThat(read(cache, "one more", 1)).containsExactly(5L);
  }

  @Test
  void compressedRow_isCompressedOnce_andKeptInThatForm() {
    CrossTrainerCache cache = cache(LARGE, true);
    queue.put(new StreamItem.Rows(large().withPosition(0)));

    OutboundMessage first = reply(cache, "a");
    OutboundMessage second = reply(cache, "b");

    assertThat(second).isSameAs(first);
    assertThat(cache.bytes()).isEqualTo(CachedRows.ENTRY_BYTES + first.size());
    assertThat(budget.usedBytes()).isEqualTo(cache.bytes()).isLessThan(large().byteSize());
    Chunk streamed = chunk(cache, "stream");
    assertThat(streamed.position()).isZero();
    assertThat(streamed.column(0).row(0).shape()).isEqualTo(large().column(0).row(0).shape());
  }

  @Test
  void compressedRow_thatTakesMoreThanTheRow_makesRoomForItself() {
    CrossTrainerCache cache = cache(ROOM, true);
    produce(10);

    for (long row = 0; row < 10; row++) {
      assertThat(read(cache, "a", 1)).containsExactly(row);
      assertThat(cache.bytes()).isPositive().isLessThanOrEqualTo(ROOM);
      assertThat(budget.usedBytes()).isEqualTo(cache.bytes());
    }
  }

  @Test
  void rowsThatAStreamTookFirst_areCompressedForRequests() {
    CrossTrainerCache cache = cache(LARGE, true);
    produce(3);
    assertThat(frame(cache, "stream")).containsExactly(0L, 1L, 2L);

    assertThat(read(cache, "a", 3)).containsExactly(0L, 1L, 2L);
    assertThat(reply(cache, "b").size()).isPositive();
  }

  @Test
  void rowsThatRequestsTookFirst_areOneFrameOfAStream() {
    CrossTrainerCache cache = cache(LARGE, true);
    produce(3);
    assertThat(read(cache, "a", 3)).containsExactly(0L, 1L, 2L);

    assertThat(frame(cache, "stream")).containsExactly(0L, 1L, 2L);
  }

  @Test
  void rowsThatAStreamDidNotDeliver_comeAgain_unlessTheTrainerHasReadOn() {
    CrossTrainerCache cache = cache(LARGE, false);
    produce(6);
    cache.openStream("a");
    cache.openStream("b");
    assertThat(cache.isShared("a")).isFalse();
    Chunk toA = chunk(cache, "a");
    Chunk toB = chunk(cache, "b");
    produce(1);
    assertThat(read(cache, "b", 1)).containsExactly(6L);

    cache.closeStream("a", waiter("a"), List.of(new StreamItem.Rows(toA.slice(4, 6))));
    cache.closeStream("b", waiter("b"), List.of(new StreamItem.Rows(toB.slice(4, 6))));

    assertThat(read(cache, "a", 3)).containsExactly(4L, 5L, 6L);
    produce(1);
    assertThat(read(cache, "b", 1)).containsExactly(7L);
  }

  @Test
  void cacheThatOpensLater_halvesTheRoom_andTheFirstGivesUpItsOldest() {
    CacheRoom room = new CacheRoom(Long.MAX_VALUE, new CacheBudget(2 * ROOM));
    CrossTrainerCache first = new CrossTrainerCache(queue, new RowCompressor(Runnable::run), room);
    first.open(false);
    produce(1);
    assertThat(read(first, "a", 1)).hasSize(1);
    for (int i = 0; i < 3; i++) {
      produce(1);
      assertThat(read(first, "a", 1)).hasSize(1);
    }
    assertThat(first.bytes()).isEqualTo(ROOM);

    CrossTrainerCache second = new CrossTrainerCache(queue, new RowCompressor(Runnable::run), room);
    second.open(false);

    assertThat(first.bytes()).isEqualTo(ROOM / 2);
    second.stop(new StatusException(StatusCode.CANCELLED, "over"));
    for (int i = 0; i < 4; i++) {
      produce(1);
      assertThat(read(first, "a", 1)).hasSize(1);
    }
    assertThat(first.bytes()).isEqualTo(ROOM);
  }

  @Test
  void processWithoutMemoryForCaches_isAnError_namingTheFlag() {
    CrossTrainerCache cache = cache(LARGE, false);
    CacheBudget.Share others = budget.share();
    others.take(2 * LARGE, "a cache transformation");
    produce(1);
    assertFails(StatusCode.RESOURCE_EXHAUSTED, "--max-cache-bytes", () -> read(cache, "a", 1));

    others.close();
    produce(1);
    assertThat(read(cache, "a", 1)).containsExactly(1L);
  }

  private void produce(int count) {
    long[] values = LongStream.range(produced, produced + count).toArray();
    Column column = new Column.Stacked(Tensor.vector(values));
    queue.put(new StreamItem.Rows(Chunk.of(count, List.of(column)).withPosition(produced)));
    produced += count;
  }

  /** A row of zeros that is larger than a small cache. */
  private static Chunk large() {
    return Chunk.ofElement(List.of(Tensor.vector(new long[4096])));
  }

  private RowQueue.Waiter waiter(String name) {
    return new RowQueue.Waiter() {
      @Override
      public void wake() {
        told.add(name + " woken");
      }

      @Override
      public void fail(StatusException reason) {
        told.add(name + " " + reason.code());
      }
    };
  }

  private OutboundMessage reply(CrossTrainerCache cache, String trainer) {
    @Nullable CompletableFuture<OutboundMessage> reply = cache.takeReply(trainer, waiter(trainer));
    assertThat(reply).isNotNull();
    return reply.join();
  }

  private List<Long> read(CrossTrainerCache cache, String trainer, int count) {
    List<Long> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(value(reply(cache, trainer)));
    }
    return values;
  }

  private static long value(OutboundMessage reply) {
    try {
      GetElementResponse response = GetElementResponse.parseFrom(reply.stream());
      return response.hasCompressed()
          ? CompressedElements.uncompress(response.getCompressed()).getFirst().integer(0)
          : TensorProtos.read(response.getUncompressed().getComponents(0)).integer(0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Chunk chunk(CrossTrainerCache cache, String trainer) {
    @Nullable StreamItem item = cache.takeFrame(trainer, waiter(trainer));
    assertThat(item).isInstanceOf(StreamItem.Rows.class);
    return ((StreamItem.Rows) item).chunk();
  }

  private List<Long> frame(CrossTrainerCache cache, String trainer) {
    Chunk chunk = chunk(cache, trainer);
    assertThat(chunk.column(0).dtype()).isEqualTo(DataType.INT64);
    return LongStream.range(0, chunk.rows())
        .map(row -> chunk.column(0).row((int) row).integer(0))
        .boxed()
        .toList();
  }

  private static void assertFails(StatusCode code, String message, ThrowingCallable action) {
    assertThatThrownBy(action)
        .isInstanceOfSatisfying(
            StatusException.class,
            failure -> {
              assertThat(failure.code()).isEqualTo(code);
              assertThat(failure.message()).contains(message);
            });
  }
}
