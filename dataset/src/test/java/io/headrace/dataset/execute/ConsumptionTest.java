package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.MemoryCache;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.transform.BatchDataset;
import io.headrace.dataset.execute.transform.BatchDataset.OnError;
import io.headrace.dataset.execute.transform.CacheDataset;
import io.headrace.dataset.execute.transform.ConcatenateDataset;
import io.headrace.dataset.execute.transform.FilterDataset;
import io.headrace.dataset.execute.transform.FlatMapDataset;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.PrefetchDataset;
import io.headrace.dataset.execute.transform.RepeatDataset;
import io.headrace.dataset.execute.transform.ShardDataset;
import io.headrace.dataset.execute.transform.ShuffleDataset;
import io.headrace.dataset.execute.transform.SkipDataset;
import io.headrace.dataset.execute.transform.TakeDataset;
import io.headrace.dataset.execute.transform.TakeWhileDataset;
import io.headrace.dataset.execute.transform.ZipDataset;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Transformations read no more of their input than their result needs. */
final class ConsumptionTest {
  private final CountingDataset source = new CountingDataset(100);

  private long rows(DatasetValue dataset) {
    long rows = 0;
    try (ChunkIterator iterator = dataset.iterator(PassReader.context())) {
      for (Chunk chunk = iterator.next(1000); chunk != null; chunk = iterator.next(1000)) {
        rows += chunk.rows();
      }
    }
    return rows;
  }

  private MapDataset map(DatasetValue input) {
    return new MapDataset(input, RowLambda.of(x -> x + 1), RowLambda.INT64, true, Parallelism.NONE);
  }

  @Test
  void take_overMap_readsAsManyRows() {
    assertThat(rows(new TakeDataset(map(source), 3))).isEqualTo(3);
    assertThat(source.produced).hasValue(3);
  }

  @Test
  void take_overFilter_readsUpToTheLastRowThatPasses() {
    FilterDataset even =
        new FilterDataset(source, RowLambda.predicate(x -> x % 2 == 0), RowLambda.INT64);
    try (ChunkIterator iterator = new TakeDataset(even, 3).iterator(PassReader.context())) {
      iterator.next(1);
      iterator.next(1);
      assertThat(source.produced).hasValue(3);
      iterator.next(1);
      assertThat(source.produced).hasValue(5);
    }
  }

  @Test
  void take_overBatch_readsWholeBatches() {
    BatchDataset batches = new BatchDataset(source, 4, false, RowLambda.INT64, OnError.RESTARTS);
    assertThat(rows(new TakeDataset(batches, 3))).isEqualTo(3);
    assertThat(source.produced).hasValue(12);
  }

  @Test
  void take_overShuffle_readsTheBufferAndARowForEachFurtherOne() {
    ShuffleDataset shuffled =
        new ShuffleDataset(source, 10, new SeedGenerator(new Seeds(1, 2), false));
    assertThat(rows(new TakeDataset(shuffled, 3))).isEqualTo(3);
    assertThat(source.produced).hasValue(12);
  }

  @Test
  void take_overShard_readsUpToTheLastOfItsRows() {
    assertThat(rows(new TakeDataset(new ShardDataset(source, 5, 2, false), 3))).isEqualTo(3);
    assertThat(source.produced).hasValue(13);
  }

  @Test
  void take_overZip_readsAsManyRowsOfEach() {
    CountingDataset other = new CountingDataset(50);
    assertThat(rows(new TakeDataset(new ZipDataset(List.of(source, other)), 3))).isEqualTo(3);
    assertThat(source.produced).hasValue(3);
    assertThat(other.produced).hasValue(3);
  }

  @Test
  void take_overFlatMap_readsOneRowAtATime() {
    FlatMapDataset flat =
        new FlatMapDataset(source, RowLambda.dataset(_ -> new CountingDataset(4)), RowLambda.INT64);
    assertThat(rows(new TakeDataset(flat, 6))).isEqualTo(6);
    assertThat(source.produced).hasValue(2);
  }

  @Test
  void take_overConcatenate_doesNotBeginTheSecond() {
    CountingDataset other = new CountingDataset(50);
    DatasetValue both = new ConcatenateDataset(source, other, source.outputShapes());
    assertThat(rows(new TakeDataset(both, 100))).isEqualTo(100);
    assertThat(other.begun).hasValue(0);
  }

  @Test
  void takeWhile_readsNothingBehindTheRowThatEndsIt() {
    TakeWhileDataset few =
        new TakeWhileDataset(source, RowLambda.predicate(x -> x < 5), RowLambda.INT64);
    assertThat(rows(few)).isEqualTo(5);
    assertThat(source.produced).hasValue(6);
  }

  @Test
  void skip_overRange_producesNoneOfTheRows() {
    RangeDataset range = new RangeDataset(0, 1L << 40, 1, DataType.INT64);
    assertThat(rows(new SkipDataset(range, (1L << 40) - 2))).isEqualTo(2);
  }

  @Test
  void prefetch_ofThree_readsNoMoreThanThreeAhead() {
    try (ChunkIterator iterator = new PrefetchDataset(source, 3).iterator(PassReader.context())) {
      for (long taken = 0; taken < 100; taken++) {
        assertThat(iterator.next(1)).isNotNull();
        assertThat(source.produced.get()).isLessThanOrEqualTo(taken + 1 + 3);
      }
      assertThat(iterator.next(1)).isNull();
    }
  }

  @Test
  void cache_secondPass_readsNothing() {
    CacheDataset cached = new CacheDataset(source, new MemoryCache(), "node c");
    assertThat(rows(cached)).isEqualTo(100);
    assertThat(rows(cached)).isEqualTo(100);
    assertThat(source.produced).hasValue(100);
  }

  @Test
  void close_ofAnyPass_closesItsInputs() {
    List<DatasetValue> datasets =
        List.of(
            map(source),
            new TakeDataset(source, 50),
            new PrefetchDataset(source, 2),
            new BatchDataset(source, 3, true, RowLambda.INT64, OnError.RESTARTS),
            new RepeatDataset(source, 2, true),
            new ZipDataset(List.of(source)),
            new CacheDataset(source, new MemoryCache(), "node c"),
            new ShuffleDataset(source, 4, new SeedGenerator(new Seeds(1, 2), true)));
    for (DatasetValue dataset : datasets) {
      ChunkIterator iterator = dataset.iterator(PassReader.context());
      iterator.next(1);
      iterator.close();
      iterator.close();
    }
    assertThat(source.closed.get()).isEqualTo(source.begun.get()).isPositive();
  }
}
