package io.headrace.dispatcher.statistics;

import io.headrace.dataset.plan.FunctionNames;
import io.headrace.proto.headrace.JobHistory;
import io.headrace.proto.headrace.ReaderHistory;
import io.headrace.proto.headrace.StageHistory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The last ten minutes of a job, its stages and its Java readers, by seconds. {@link JobHistories}
 * bounds their number. Not thread-safe.
 */
public final class JobSeries {
  private static final int ROWS = 0;
  private static final int BYTES = 1;
  private static final int BUSY = 0;
  private static final int STARVED = 1;
  private static final int ELEMENTS = 0;
  private static final int WAIT = 1;

  private final MeasuredSeries tasks;
  private final MeasuredSeries readings;
  private final Map<StagePlace, MeasuredSeries> stages = new LinkedHashMap<>();
  private final Map<Long, MeasuredSeries> readers = new LinkedHashMap<>();

  JobSeries() {
    this(MeasuredSeries.ofTwo(), MeasuredSeries.ofTwo());
  }

  private JobSeries(MeasuredSeries tasks, MeasuredSeries readings) {
    this.tasks = tasks;
    this.readings = readings;
  }

  /** The same series; what is added to one is not in the other. */
  JobSeries copy() {
    JobSeries copy = new JobSeries(tasks.copy(), readings.copy());
    stages.forEach((place, series) -> copy.stages.put(place, series.copy()));
    readers.forEach((id, series) -> copy.readers.put(id, series.copy()));
    return copy;
  }

  /** A stage over all workers: those of a name and function behind one consumer are one. */
  record StagePlace(int consumer, String name, String function) {
    static StagePlace of(StageLoad load) {
      return new StagePlace(load.consumer(), load.name(), load.function());
    }
  }

  /** The series of this job, its own included. */
  int size() {
    return 2 + stages.size() + readers.size();
  }

  int numStages() {
    return stages.size();
  }

  int numReaders() {
    return readers.size();
  }

  boolean hasStage(StagePlace place) {
    return stages.containsKey(place);
  }

  boolean hasReader(long reader) {
    return readers.containsKey(reader);
  }

  void addStage(StagePlace place) {
    stages.put(place, MeasuredSeries.ofTwo());
  }

  void addReader(long reader) {
    readers.put(reader, MeasuredSeries.ofTwo());
  }

  /** A task's rows were taken by readers. */
  void served(TaskInterval interval) {
    double seconds = interval.seconds();
    tasks.add(
        interval.fromNanos(),
        interval.toNanos(),
        interval.load().rowsPerSecond() * seconds,
        interval.load().bytesPerSecond() * seconds);
  }

  /** A stage worked and waited on one worker; nothing if the stage has no series. */
  void worked(StageLoad load, TaskInterval interval) {
    @Nullable MeasuredSeries stage = stages.get(StagePlace.of(load));
    if (stage != null) {
      double seconds = interval.passSeconds();
      stage.add(
          interval.fromNanos(),
          interval.toNanos(),
          load.busy() * seconds,
          load.starved() * seconds);
    }
  }

  /** A reader's user took elements and waited. */
  void read(long reader, ReadingInterval interval) {
    double elements = (double) interval.elements();
    double wait = Math.min(interval.seconds(), interval.waitMillis() / 1e3);
    readings.add(interval.fromNanos(), interval.toNanos(), elements, wait);
    @Nullable MeasuredSeries own = readers.get(reader);
    if (own != null) {
      own.add(interval.fromNanos(), interval.toNanos(), elements, wait);
    }
  }

  /** Forgets readers and stages of which nothing was heard since {@code second}. */
  void forgetBefore(long second) {
    readers.values().removeIf(series -> series.last() < second);
    stages.values().removeIf(series -> series.last() < second);
  }

  /** The last second of which something is known; the least value if there is none. */
  long last() {
    return Math.max(tasks.last(), readings.last());
  }

  /** The seconds up to the one of {@code nanos}, from the first one of which something is known. */
  public JobHistory.Builder message(long nanos) {
    long end = SecondSeries.second(nanos);
    long begin = end - SecondSeries.SECONDS + 1;
    while (begin < end && !tasks.has(begin) && !readings.has(begin)) {
      begin++;
    }
    Seconds seconds = new Seconds(begin, end);
    JobHistory.Builder message = JobHistory.newBuilder();
    seconds.each(s -> tasks.amount(ROWS, s), message::addRowsPerSecond);
    seconds.each(s -> tasks.amount(BYTES, s), message::addBytesPerSecond);
    seconds.each(s -> readings.amount(ELEMENTS, s), message::addElementsPerSecond);
    seconds.each(s -> readings.share(WAIT, s), message::addWaitShare);
    stages.forEach((place, series) -> message.addStages(stage(place, series, seconds)));
    readers.forEach((id, series) -> message.addReaders(reader(id, series, seconds)));
    return message;
  }

  private static StageHistory stage(StagePlace place, MeasuredSeries series, Seconds seconds) {
    StageHistory.Builder message =
        StageHistory.newBuilder()
            .setName(place.name())
            .setFunction(FunctionNames.readable(place.function()));
    seconds.each(s -> series.share(BUSY, s), message::addBusy);
    seconds.each(s -> series.share(STARVED, s), message::addStarved);
    return message.build();
  }

  private static ReaderHistory reader(long id, MeasuredSeries series, Seconds seconds) {
    ReaderHistory.Builder message = ReaderHistory.newBuilder().setId(id);
    seconds.each(s -> series.amount(ELEMENTS, s), message::addElementsPerSecond);
    seconds.each(s -> series.share(WAIT, s), message::addWaitShare);
    return message.build();
  }

  /** Seconds from {@code begin} to {@code end}, both included. */
  private record Seconds(long begin, long end) {
    void each(LongFunction<Float> value, Consumer<Float> add) {
      Stream.iterate(begin, s -> s <= end, s -> s + 1).map(value::apply).forEach(add);
    }
  }
}
