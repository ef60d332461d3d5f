package io.headrace.dataset.execute;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Interleave;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage.Lost;
import io.headrace.dataset.execute.pass.Lineage.Told;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.transform.BatchDataset;
import io.headrace.dataset.execute.transform.FilterDataset;
import io.headrace.dataset.execute.transform.FlatMapDataset;
import io.headrace.dataset.execute.transform.IgnoreErrorsDataset;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.OptionsDataset;
import io.headrace.dataset.execute.transform.PrefetchDataset;
import io.headrace.dataset.execute.transform.RepeatDataset;
import io.headrace.dataset.execute.transform.ShuffleDataset;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The lineage of each dataset, and reported origins in some cases. */
final class LineageTest {
  static Stream<Arguments> told() {
    Dataset range = Dataset.range(10);
    Dataset names = Dataset.tensorSlices(Tensor.vector("a", "b"));
    return Stream.of(
        arguments(range.map(x -> x.add(1L)).shuffle(5, 1).prefetch(2).repeat(2), Told.SPLITS),
        arguments(range.concatenate(Dataset.range(3)).take(-1).skip(0), Told.SPLITS),
        arguments(range.filter(x -> x.equalTo(2L)).batch(3).map(x -> x.add(1L)), Told.SEVERAL),
        arguments(range.batch(2).batch(2), Told.SEVERAL),
        arguments(range.concatenate(Dataset.range(3).flatMap(x -> Dataset.range(x))), Told.SEVERAL),
        arguments(range.flatMap(x -> Dataset.range(x)).shuffle(3, 1), Told.RECORDS),
        arguments(
            names.shuffle(2, 1).interleave(Dataset::textLines, Interleave.cycle(2).parallel(2)),
            Told.RECORDS),
        arguments(names.flatMap(file -> Dataset.tfRecord(file).map(x -> x)), Told.RECORDS));
  }

  @ParameterizedTest
  @MethodSource
  void told(Dataset dataset, Told told) {
    assertThat(load(dataset).lineage()).isEqualTo(told);
  }

  static Stream<Arguments> lost() {
    Dataset range = Dataset.range(10);
    return Stream.of(
        arguments(range.take(3).map(x -> x.add(1L)), "TakeDataset"),
        arguments(range.skip(3).batch(2), "SkipDataset"),
        arguments(range.concatenate(range.take(3)), "TakeDataset"),
        arguments(range.shard(2, 1), "ShardDataset"),
        arguments(range.enumerate(0).map((i, x) -> x), "ZipDataset"),
        arguments(range.cache().shuffle(3, 1), "CacheDataset"),
        arguments(
            range.flatMap(x -> Dataset.range(3)).flatMap(x -> Dataset.range(3)), "FlatMapDataset"),
        arguments(range.batch(2).flatMap(x -> Dataset.tensorSlices(x)), "FlatMapDataset"),
        arguments(range.flatMap(x -> Dataset.range(3).shuffle(3, 1)), "FlatMapDataset"),
        arguments(
            range.interleave(x -> Dataset.range(3).shuffle(3, 1), Interleave.cycle(2)),
            "InterleaveDataset"));
  }

  @ParameterizedTest
  @MethodSource
  void lost(Dataset dataset, String op) {
    assertThat(load(dataset).lineage())
        .isInstanceOfSatisfying(
            Lost.class, lost -> assertThat(lost.reason()).startsWith(op + ": "));
  }

  static Stream<Arguments> remade() {
    Dataset range = Dataset.range(10);
    Dataset twice = range.flatMap(x -> Dataset.range(3)).flatMap(x -> Dataset.range(3));
    return Stream.of(
        arguments(range.batch(2), true),
        arguments(twice, true),
        arguments(twice.shuffle(3, 1).repeat(2), true),
        arguments(twice.concatenate(range), true),
        arguments(range.concatenate(twice), true),
        arguments(twice.take(3), false),
        arguments(range.take(3).flatMap(x -> Dataset.range(3).shuffle(3, 1)), false),
        arguments(twice.concatenate(range.take(3)), false),
        arguments(range.take(3).concatenate(twice), false),
        arguments(range.cache(), false),
        arguments(Dataset.zip(range, range), false));
  }

  @ParameterizedTest
  @MethodSource
  void remade(Dataset dataset, boolean remade) {
    assertThat(load(dataset).lineage().reasonNotRemade().isEmpty()).isEqualTo(remade);
  }

  @Test
  void repeat_withoutEnd_endsWhenNoLaterRepetitionHasSplits() {
    DatasetValue endless =
        new RepeatDataset(
            new PrefetchDataset(
                new ShuffleDataset(range(5), 3, new SeedGenerator(new Seeds(1, 2), true)), 2),
            -1,
            true);

    RecordSet told = read(endless, 3);

    for (long repetition = 0; repetition < 3; repetition++) {
      assertThat(told.records(repetition, Origins.SPLITS)).isEqualTo(upTo(5));
    }
    assertThat(told.sources()).hasSize(3);
  }

  @Test
  void map_thatTurnsOutSlow_tellsAllRecords() {
    AtomicLong clock = new AtomicLong();
    DatasetValue failing =
        new MapDataset(
            range(300),
            RowLambda.of(x -> {
              if (x % 3 == 0) {
                throw StatusException.invalidArgument("no %d", x);
              }
              return x;
            }),
            RowLambda.INT64,
            true,
            Parallelism.NONE);
    IteratorContext slow =
        new IteratorContext(
            StepContext.standalone(),
            () -> clock.addAndGet(5_000_000),
            new SplittableRandom(1),
            PassReader.THREADS,
            4,
            1 << 20);

    assertThat(read(new IgnoreErrorsDataset(failing, false), 1, slow).records(0, Origins.SPLITS))
        .isEqualTo(upTo(300));
  }

  @Test
  void interleave_ofSloppyDatasets_numbersTheirRecordsInOrder() {
    DatasetValue sloppy =
        new OptionsDataset(
            new FlatMapDataset(
                range(4),
                RowLambda.dataset(_ ->
                    new OptionsDataset(
                        new MapDataset(
                            range(100),
                            RowLambda.of(x -> x),
                            RowLambda.INT64,
                            true,
                            new Parallelism(4, Parallelism.Order.SLOPPY)),
                        Optional.of(false))),
                RowLambda.INT64),
            Optional.of(false));

    try (ChunkIterator pass = sloppy.iterator(context(sloppy, 1, PassReader.context()))) {
      for (Chunk chunk = pass.next(7); chunk != null; chunk = pass.next(7)) {
        for (int i = 0; i < chunk.rows(); i++) {
          Origins origins = chunk.origins().slice(i, i + 1);
          assertThat(origins.record(origins.size() - 1))
              .isEqualTo(chunk.row(i).getFirst().integer(0));
        }
      }
    }
  }

  @Test
  void files_someOfWhoseLinesWereReceived_giveTheOthers(@TempDir Path directory)
      throws IOException {
    List<String> files = new ArrayList<>();
    for (int f = 0; f < 3; f++) {
      Path file = directory.resolve("file" + f);
      Files.write(file, List.of(f + "a", f + "b", f + "c", f + "d"));
      files.add(file.toString());
    }
    DatasetValue lines =
        load(
            Dataset.tensorSlices(Tensor.vector(files.toArray(String[]::new)))
                .interleave(Dataset::textLines, Interleave.cycle(2).parallel(2)));
    RecordSet received = new RecordSet();
    received.add(0, 0, 1, 2);
    received.completeGroups(0, 1, 2);
    NumberedSplits splits = new NumberedSplits(lines.splitSources(), received, new Random(1));

    List<String> found = new ArrayList<>();
    try (ChunkIterator pass = lines.iterator(PassReader.context().withSplits(splits.providers()))) {
      for (Chunk chunk = pass.next(3); chunk != null; chunk = pass.next(3)) {
        for (int i = 0; i < chunk.rows(); i++) {
          found.add(new String(chunk.row(i).getFirst().string(0), UTF_8));
        }
        received.add(chunk.origins());
      }
      received.add(pass.rest());
    }

    assertThat(found).containsExactlyInAnyOrder("0a", "0d", "2a", "2b", "2c", "2d");
    assertThat(received.completeGroups(0)).isEqualTo(upTo(3));
  }

  @Test
  void filter_eachRow_tellsOfThoseLeftOutSinceTheLast() {
    DatasetValue some =
        new FilterDataset(range(10), RowLambda.predicate(x -> x % 4 == 2), RowLambda.INT64);
    Origins.Builder expected =
        new Origins.Builder()
            .addParts(0, Origins.SPLITS, 0, 2)
            .addRecords(1, 0, Origins.SPLITS, 2)
            .addParts(0, Origins.SPLITS, 3, 3)
            .addRecords(1, 0, Origins.SPLITS, 6);

    Origins found = Origins.NONE;
    try (ChunkIterator pass = some.iterator(context(some, 1, PassReader.context()))) {
      for (Chunk chunk = pass.next(1); chunk != null; chunk = pass.next(1)) {
        found = found.concat(chunk.origins());
      }
      assertThat(recordsOf(found)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
      assertThat(found.slice(1, 2)).isEqualTo(expected.build().slice(1, 2));
      assertThat(recordsOf(pass.rest())).containsExactly(7L, 8L, 9L);
    }
  }

  private static List<Long> recordsOf(Origins origins) {
    List<Long> records = new ArrayList<>();
    for (int i = 0; i < origins.size(); i++) {
      for (long k = 0; k < origins.count(i); k++) {
        records.add(origins.record(i) + k);
      }
    }
    return records;
  }

  @Test
  void pass_ofWhichNobodyKeepsCount_tellsNothing() {
    DatasetValue batches =
        new BatchDataset(
            new ShuffleDataset(range(50), 10, new SeedGenerator(new Seeds(1, 2), true)),
            4,
            true,
            RowLambda.INT64,
            BatchDataset.OnError.RESTARTS);
    try (ChunkIterator pass = batches.iterator(PassReader.context())) {
      for (Chunk chunk = pass.next(3); chunk != null; chunk = pass.next(3)) {
        assertThat(chunk.origins()).isSameAs(Origins.NONE);
      }
      assertThat(pass.rest()).isSameAs(Origins.NONE);
    }
  }

  private static DatasetValue range(long rows) {
    return new RangeDataset(0, rows, 1, DataType.INT64);
  }

  private static LongSet upTo(long end) {
    LongSet set = new LongSet();
    set.addRange(0, end);
    return set;
  }

  private static RecordSet read(DatasetValue dataset, long repetitions) {
    return read(dataset, repetitions, PassReader.context());
  }

  private static RecordSet read(DatasetValue dataset, long repetitions, IteratorContext context) {
    RecordSet told = new RecordSet();
    try (ChunkIterator pass = dataset.iterator(context(dataset, repetitions, context))) {
      for (Chunk chunk = pass.next(20); chunk != null; chunk = pass.next(20)) {
        told.add(chunk.origins());
      }
      told.add(pass.rest());
    }
    return told;
  }

  private static IteratorContext context(
      DatasetValue dataset, long repetitions, IteratorContext context) {
    return context.withSplits(
        new NumberedSplits(dataset.splitSources(), new RecordSet(), new Random(1), repetitions)
            .providers());
  }

  private static DatasetValue load(Dataset dataset) {
    return DatasetGraph.read(dataset.toGraphDef())
        .load(OpRegistry.standard(), StepContext.standalone());
  }
}
