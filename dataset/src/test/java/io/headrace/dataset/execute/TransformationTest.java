package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.transform.AssertCardinalityDataset;
import io.headrace.dataset.execute.transform.BatchDataset;
import io.headrace.dataset.execute.transform.BatchDataset.OnError;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.RepeatDataset;
import io.headrace.dataset.execute.transform.ShardDataset;
import io.headrace.dataset.execute.transform.ShuffleDataset;
import io.headrace.dataset.execute.transform.SkipDataset;
import io.headrace.dataset.execute.transform.WindowDataset;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Cases that recorded pipelines do not cover: layouts, shared resources, errors that do not repeat.
 */
final class TransformationTest {
  private static DatasetValue range(long rows) {
    return new RangeDataset(0, rows, 1, DataType.INT64);
  }

  private static Chunk first(DatasetValue dataset, int maxRows) {
    try (ChunkIterator iterator = dataset.iterator(PassReader.context())) {
      Chunk rows = iterator.next(maxRows);
      if (rows == null) {
        throw new AssertionError("no rows");
      }
      return rows;
    }
  }

  @Test
  void map_ofACancelledPass_comesToItsEnd() {
    Cancellation cancellation = new Cancellation();
    MapDataset map =
        new MapDataset(range(5), RowLambda.of(x -> x), RowLambda.INT64, true, Parallelism.NONE);
    try (ChunkIterator pass = map.iterator(PassReader.context(cancellation))) {
      assertThat(pass.next(1)).isNotNull();
      cancellation.cancel();
      int refusals = 0;
      while (refusals <= 5) {
        try {
          if (pass.next(1) == null) {
            break;
          }
        } catch (StatusException e) {
          assertThat(e.code()).isEqualTo(StatusCode.CANCELLED);
          refusals++;
        }
      }
      assertThat(refusals).isBetween(1, 4);
    }
  }

  @Test
  void batch_ofStackedRows_isAViewOfThem() {
    Chunk rows = Chunk.of(6, first(range(6), 6).columns());
    DatasetValue listed = new InMemoryDataset(List.of(rows), RowLambda.INT64);
    Chunk batches = first(new BatchDataset(listed, 2, true, RowLambda.INT64, OnError.RESTARTS), 3);
    assertThat(batches.rows()).isEqualTo(3);
    assertThat(TensorMemory.array(((Column.Stacked) batches.column(0)).tensor()))
        .isSameAs(TensorMemory.array(((Column.Stacked) rows.column(0)).tensor()));
  }

  @Test
  void shuffle_ofSlices_pinsNoLargerArray() {
    Chunk large = first(range(100_000), 100_000);
    DatasetValue few = new InMemoryDataset(List.of(large.slice(0, 10)), RowLambda.INT64);
    ShuffleDataset shuffled = new ShuffleDataset(few, 4, new SeedGenerator(new Seeds(1, 2), false));
    Column.Stacked column = (Column.Stacked) first(shuffled, 5).column(0);
    assertThat(((long[]) TensorMemory.array(column.tensor())).length).isLessThan(20);
  }

  @Test
  void maps_thatShareAResource_takeTurnsRowByRow() {
    List<String> calls = new ArrayList<>();
    MapDataset first =
        new MapDataset(
            range(3),
            RowLambda.touching(x -> log(calls, "a", x)),
            RowLambda.INT64,
            true,
            Parallelism.NONE);
    MapDataset second =
        new MapDataset(
            new SkipDataset(first, 0),
            RowLambda.touching(x -> log(calls, "b", x)),
            RowLambda.INT64,
            true,
            Parallelism.NONE);
    PassReader.lines(second, 1000, 10);
    assertThat(calls).containsExactly("a0", "b0", "a1", "b1", "a2", "b2");
  }

  private static long log(List<String> calls, String name, long value) {
    calls.add(name + value);
    return value;
  }

  @Test
  void assertCardinality_fewerRows_failsAtTheEnd() {
    assertThat(PassReader.lines(new AssertCardinalityDataset(range(2), 3), 10, 10))
        .containsExactly("int64[] 0", "int64[] 1", "error FAILED_PRECONDITION", "end");
  }

  @Test
  void assertCardinality_moreRows_failsBehindThoseExpected() {
    assertThat(PassReader.lines(new AssertCardinalityDataset(range(3), 2), 10, 10))
        .startsWith("int64[] 0", "int64[] 1", "error FAILED_PRECONDITION");
  }

  @Test
  void shuffle_unseeded_differsFromPassToPass() {
    ShuffleDataset shuffled =
        new ShuffleDataset(range(50), 50, new SeedGenerator(new Seeds(0, 0), true));
    assertThat(PassReader.lines(shuffled, 100, 60))
        .isNotEqualTo(PassReader.lines(shuffled, 100, 60));
  }

  @Test
  void cardinality_isWhatAPassFinds() {
    assertThat(new RangeDataset(5, -6, -3, DataType.INT64).cardinality()).isEqualTo(4);
    assertThat(new RangeDataset(Long.MIN_VALUE, Long.MAX_VALUE, 1, DataType.INT64).cardinality())
        .isEqualTo(Long.MAX_VALUE);
    assertThat(new RepeatDataset(range(5), -1, true).cardinality())
        .isEqualTo(DatasetValue.INFINITE);
    assertThat(new ShardDataset(range(11), 4, 3, false).cardinality()).isEqualTo(2);
    assertThat(new WindowDataset(range(14), 3, 4, 2, true, RowLambda.INT64).cardinality())
        .isEqualTo(3);
    assertThat(new WindowDataset(range(14), 3, 4, 2, false, RowLambda.INT64).cardinality())
        .isEqualTo(4);
  }
}
