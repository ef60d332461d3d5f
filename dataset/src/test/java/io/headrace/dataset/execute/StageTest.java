package io.headrace.dataset.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Parallelism;
import io.headrace.dataset.execute.pass.Stage;
import io.headrace.dataset.execute.pass.StageClock;
import io.headrace.dataset.execute.pass.StageRecorder;
import io.headrace.dataset.execute.pass.StageRecorder.Call;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.transform.FilterDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset.Ahead;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.PrefetchDataset;
import io.headrace.dataset.execute.transform.RepeatDataset;
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

/** Where the time of a pass goes, on a clock that the test advances. */
@Timeout(60)
final class StageTest {
  private static final long MILLI = 1_000_000;

  private final AtomicLong nanos = new AtomicLong();
  private final AtomicLong readings = new AtomicLong();
  private final StageClock clock = new StageClock(this::read);
  private final Stage user = Stage.ofPass(clock);

  private long read() {
    readings.incrementAndGet();
    return nanos.get();
  }

  private void pass(long millis) {
    nanos.addAndGet(millis * MILLI);
    clock.advance();
  }

  private IteratorContext context() {
    return new IteratorContext(
            StepContext.standalone().withCancellation(new Cancellation()),
            () -> 0,
            new SplittableRandom(1),
            PassReader.THREADS,
            4,
            1 << 20)
        .measuredFor(user);
  }

  /** Reads all rows in chunks of ten, and takes {@code millis} for each chunk. */
  private long consume(DatasetValue dataset, long millis) {
    long rows = 0;
    try (ChunkIterator iterator = context().open(dataset)) {
      for (Chunk chunk = iterator.next(10); chunk != null; chunk = iterator.next(10)) {
        rows += chunk.rows();
        pass(millis);
      }
    }
    return rows;
  }

  private static DatasetValue range(long rows) {
    return new RangeDataset(0, rows, 1, DataType.INT64);
  }

  private MapDataset map(DatasetValue input, Parallelism parallelism, long millisPerRow) {
    return new MapDataset(
        input,
        RowLambda.of(x -> {
          pass(millisPerRow);
          return x;
        }),
        RowLambda.INT64,
        true,
        parallelism);
  }

  private Stage.Figures stage(int index) {
    return user.figures().get(index);
  }

  private List<String> names() {
    return user.figures().stream().map(Stage.Figures::name).toList();
  }

  @Test
  void recordedCalls_haveTheirTimes_andContainThoseOfTheirInput() {
    MapDataset slow = map(range(1), Parallelism.NONE, 7);
    StageRecorder recorder = new StageRecorder();
    user.record(recorder);

    consume(slow, 0);

    assertThat(recorder.calls()).extracting(Call::rows).containsExactly(1, 1, 0, 0);
    assertThat(recorder.calls())
        .extracting(Call::stage)
        .startsWith(user.places().get(1).stage(), user.places().get(0).stage());
    Call map = recorder.calls().get(1);
    assertThat(map.endedNanos() - map.begunNanos()).isEqualTo(7 * MILLI);
    assertThat(map.kind()).isEqualTo(StageRecorder.Kind.NEXT);
    assertThat(map.thread()).isEqualTo(Thread.currentThread());
    assertThat(recorder.calls().getFirst().begunNanos()).isEqualTo(map.begunNanos());
  }

  @Test
  void callsThatAreDropped_areSummedUp_untilTheNextBegin() {
    StageRecorder recorder = new StageRecorder();
    user.record(recorder);
    long passes = StageRecorder.MAX_BEFORE;

    for (int i = 0; i < passes; i++) {
      consume(map(range(1), Parallelism.NONE, 7), 0);
    }

    Stage map = user.places().get(0).stage();
    StageRecorder.LeftOut leftOut = recorder.leftOut(map);
    List<Call> kept = recorder.calls().stream().filter(call -> call.stage().equals(map)).toList();
    long keptNanos = kept.stream().mapToLong(call -> call.endedNanos() - call.begunNanos()).sum();
    assertThat(recorder.calls()).hasSize(StageRecorder.MAX_BEFORE);
    assertThat(leftOut.calls() + kept.size()).isEqualTo(2 * passes);
    assertThat(leftOut.rows() + kept.stream().mapToLong(Call::rows).sum()).isEqualTo(passes);
    assertThat(leftOut.nextNanos() + keptNanos).isEqualTo(passes * 7 * MILLI);

    recorder.begin(kept.getLast().endedNanos());
    consume(map(range(1), Parallelism.NONE, 7), 0);

    assertThat(recorder.leftOut(map)).isEqualTo(StageRecorder.LeftOut.NONE);
  }

  @Test
  void recorder_getsNothing_onceItsRecordingHasEnded() {
    StageRecorder recorder = new StageRecorder();
    user.record(recorder);
    user.stopRecording(new StageRecorder());
    consume(range(10), 0);
    int recorded = recorder.calls().size();
    user.stopRecording(recorder);

    consume(range(10), 0);

    assertThat(recorded).isEqualTo(2);
    assertThat(recorder.calls()).hasSize(recorded);
  }

  @Test
  void recorder_keepsTheLastCallsBefore_andTheFirstBehind() {
    StageRecorder recorder = new StageRecorder();
    user.record(recorder);
    int before = StageRecorder.MAX_BEFORE + 3;
    int behind = StageRecorder.MAX_BEHIND + 4;
    try (ChunkIterator iterator = context().open(range(before + behind))) {
      for (int i = 0; i < before + behind; i++) {
        if (i == before) {
          recorder.keep();
        }
        pass(1);
        var _ = iterator.next(1);
      }
    }

    assertThat(recorder.calls()).hasSize(StageRecorder.MAX_BEFORE + StageRecorder.MAX_BEHIND);
    assertThat(recorder.leftOut()).isEqualTo(7);
    assertThat(recorder.calls().getFirst().begunNanos()).isEqualTo(4 * MILLI);
    assertThat(recorder.calls().getLast().begunNanos())
        .isEqualTo((before + StageRecorder.MAX_BEHIND) * MILLI);
  }

  @Test
  void callUnderWay_isOpen() {
    List<Call> open = new ArrayList<>();
    MapDataset looked =
        new MapDataset(
            range(1),
            RowLambda.of(x -> {
              pass(5);
              StageRecorder none = new StageRecorder();
              user.places()
                  .forEach(place -> open.addAll(place.stage().openCalls(none, nanos.get())));
              return x;
            }),
            RowLambda.INT64,
            true,
            Parallelism.NONE);

    consume(looked, 0);

    assertThat(open).singleElement().matches(Call::open);
    assertThat(open.getFirst().endedNanos() - open.getFirst().begunNanos()).isEqualTo(5 * MILLI);
    assertThat(open.getFirst().thread()).isNull();
  }

  @Test
  void chain_onOneThread_dividesItsTime() {
    long rows = consume(map(map(range(100), Parallelism.NONE, 3), Parallelism.NONE, 7), 1000);

    assertThat(rows).isEqualTo(100);
    assertThat(names()).containsExactly("Map", "Map", "Range");
    assertThat(user.figures()).extracting(Stage.Figures::consumer).containsExactly(-1, 0, 1);
    assertThat(user.figures()).extracting(Stage.Figures::rows).containsOnly(100L);
    assertThat(stage(0).busyNanos()).isEqualTo(700 * MILLI);
    assertThat(stage(0).starvedNanos()).isEqualTo(300 * MILLI);
    assertThat(stage(1).busyNanos()).isEqualTo(300 * MILLI);
    assertThat(stage(2).busyNanos()).isZero();
    assertThat(stage(0).function()).isEqualTo("lambda");
  }

  @Test
  void clock_isNeverReadByARow() {
    DatasetValue singleRows =
        new InterleaveDataset(
            range(10), RowLambda.dataset(_ -> range(1000)), RowLambda.INT64, 4, 1, Ahead.NONE);
    long before = readings.get();

    long rows = 0;
    try (ChunkIterator iterator = context().open(singleRows)) {
      for (Chunk chunk = iterator.next(1); chunk != null; chunk = iterator.next(1)) {
        rows += chunk.rows();
      }
    }

    assertThat(rows).isEqualTo(10_000);
    assertThat(stage(2).rows()).isEqualTo(10_000);
    assertThat(readings.get()).isEqualTo(before);
  }

  @Test
  void callThatIsUnderWay_counts() {
    List<Long> busy = new ArrayList<>();
    consume(
        new FilterDataset(
            range(3),
            RowLambda.predicate(x -> {
              pass(5);
              busy.add(stage(0).busyNanos() / MILLI);
              return true;
            }),
            RowLambda.INT64),
        0);

    assertThat(busy).containsExactly(5L, 10L, 15L);
  }

  @Test
  void innerPasses_areOneStage() {
    DatasetValue interleaved =
        new InterleaveDataset(
            range(50),
            RowLambda.dataset(_ -> map(range(4), Parallelism.NONE, 1)),
            RowLambda.INT64,
            3,
            1,
            Ahead.NONE);

    consume(interleaved, 0);

    assertThat(names()).containsExactly("Interleave", "Range", "Map", "Range");
    assertThat(user.figures()).extracting(Stage.Figures::consumer).containsExactly(-1, 0, 0, 2);
    assertThat(stage(2).rows()).isEqualTo(200);
    assertThat(stage(2).busyNanos()).isEqualTo(200 * MILLI);
    assertThat(stage(0).busyNanos()).isZero();
    assertThat(stage(0).starvedNanos()).isEqualTo(200 * MILLI);
  }

  @Test
  void repetitions_areOneStage() {
    consume(new RepeatDataset(range(5), 1000, false), 0);

    assertThat(user.figures()).hasSize(2);
    assertThat(stage(1).rows()).isEqualTo(5000);
  }

  @Test
  void prefetch_isStarved_whileItsInputWorks_onAnotherThread() {
    consume(new PrefetchDataset(map(range(100), Parallelism.NONE, 2), 4), 0);

    assertThat(names()).containsExactly("Prefetch", "Map", "Range");
    assertThat(stage(0).starvedNanos()).isEqualTo(200 * MILLI);
    assertThat(stage(1).busyNanos()).isEqualTo(200 * MILLI);
    assertThat(stage(0).fills()).isPositive();
    assertThat(stage(0).fillPermille()).isBetween(0L, 1000 * stage(0).fills());
  }

  @Test
  void parallelMap_isBusyInItsOwnThreads() {
    Parallelism one = new Parallelism(1, Parallelism.Order.KEPT);

    consume(map(range(100), one, 2), 0);

    assertThat(names()).containsExactly("ParallelMapV2", "Range");
    assertThat(stage(0).busyNanos()).isGreaterThanOrEqualTo(200 * MILLI);
    assertThat(stage(0).starvedNanos()).isZero();
    assertThat(stage(0).maxThreads()).isEqualTo(1);
    assertThat(stage(1).busyNanos()).isZero();
  }

  @Test
  void furtherStages_countWithTheirConsumers() {
    DatasetValue chain = range(10);
    for (int i = 0; i < 100; i++) {
      chain = map(chain, Parallelism.NONE, i == 0 ? 1 : 0);
    }

    assertThat(consume(chain, 0)).isEqualTo(10);
    assertThat(user.figures()).hasSize(64);
    assertThat(stage(63).busyNanos()).isEqualTo(10 * MILLI);
  }

  @Test
  void passThatIsNotMeasured_hasNoStages() {
    try (ChunkIterator iterator = PassReader.context().open(map(range(5), Parallelism.NONE, 1))) {
      assertThat(iterator.next(5)).isNotNull();
    }

    assertThat(user.figures()).isEmpty();
  }
}
