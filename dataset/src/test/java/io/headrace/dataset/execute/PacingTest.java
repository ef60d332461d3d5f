package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.ChunkPacer;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.Parallelism.Order;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset.Ahead;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.PrefetchDataset;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The number of rows computed before they are returned, on a simulated clock. */
final class PacingTest {
  private final AtomicLong nanos = new AtomicLong();

  private final AtomicLong computed = new AtomicLong();

  private MapDataset map(long nanosPerRow) {
    return new MapDataset(
        new RangeDataset(0, 1 << 20, 1, DataType.INT64),
        RowLambda.of(x -> {
          nanos.addAndGet(nanosPerRow);
          computed.incrementAndGet();
          return x;
        }),
        RowLambda.INT64,
        true,
        Parallelism.NONE);
  }

  private IteratorContext context(int parallelism) {
    return new IteratorContext(
        StepContext.standalone().withCancellation(new Cancellation()),
        nanos::get,
        new SplittableRandom(1),
        PassReader.THREADS,
        parallelism,
        1 << 20);
  }

  private List<Integer> chunkSizes(long nanosPerRow, int parallelism, int chunks) {
    List<Integer> sizes = new ArrayList<>();
    try (ChunkIterator iterator = map(nanosPerRow).iterator(context(parallelism))) {
      while (sizes.size() < chunks) {
        Chunk rows = iterator.next(1000);
        sizes.add(rows == null ? 0 : rows.rows());
      }
    }
    return sizes;
  }

  @Test
  void map_rowsOfFiveMilliseconds_handsOverEachRow() {
    assertThat(chunkSizes(5_000_000, 1, 5)).containsExactly(1, 1, 1, 1, 1);
  }

  @Test
  void map_quickRows_growsFromOneRow() {
    assertThat(chunkSizes(1000, 1, 8)).containsExactly(1, 2, 4, 8, 16, 32, 64, 128);
  }

  @Test
  void map_quickRows_staysBelowAMillisecond() {
    assertThat(chunkSizes(1000, 1, 30)).allMatch(rows -> rows <= 1000);
    assertThat(nanos.get()).isLessThan(30_000_000);
  }

  @Test
  @Timeout(60)
  void interleaveAheadByThreeRows_rowsOfFiveMilliseconds_holdsNoMore() {
    try (ChunkIterator iterator = interleaved(5_000_000).iterator(context(1))) {
      for (int taken = 1; taken <= 30; taken++) {
        assertThat(iterator.next(1)).isNotNull();
        assertThat(computed.get() - taken).isLessThanOrEqualTo(3);
      }
      awaitAhead(30, 3);
    }
  }

  @Test
  @Timeout(60)
  void interleaveAheadByThreeRows_quickSmallRows_readsMore() {
    try (ChunkIterator iterator = interleaved(1000).iterator(context(1))) {
      for (int taken = 1; taken <= 300; taken++) {
        assertThat(iterator.next(1)).isNotNull();
      }
      awaitAhead(300, 100);
    }
    assertThat(computed.get()).isLessThan(300 + 3 * 256);
  }

  /** One dataset, read by blocks of one row, of which three are read ahead. */
  private InterleaveDataset interleaved(long nanosPerRow) {
    return new InterleaveDataset(
        new RangeDataset(0, 1, 1, DataType.INT64),
        RowLambda.dataset(_ -> map(nanosPerRow)),
        RowLambda.INT64,
        1,
        1,
        new Ahead(new Parallelism(1, Order.KEPT), 3, 0));
  }

  @Test
  @Timeout(60)
  void prefetchOfOneRow_askedForMany_handsThemOverTogether() {
    int most = 0;
    try (ChunkIterator iterator = new PrefetchDataset(map(1000), 1).iterator(context(1))) {
      for (int i = 0; i < 200; i++) {
        Chunk rows = iterator.next(64);
        most = Math.max(most, rows == null ? 0 : rows.rows());
      }
    }
    assertThat(most).isGreaterThan(8);
  }

  @Test
  @Timeout(60)
  void prefetchOfThreeRows_askedForManyThatTakeLong_holdsNoMore() {
    try (ChunkIterator iterator = new PrefetchDataset(map(5_000_000), 3).iterator(context(1))) {
      for (int taken = 1; taken <= 30; taken++) {
        Chunk rows = iterator.next(64);
        assertThat(rows == null ? 0 : rows.rows()).isEqualTo(1);
        assertThat(computed.get() - taken).isLessThanOrEqualTo(3);
      }
    }
  }

  private void awaitAhead(int taken, int rows) {
    while (computed.get() < taken + rows) {
      Thread.onSpinWait();
    }
  }

  @Test
  void pacer_largeRows_keepsToTheBoundInBytes() {
    ChunkPacer pacer = new ChunkPacer(1000);
    for (int i = 0; i < 20; i++) {
      pacer.took(pacer.rows(), 1, pacer.rows() * 300L);
    }
    assertThat(pacer.rows()).isEqualTo(3);
  }

  @Test
  void pacer_rowsOfFewerBytes_areFewer() {
    ChunkPacer pacer = new ChunkPacer(1000);
    for (int i = 0; i < 20; i++) {
      pacer.took(pacer.rows(), 1, pacer.rows() * 100L);
    }
    assertThat(pacer.rowsOf(350)).isEqualTo(3);
    assertThat(pacer.rowsOf(50)).isEqualTo(1);
    assertThat(pacer.rowsOf(5000)).isEqualTo(10);
  }

  @Test
  void pacer_rowLargerThanTheBound_asksForOne() {
    ChunkPacer pacer = new ChunkPacer(1000);
    pacer.took(1, 1, 5000);
    assertThat(pacer.rows()).isEqualTo(1);
  }

  @Test
  void pacer_sourceThatGivesFewerRows_doesNotGrow() {
    ChunkPacer pacer = new ChunkPacer(1 << 20);
    pacer.took(1, 1, 8);
    pacer.took(1, 1, 8);
    assertThat(pacer.rows()).isEqualTo(2);
  }
}
