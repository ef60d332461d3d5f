package io.headrace.dataset.execute;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.Lineage.Told;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.Parallelism.Order;
import io.headrace.dataset.execute.pass.PrefetchProducer;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.transform.BatchDataset;
import io.headrace.dataset.execute.transform.BatchDataset.OnError;
import io.headrace.dataset.execute.transform.ConcatenateDataset;
import io.headrace.dataset.execute.transform.FilterDataset;
import io.headrace.dataset.execute.transform.FlatMapDataset;
import io.headrace.dataset.execute.transform.IgnoreErrorsDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset.Ahead;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.OptionsDataset;
import io.headrace.dataset.execute.transform.PaddedBatchDataset;
import io.headrace.dataset.execute.transform.PrefetchDataset;
import io.headrace.dataset.execute.transform.RepeatDataset;
import io.headrace.dataset.execute.transform.ShuffleDataset;
import io.headrace.dataset.execute.transform.UnbatchDataset;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;

/**
 * A random pipeline of transformations that report origins. Its elements are numbers, or batches of
 * numbers, that identify their records: the value of the split or, where a flat map makes records
 * of splits, a thousand times that value plus the record's index.
 */
final class RandomPipeline {
  private static final long SPAN = 1000;

  private final RandomGenerator random;
  private final StringBuilder text = new StringBuilder();

  /** For each source, the values of its splits. */
  private final List<long[]> contents = new ArrayList<>();

  private DatasetValue dataset;
  private boolean grouped;
  private boolean batched;
  private boolean fails;
  private boolean loses;

  RandomPipeline(RandomGenerator random) {
    this.random = random;
    this.dataset = source();
    somewhat(3);
    if (random.nextInt(3) > 0) {
      flatten();
      somewhat(3);
    }
    if (random.nextBoolean()) {
      batch();
      somewhat(2);
    }
  }

  DatasetValue dataset() {
    return dataset;
  }

  /** Whether a flat map makes records of splits. */
  boolean isGrouped() {
    return grouped;
  }

  /** Whether the choice of dropped elements depends on the order of records. */
  boolean losesByOrder() {
    return loses;
  }

  @Override
  public String toString() {
    return text.toString();
  }

  private void add(String op, DatasetValue made) {
    text.append(" > ").append(op);
    dataset = made;
  }

  private DatasetValue source() {
    DatasetValue first = leaf();
    if (random.nextInt(3) > 0) {
      return first;
    }
    DatasetValue second = leaf();
    text.append(" concatenated");
    return new ConcatenateDataset(first, second, first.outputShapes());
  }

  private DatasetValue leaf() {
    int count = random.nextInt(8) == 0 ? 0 : random.nextInt(1, 60);
    long start = 100L * contents.size();
    text.append(count).append(" splits ");
    if (random.nextBoolean()) {
      contents.add(LongStream.range(start, start + count).toArray());
      return new RangeDataset(start, start + count, 1, DataType.INT64);
    }
    long[] values = LongStream.range(0, count).map(i -> start + count - 1 - i).toArray();
    contents.add(values);
    List<Chunk> rows =
        Arrays.stream(values).mapToObj(v -> Chunk.ofElement(List.of(Tensor.scalar(v)))).toList();
    return new InMemoryDataset(rows, RowLambda.INT64);
  }

  private void somewhat(int most) {
    for (int left = random.nextInt(most + 1); left > 0; left--) {
      transform();
    }
  }

  private void transform() {
    switch (random.nextInt(9)) {
      case 0 -> map(random.nextBoolean());
      case 1 -> {
        map(true);
        add("ignore_errors", new IgnoreErrorsDataset(dataset, false));
        fails = false;
      }
      case 2 -> filter();
      case 3, 4 -> shuffle();
      case 5 -> add("prefetch", new PrefetchDataset(dataset, random.nextInt(-1, 4)));
      case 6 -> {
        int count = random.nextInt(1, 4);
        add("repeat " + count, new RepeatDataset(dataset, count, random.nextBoolean()));
      }
      case 7 -> add("unordered", new OptionsDataset(dataset, Optional.of(random.nextInt(3) == 0)));
      default -> map(false);
    }
  }

  private void shuffle() {
    int buffer = random.nextInt(1, 40);
    add(
        "shuffle " + buffer,
        new ShuffleDataset(dataset, buffer, new SeedGenerator(new Seeds(7, 8), true)));
  }

  private Parallelism parallelism() {
    return switch (random.nextInt(4)) {
      case 0 -> Parallelism.NONE;
      case 1 -> new Parallelism(random.nextInt(1, 5), Order.SLOPPY);
      case 2 -> new Parallelism(Parallelism.AUTOTUNE, Order.DEFAULT);
      default -> new Parallelism(random.nextInt(1, 5), Order.KEPT);
    };
  }

  private void map(boolean failing) {
    int modulus = failing ? random.nextInt(2, 9) : 0;
    Parallelism parallelism = parallelism();
    fails |= failing;
    loses |= failing && batched;
    add(
        "map " + parallelism + (failing ? " failing 1 in " + modulus : ""),
        new MapDataset(
            dataset,
            new RowLambda(
                    row -> {
                      if (failing && mixed(row.getFirst()) % modulus == 0) {
                        throw StatusException.invalidArgument("an element that is made to fail");
                      }
                      return row;
                    },
                    false)
                .captured(),
            RowLambda.INT64,
            true,
            parallelism));
  }

  private void filter() {
    int modulus = random.nextInt(1, 6);
    add(
        "filter without 1 in " + modulus,
        new FilterDataset(
            dataset,
            new RowLambda(
                    row -> {
                      boolean passes = mixed(row.getFirst()) % modulus != 0;
                      return List.of(Tensor.scalar(passes));
                    },
                    false)
                .captured(),
            RowLambda.INT64));
    loses |= batched;
  }

  private static long mixed(Tensor value) {
    long first = value.elements() == 0 ? 0 : value.integers()[0];
    return (first * 0x9E3779B97F4A7C15L) >>> 40;
  }

  private void flatten() {
    grouped = true;
    boolean failing = random.nextInt(4) == 0;
    fails |= failing;
    CapturedFunction function =
        RowLambda.dataset(value -> {
          if (failing && value % 7 == 3) {
            throw StatusException.invalidArgument("a split that is made to fail");
          }
          return inner(value);
        });
    switch (random.nextInt(4)) {
      case 0 -> add("flat_map" + failing, new FlatMapDataset(dataset, function, RowLambda.INT64));
      case 1 -> {
        add("vectors", vectors(failing));
        add("unbatch", new UnbatchDataset(dataset, RowLambda.INT64));
      }
      case 2 -> interleave(function, Ahead.NONE);
      default ->
          interleave(
              function,
              new Ahead(
                  new Parallelism(
                      random.nextInt(1, 4), random.nextBoolean() ? Order.KEPT : Order.SLOPPY),
                  random.nextBoolean() ? PrefetchProducer.AUTOTUNE : random.nextInt(1, 4),
                  random.nextInt(3)));
    }
  }

  private void interleave(CapturedFunction function, Ahead ahead) {
    int cycle = random.nextInt(1, 5);
    int block = random.nextInt(1, 4);
    add(
        "interleave " + cycle + " by " + block + " " + ahead,
        new InterleaveDataset(dataset, function, RowLambda.INT64, cycle, block, ahead));
  }

  private MapDataset vectors(boolean failing) {
    return new MapDataset(
        dataset,
        new RowLambda(
                row -> {
                  long value = row.getFirst().integer(0);
                  return failing && value % 7 == 3
                      ? row
                      : List.of(Tensor.vector(innerValues(value)));
                },
                false)
            .captured(),
        ElementSpec.of("node vectors", DataType.INT64, Shape.UNKNOWN),
        true,
        Parallelism.NONE);
  }

  /** The records of the split with the value {@code value}. */
  private static long[] innerValues(long value) {
    int count = value % 10 == 0 ? 30 : (int) (value * 7 % 5);
    return LongStream.range(0, count).map(k -> value * SPAN + k).toArray();
  }

  /** A dataset of these records, of different kinds, some with errors. */
  private static DatasetValue inner(long value) {
    long[] values = innerValues(value);
    long first = value * SPAN;
    DatasetValue range = new RangeDataset(first, first + values.length, 1, DataType.INT64);
    DatasetValue longer = new RangeDataset(first - 3, first + values.length, 1, DataType.INT64);
    return switch ((int) (value % 4)) {
      case 0 -> range;
      case 1 ->
          new MapDataset(
              new PrefetchDataset(range, 2),
              RowLambda.of(x -> x),
              RowLambda.INT64,
              true,
              new Parallelism(3, Order.SLOPPY));
      case 2 -> new FilterDataset(longer, RowLambda.predicate(x -> x >= first), RowLambda.INT64);
      default ->
          new IgnoreErrorsDataset(
              new MapDataset(
                  longer,
                  RowLambda.of(x -> {
                    if (x < first) {
                      throw StatusException.invalidArgument("no record");
                    }
                    return x;
                  }),
                  RowLambda.INT64,
                  true,
                  Parallelism.NONE),
              false);
    };
  }

  private void batch() {
    batched = true;
    int size = random.nextInt(1, 9);
    boolean drops = random.nextBoolean();
    loses |= drops || fails;
    if (random.nextInt(3) == 0) {
      add(
          "padded batch " + size + drops,
          new PaddedBatchDataset(
              dataset,
              size,
              drops,
              List.of(Shape.SCALAR),
              List.of(Tensor.scalar(0L)),
              RowLambda.INT64));
      return;
    }
    OnError onError = random.nextBoolean() ? OnError.RESTARTS : OnError.SKIPS_BATCH;
    add(
        "batch " + size + drops + onError,
        new BatchDataset(dataset, size, drops, RowLambda.INT64, onError));
  }

  /** The index of a number's source. */
  int placeOf(long number) {
    long split = grouped ? Math.floorDiv(number, SPAN) : number;
    return (int) (split / 100);
  }

  /** The number of record {@code record} in {@code group} of a source. */
  long numberOf(int place, long group, long record) {
    long[] values = contents.get(place);
    return grouped ? values[(int) group] * SPAN + record : values[(int) record];
  }

  /** The number of records of a split that is not dropped. */
  long recordsOf(int place, long split) {
    return innerValues(contents.get(place)[(int) split]).length;
  }

  /** The expected lineage. */
  Told told() {
    return batched ? Told.SEVERAL : grouped ? Told.RECORDS : Told.SPLITS;
  }
}
