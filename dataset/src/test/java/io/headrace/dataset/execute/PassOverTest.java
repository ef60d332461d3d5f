package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.Parallelism.Order;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.transform.BatchDataset;
import io.headrace.dataset.execute.transform.BatchDataset.OnError;
import io.headrace.dataset.execute.transform.ConcatenateDataset;
import io.headrace.dataset.execute.transform.FilterDataset;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.PrefetchDataset;
import io.headrace.dataset.execute.transform.RepeatDataset;
import io.headrace.dataset.execute.transform.ShardDataset;
import io.headrace.dataset.execute.transform.SkipDataset;
import io.headrace.dataset.execute.transform.TakeDataset;
import io.headrace.dataset.execute.transform.ZipDataset;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pass that starts behind known rows yields the others, and computes as few rows as possible. */
final class PassOverTest {
  private static final int PIPELINES = 300;

  private final CountingDataset source = new CountingDataset(100);
  private final AtomicLong calls = new AtomicLong();

  /** The lines of a pass behind the first {@code passed} rows, one for each element or error. */
  private static List<String> read(DatasetValue dataset, long passed, int maxRows) {
    List<String> lines = new ArrayList<>();
    try (ChunkIterator rows = dataset.iterator(PassReader.context().withOrder())) {
      if (passed > 0) {
        assertThat(rows.passOver(passed)).isEqualTo(passed);
      }
      do {
        PassReader.addNext(rows, maxRows, lines);
      } while (!lines.getLast().equals("end"));
    }
    return lines;
  }

  private static int firstError(List<String> lines) {
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("error")) {
        return i;
      }
    }
    return lines.size() - 1;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void rest_isThatOfAPassFromTheBeginning(long seed) {
    for (int i = 0; i < PIPELINES; i++) {
      long seedOfPipeline = seed * 1_000_000 + i;
      RandomPipeline pipeline = new RandomPipeline(new Random(seedOfPipeline));
      Random random = new Random(-seedOfPipeline);
      List<String> all = read(pipeline.dataset(), 0, random.nextInt(1, 20));
      int passed = random.nextInt(firstError(all) + 1);

      // Built anew, since shuffles draw other seeds in a second pass.
      DatasetValue again = new RandomPipeline(new Random(seedOfPipeline)).dataset();
      assertThat(read(again, passed, random.nextInt(1, 20)))
          .as("%d rows of %s", passed, pipeline)
          .isEqualTo(all.subList(passed, all.size()));
    }
  }

  private MapDataset map(DatasetValue input, Parallelism parallelism) {
    CapturedFunction counted =
        RowLambda.of(x -> {
          calls.incrementAndGet();
          return x + 1;
        });
    return new MapDataset(input, counted, RowLambda.INT64, true, parallelism);
  }

  private static BatchDataset batch(DatasetValue input, long size) {
    return new BatchDataset(input, size, false, RowLambda.INT64, OnError.RESTARTS);
  }

  private static String batchOf(long from, long to) {
    return PassReader.text(Tensor.vector(LongStream.range(from, to).toArray()));
  }

  @Test
  void mapsAndBatches_makeNothingOfWhatIsPassedOver() {
    for (Parallelism parallelism : List.of(Parallelism.NONE, new Parallelism(2, Order.KEPT))) {
      source.produced.set(0);
      calls.set(0);
      DatasetValue rows = batch(map(map(source, parallelism), Parallelism.NONE), 8);

      assertThat(read(new PrefetchDataset(rows, 2), 10, 1))
          .containsExactly(batchOf(82, 90), batchOf(90, 98), batchOf(98, 102), "end");
      assertThat(source.produced).hasValue(20);
      assertThat(calls).hasValue(2 * 20);
    }
  }

  @Test
  void lastBatchOfFewer_isPassedOver() {
    assertThat(read(batch(source, 8), 13, 1)).containsExactly("end");
    assertThat(source.produced).hasValue(0);
  }

  @Test
  void statefulMap_isCalledForAllRows() {
    CapturedFunction touching =
        RowLambda.touching(x -> {
          calls.incrementAndGet();
          return x;
        });
    MapDataset rows = new MapDataset(source, touching, RowLambda.INT64, true, Parallelism.NONE);

    assertThat(read(rows, 90, 100)).hasSize(11);
    assertThat(calls).hasValue(100);
  }

  @Test
  void filter_makesWhatItMustToKnowWhatPasses() {
    FilterDataset odd =
        new FilterDataset(source, RowLambda.predicate(x -> x % 2 == 1), RowLambda.INT64);

    assertThat(read(new TakeDataset(map(odd, Parallelism.NONE), 41), 40, 5))
        .containsExactly(PassReader.text(Tensor.scalar(82L)), "end");
    assertThat(calls).hasValue(1);
    assertThat(source.produced).hasValue(82);
  }

  @Test
  void choicesOfRows_passOverTheirInput() {
    CountingDataset other = new CountingDataset(100);
    List<DatasetValue> pipelines =
        List.of(
            new SkipDataset(source, 10),
            new ShardDataset(source, 3, 1, false),
            new TakeDataset(source, 30),
            new RepeatDataset(source, 3, true),
            new ConcatenateDataset(source, other, List.of(Shape.SCALAR)),
            new ZipDataset(List.of(source, other)));
    for (DatasetValue dataset : pipelines) {
      List<String> all = read(dataset, 0, 7);
      source.produced.set(0);
      other.produced.set(0);

      int last = all.size() - 2;
      assertThat(read(dataset, last, 7)).isEqualTo(all.subList(last, all.size()));
      assertThat(source.produced.get() + other.produced.get()).isLessThan(10);
    }
  }

  @Test
  void manyRows_arePassedOverAtOnce() {
    DatasetValue numbers = new RangeDataset(0, Long.MAX_VALUE, 1, DataType.INT64);
    long batches = 1L << 50;
    try (ChunkIterator rows =
        batch(map(numbers, Parallelism.NONE), 1 << 10).iterator(PassReader.context())) {
      assertThat(rows.passOver(batches)).isEqualTo(batches);
      Chunk next = rows.next(1);
      assertThat(next).isNotNull();
      assertThat(next.row(0).getFirst().integer(0)).isEqualTo((batches << 10) + 1);
    }
  }
}
