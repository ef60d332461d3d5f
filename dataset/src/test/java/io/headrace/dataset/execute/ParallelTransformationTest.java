package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.headrace.dataset.execute.pass.BufferBudget;
import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.Parallelism.Order;
import io.headrace.dataset.execute.pass.PrefetchProducer;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset.Ahead;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.PrefetchDataset;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Transformations that work on other threads: order, readiness, and the ends of waits. */
@Timeout(60)
final class ParallelTransformationTest {
  private static final Parallelism SLOPPY = new Parallelism(4, Order.SLOPPY);
  private static final Parallelism KEPT = new Parallelism(4, Order.KEPT);

  private final CountDownLatch waiting = new CountDownLatch(1);

  private static DatasetValue range(long rows) {
    return new RangeDataset(0, rows, 1, DataType.INT64);
  }

  private static MapDataset map(
      DatasetValue input, Parallelism parallelism, RowLambda.OfLong body) {
    return new MapDataset(input, RowLambda.of(body), RowLambda.INT64, true, parallelism);
  }

  private static InterleaveDataset interleave(
      DatasetValue input, Parallelism parallelism, CapturedFunction function) {
    return new InterleaveDataset(
        input,
        function,
        RowLambda.INT64,
        3,
        1,
        new Ahead(parallelism, PrefetchProducer.AUTOTUNE, 1));
  }

  private static List<Long> values(DatasetValue dataset) {
    List<Long> values = new ArrayList<>();
    try (ChunkIterator iterator = dataset.iterator(PassReader.context())) {
      for (Chunk rows = iterator.next(100); rows != null; rows = iterator.next(100)) {
        addValues(rows, values);
      }
    }
    return values;
  }

  private static void addValues(Chunk rows, List<Long> values) {
    for (int i = 0; i < rows.rows(); i++) {
      values.add(rows.column(0).row(i).integer(0));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  static Stream<DatasetValue> waitingDatasets() {
    return Stream.of(Order.KEPT, Order.SLOPPY)
        .map(order -> new Parallelism(2, order))
        .flatMap(parallelism ->
            Stream.of(
                map(blocking(0), parallelism, x -> x),
                interleave(range(5), parallelism, RowLambda.dataset(_ -> blocking(0))),
                new PrefetchDataset(blocking(0), 2),
                new PrefetchDataset(blocking(0), PrefetchProducer.AUTOTUNE)));
  }

  private static BlockingDataset blocking(long rows) {
    return new BlockingDataset(rows, new CountDownLatch(1));
  }

  @ParameterizedTest
  @MethodSource("waitingDatasets")
  void close_whileAnotherThreadWaits_endsTheWait(DatasetValue dataset) {
    ChunkIterator iterator = dataset.iterator(PassReader.context());
    CompletableFuture<Throwable> ended =
        CompletableFuture.supplyAsync(
            () -> catchThrowable(() -> iterator.next(1)), PassReader.THREADS);
    iterator.close();
    assertThat(StatusException.codeOf(ended.join())).isEqualTo(StatusCode.CANCELLED);
  }

  @ParameterizedTest
  @MethodSource("waitingDatasets")
  void next_afterClose_isNotTheEnd(DatasetValue dataset) {
    ChunkIterator iterator = dataset.iterator(PassReader.context());
    iterator.close();
    assertThat(StatusException.codeOf(catchThrowable(() -> iterator.next(1))))
        .isEqualTo(StatusCode.CANCELLED);
  }

  @ParameterizedTest
  @MethodSource("waitingDatasets")
  void next_onceThePassIsCancelled_throwsCancelled(DatasetValue dataset) {
    Cancellation cancellation = new Cancellation();
    try (ChunkIterator iterator = dataset.iterator(PassReader.context(cancellation))) {
      CompletableFuture<Throwable> ended =
          CompletableFuture.supplyAsync(
              () -> catchThrowable(() -> iterator.next(1)), PassReader.THREADS);
      cancellation.cancel();
      assertThat(StatusException.codeOf(ended.join())).isEqualTo(StatusCode.CANCELLED);
    }
  }

  @Test
  void prefetch_whileARowIsBeingMade_handsOverTheRowsBefore() {
    try (ChunkIterator iterator =
        new PrefetchDataset(new BlockingDataset(5, waiting), 100).iterator(PassReader.context())) {
      List<Long> values = new ArrayList<>();
      while (values.size() < 5) {
        Chunk rows = iterator.next(100);
        assertThat(rows).isNotNull();
        if (rows != null) {
          addValues(rows, values);
        }
      }
      assertThat(values).containsExactly(0L, 1L, 2L, 3L, 4L);
      await(waiting);
    }
  }

  @Test
  void parallelMap_orderKept_givesResultsInOrder() {
    assertThat(values(map(range(1000), KEPT, x -> x * x)))
        .isEqualTo(LongStream.range(0, 1000).map(x -> x * x).boxed().toList());
  }

  @Test
  void parallelMap_sloppy_doesNotWaitForASlowRow() {
    CountDownLatch slow = new CountDownLatch(1);
    DatasetValue dataset =
        map(
            range(20),
            SLOPPY,
            x -> {
              if (x == 0) {
                await(slow);
              }
              return x;
            });
    try (ChunkIterator iterator = dataset.iterator(PassReader.context())) {
      List<Long> values = new ArrayList<>();
      while (values.size() < 19) {
        Chunk rows = iterator.next(1);
        if (rows != null) {
          addValues(rows, values);
        }
      }
      assertThat(values).doesNotContain(0L);
      slow.countDown();
      Chunk last = iterator.next(1);
      assertThat(last).isNotNull();
      assertThat(iterator.next(1)).isNull();
    }
  }

  @Test
  void parallelMap_functionThatIsBroken_reportsInternalAndGoesOn() {
    DatasetValue dataset =
        map(
            range(3),
            KEPT,
            x -> {
              if (x == 1) {
                throw new IllegalStateException("a bug");
              }
              return x;
            });
    assertThat(PassReader.lines(dataset, 1, 10))
        .containsExactly("int64[] 0", "error INTERNAL", "int64[] 2", "end");
  }

  @Test
  void interleave_sloppy_givesAllRowsOfAllDatasets() {
    DatasetValue dataset =
        interleave(
            range(10),
            SLOPPY,
            RowLambda.dataset(x -> new RangeDataset(100 * x, 100 * x + x, 1, DataType.INT64)));
    List<Long> expected =
        LongStream.range(0, 10)
            .flatMap(x -> LongStream.range(100 * x, 100 * x + x))
            .boxed()
            .toList();
    assertThat(values(dataset)).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Test
  void interleave_sloppy_doesNotWaitForADatasetThatWaits() {
    DatasetValue dataset =
        interleave(
            range(4),
            SLOPPY,
            RowLambda.dataset(x -> x == 1 ? new BlockingDataset(0, waiting) : range(5)));
    List<Long> values = new ArrayList<>();
    try (ChunkIterator iterator = dataset.iterator(PassReader.context())) {
      while (values.size() < 15) {
        Chunk rows = iterator.next(1);
        if (rows != null) {
          addValues(rows, values);
        }
      }
    }
    Collections.sort(values);
    assertThat(values).containsExactly(0L, 0L, 0L, 1L, 1L, 1L, 2L, 2L, 2L, 3L, 3L, 3L, 4L, 4L, 4L);
  }

  @Test
  void prefetch_autotuned_staysWithinTheBudgetAndGivesItBack() {
    IteratorContext context = PassReader.context();
    BufferBudget budget = context.buffers();
    DatasetValue dataset = new PrefetchDataset(range(1_000_000), PrefetchProducer.AUTOTUNE);
    try (ChunkIterator iterator = dataset.iterator(context)) {
      for (int i = 0; i < 50; i++) {
        assertThat(iterator.next(1000)).isNotNull();
        // It exceeds the limit by at most one chunk, whose size is bounded.
        assertThat(budget.usedBytes()).isLessThanOrEqualTo(budget.limitBytes() + (1 << 20));
      }
    }
    assertThat(budget.usedBytes()).isZero();
  }
}
