package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage.Told;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The origins that passes over random pipelines report. */
@SuppressWarnings("SystemOut") // prints the amount of coverage
final class OriginsTest {
  private static final int PIPELINES = Integer.getInteger("origins.pipelines", 60);

  private static long pipelines;
  private static long rowsSeen;
  private static long recordsSeen;
  private static long recordsDropped;
  private static long errors;

  @AfterAll
  static void print() {
    System.out.printf(
        "%d random pipelines: %d rows and %d errors; %d records told, %d of them dropped%n",
        pipelines, rowsSeen, errors, recordsSeen, recordsDropped);
  }

  /** A record, as origins name it. */
  private record RecordName(long source, long group, long record) {}

  /** A row of a pass. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Row(long[] numbers, Origins origins) {}

  /** The results of a pass. */
  private static final class Result {
    final List<Row> rows = new ArrayList<>();
    Origins rest = Origins.NONE;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void pass_tellsEachRecordOnce(long seed) {
    for (int i = 0; i < PIPELINES; i++) {
      Random random = new Random(seed * 1_000_000 + i);
      RandomPipeline pipeline = new RandomPipeline(random);
      NumberedSplits splits =
          new NumberedSplits(pipeline.dataset().splitSources(), new RecordSet(), random);

      Result result = read(pipeline, splits, random);

      Tally tally = new Tally(pipeline, splits);
      result.rows.forEach(row -> tally.check(row));
      tally.add(result.rest);
      tally.checkComplete();
      pipelines++;
      rowsSeen += result.rows.size();
      recordsSeen += tally.records.size();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
  void passOverTheRemainder_givesWhatWasNotReceived(long seed) {
    for (int i = 0; i < PIPELINES; i++) {
      Random random = new Random(seed * 1_000_000 + i);
      RandomPipeline pipeline = new RandomPipeline(random);
      List<SplitSource> sources = pipeline.dataset().splitSources();
      NumberedSplits all = new NumberedSplits(sources, new RecordSet(), random);
      Result whole = read(pipeline, all, random);
      List<Row> kept = new ArrayList<>();
      RecordSet received = new RecordSet();
      int share = random.nextInt(11);
      for (Row row : whole.rows) {
        if (random.nextInt(10) < share) {
          kept.add(row);
          received.add(row.origins);
        }
      }

      NumberedSplits left = new NumberedSplits(sources, received.copy(), random);
      Result remainder = read(pipeline, left, random);

      Tally tally = new Tally(pipeline, all);
      kept.forEach(row -> tally.check(row));
      remainder.rows.forEach(row -> tally.check(row));
      tally.add(remainder.rest);
      tally.checkComplete();
      if (!pipeline.losesByOrder()) {
        kept.addAll(remainder.rows);
        assertThat(numbers(kept)).as(pipeline.toString()).isEqualTo(numbers(whole.rows));
      }
      pipelines++;
      rowsSeen += whole.rows.size() + remainder.rows.size();
      recordsSeen += tally.records.size();
    }
  }

  private static List<Long> numbers(List<Row> rows) {
    return rows.stream().flatMapToLong(row -> Arrays.stream(row.numbers)).sorted().boxed().toList();
  }

  private static Result read(RandomPipeline pipeline, NumberedSplits splits, Random random) {
    Result result = new Result();
    DatasetValue dataset = pipeline.dataset();
    assertThat(dataset.lineage()).as(pipeline.toString()).isEqualTo(pipeline.told());
    IteratorContext context = PassReader.context().withSplits(splits.providers());
    try (ChunkIterator pass = dataset.iterator(context)) {
      for (Chunk chunk = next(pass, random); chunk != null; chunk = next(pass, random)) {
        assertThat(chunk.origins().totalRows()).as(pipeline.toString()).isEqualTo(chunk.rows());
        for (int i = 0; i < chunk.rows(); i++) {
          Origins origins = chunk.origins().slice(i, i + 1);
          result.rows.add(new Row(chunk.row(i).getFirst().integers(), origins));
        }
      }
      result.rest = pass.rest();
    }
    return result;
  }

  /** The next rows; continues behind errors. */
  private static @Nullable Chunk next(ChunkIterator pass, RandomGenerator random) {
    while (true) {
      try {
        return pass.next(random.nextInt(8) == 0 ? 1000 : random.nextInt(1, 12));
      } catch (StatusException e) {
        assertThat(e.message()).containsAnyOf("made to fail", "Cannot unbatch");
        errors++;
      }
    }
  }

  /** Checks reported origins against the pipeline's records. */
  private static final class Tally {
    private final RandomPipeline pipeline;
    private final NumberedSplits splits;
    private final int places;
    private final Map<RecordName, Long> records =
        new TreeMap<>(
            Comparator.comparingLong(RecordName::source)
                .thenComparingLong(RecordName::group)
                .thenComparingLong(RecordName::record));
    private final RecordSet set = new RecordSet();

    Tally(RandomPipeline pipeline, NumberedSplits splits) {
      this.pipeline = pipeline;
      this.splits = splits;
      this.places = pipeline.dataset().splitSources().size();
    }

    /** A row reports the records whose numbers it has, and possibly dropped ones. */
    void check(Row row) {
      List<Long> told = new ArrayList<>(add(row.origins));
      for (long number : row.numbers) {
        assertThat(told.remove(number))
            .as("%s: %d in a row of %s", pipeline, number, row.origins)
            .isTrue();
      }
      recordsDropped += told.size();
      if (pipeline.told() != Told.SEVERAL) {
        int last = row.origins.size() - 1;
        assertThat(row.origins.rows(last)).isEqualTo(1);
        assertThat(row.origins.count(last)).isEqualTo(1);
        assertThat(number(row.origins, last, 0)).isEqualTo(row.numbers[0]);
      }
    }

    /** The numbers of the records in {@code origins}. */
    List<Long> add(Origins origins) {
      set.add(origins);
      List<Long> numbers = new ArrayList<>();
      for (int i = 0; i < origins.size(); i++) {
        for (long k = 0; k < origins.count(i); k++) {
          RecordName name =
              new RecordName(origins.source(i), origins.group(i), origins.record(i) + k);
          assertThat(records.put(name, 1L)).as("%s: %s twice", pipeline, name).isNull();
          numbers.add(number(origins, i, k));
        }
      }
      return numbers;
    }

    private long number(Origins origins, int entry, long k) {
      int place = (int) (origins.source(entry) % places);
      long number = pipeline.numberOf(place, origins.group(entry), origins.record(entry) + k);
      assertThat(pipeline.placeOf(number)).isEqualTo(place);
      return number;
    }

    /** Every record of each provided split was reported. */
    void checkComplete() {
      splits.given.forEach((source, given) -> {
        if (!pipeline.isGrouped()) {
          assertThat(set.records(source, Origins.SPLITS))
              .as("%s: source %d", pipeline, source)
              .isEqualTo(given);
          return;
        }
        assertThat(set.completeGroups(source))
            .as("%s: source %d: %s", pipeline, source, set)
            .isEqualTo(given);
        assertThat(set.groups(source)).isEmpty();
        given.forEachRange((from, to) -> {
          for (long split = from; split < to; split++) {
            checkGroup(source, split);
          }
        });
      });
      assertThat(set.sources()).isSubsetOf(splits.given.keySet());
    }

    private void checkGroup(long source, long split) {
      LongSet found = new LongSet();
      records.keySet().stream()
          .filter(name -> name.source == source && name.group == split)
          .forEach(name -> found.add(name.record));
      long all = pipeline.recordsOf((int) (source % places), split);
      assertThat(found.size())
          .as("%s: records of split %d: %s", pipeline, split, found)
          .isIn(0L, all);
    }
  }
}
