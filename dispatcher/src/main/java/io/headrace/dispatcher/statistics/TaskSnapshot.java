package io.headrace.dispatcher.statistics;

import io.headrace.proto.headrace.BufferSums;
import io.headrace.proto.headrace.StageSums;
import io.headrace.proto.headrace.TaskStages;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * A report of a task's sums, in little room: there may be one for each of many tasks. Immutable.
 */
final class TaskSnapshot {
  static final int MAX_STAGES = 64;
  private static final int MAX_NAME = 256;
  private static final int MAX_KERNELS = 8;
  private static final double MICROS_PER_SECOND = 1e6;
  private static final double NANOS_PER_MICRO = 1e3;

  private static final int ROWS = 0;
  private static final int BUSY = 1;
  private static final int STARVED = 2;
  private static final int THREADS = 3;
  private static final int MAX_THREADS = 4;
  private static final int LANES = 5;
  private static final int FILLS = 6;
  private static final int FILL = 7;
  private static final int NUM_SUMS = 8;

  private final long pass;
  private final long elapsedMicros;
  private final boolean ended;
  private final List<Place> places;
  private final long[] sums;

  /** For each stage, the times of its function's ops. */
  private final List<List<KernelSum>> kernels;

  private final Buffer buffer;

  /** The time of an op since its pass began. */
  private record KernelSum(String op, long micros) {}

  /** A stage's place in the pipeline. */
  record Place(int consumer, String name, String function) {}

  /** The sums of a worker's buffer. */
  private record Buffer(
      long rows, long bytes, long emptyMicros, long withheldMicros, long fullMicros, double fill) {
    static Buffer of(BufferSums sums) {
      return new Buffer(
          sums.getRows(),
          sums.getBytes(),
          sums.getEmptyMicros(),
          sums.getWithheldMicros(),
          sums.getFullMicros(),
          share(sums.getFillPermille(), 1000));
    }
  }

  private TaskSnapshot(
      long pass,
      long elapsedMicros,
      boolean ended,
      List<Place> places,
      long[] sums,
      List<List<KernelSum>> kernels,
      Buffer buffer) {
    this.pass = pass;
    this.elapsedMicros = elapsedMicros;
    this.ended = ended;
    this.places = places;
    this.sums = sums;
    this.kernels = kernels;
    this.buffer = buffer;
  }

  /**
   * The sums in a worker's report.
   *
   * @throws StatusException INVALID_ARGUMENT for too many stages, one that does not follow its
   *     consumer, or a name that is too long
   */
  static TaskSnapshot of(TaskStages report) {
    if (report.getStagesCount() > MAX_STAGES) {
      throw StatusException.invalidArgument(
          "task %d has %d stages; a report may have %d",
          report.getTaskId(), report.getStagesCount(), MAX_STAGES);
    }
    List<Place> places = new ArrayList<>();
    long[] sums = new long[NUM_SUMS * report.getStagesCount()];
    List<List<KernelSum>> kernels = new ArrayList<>();
    for (StageSums stage : report.getStagesList()) {
      int at = places.size() * NUM_SUMS;
      places.add(place(report.getTaskId(), places.size(), stage));
      sums[at + ROWS] = stage.getRows();
      sums[at + BUSY] = stage.getBusyMicros();
      sums[at + STARVED] = stage.getStarvedMicros();
      sums[at + THREADS] = Math.max(1, stage.getThreads());
      sums[at + MAX_THREADS] = Math.max(1, stage.getMaxThreads());
      sums[at + LANES] = Math.max(1, stage.getLanes());
      sums[at + FILLS] = stage.getFills();
      sums[at + FILL] = stage.getFillPermille();
      kernels.add(kernels(stage));
    }
    return new TaskSnapshot(
        report.getPass(),
        Math.max(0, report.getElapsedMicros()),
        report.getEnded(),
        List.copyOf(places),
        sums,
        List.copyOf(kernels),
        Buffer.of(report.getBuffer()));
  }

  /** The times that are told of a stage's function; a report may have no more than that. */
  private static List<KernelSum> kernels(StageSums stage) {
    return stage.getKernelsList().stream()
        .limit(MAX_KERNELS)
        .filter(kernel -> kernel.getOp().length() <= MAX_NAME)
        .map(kernel -> new KernelSum(kernel.getOp(), kernel.getBusyMicros()))
        .toList();
  }

  private static Place place(long task, int index, StageSums stage) {
    boolean known = stage.getConsumer() >= -1 && stage.getConsumer() < index;
    if (!known || stage.getName().length() > MAX_NAME || stage.getFunction().length() > MAX_NAME) {
      throw StatusException.invalidArgument(
          "stage %d of task %d must follow its consumer, and have names of at most %d characters",
          index, task, MAX_NAME);
    }
    return new Place(stage.getConsumer(), stage.getName(), stage.getFunction());
  }

  /** The same sums, with the places of {@code other} if they are equal. */
  TaskSnapshot sharing(TaskSnapshot other) {
    return places.equals(other.places)
        ? new TaskSnapshot(pass, elapsedMicros, ended, other.places, sums, kernels, buffer)
        : this;
  }

  int numStages() {
    return places.size();
  }

  long elapsedNanos() {
    return elapsedMicros * 1000;
  }

  /** Whether this and {@code earlier} count from the same beginning. */
  boolean follows(TaskSnapshot earlier) {
    return pass == earlier.pass
        && elapsedMicros >= earlier.elapsedMicros
        && places.equals(earlier.places);
  }

  /** The sums of the same pass at its beginning. */
  TaskSnapshot beginning() {
    return new TaskSnapshot(
        pass,
        0,
        false,
        places,
        new long[sums.length],
        Collections.nCopies(places.size(), List.of()),
        new Buffer(0, 0, 0, 0, 0, 0));
  }

  /** The load since {@code first}, which was received {@code nanos} before. */
  TaskLoad.Window since(TaskSnapshot first, long nanos) {
    double micros = Math.max(1, nanos / NANOS_PER_MICRO);
    List<StageLoad> stages = new ArrayList<>();
    for (int i = 0; i < places.size(); i++) {
      stages.add(stage(i, first));
    }
    return new TaskLoad.Window(
        nanos / 1_000_000,
        first.elapsedMicros == 0,
        ended,
        List.copyOf(stages),
        perSecond(buffer.rows - first.buffer.rows, micros),
        perSecond(buffer.bytes - first.buffer.bytes, micros),
        share(buffer.emptyMicros - first.buffer.emptyMicros, micros),
        share(buffer.withheldMicros - first.buffer.withheldMicros, micros),
        share(buffer.fullMicros - first.buffer.fullMicros, micros),
        buffer.fill);
  }

  private StageLoad stage(int index, TaskSnapshot first) {
    int at = index * NUM_SUMS;
    double micros = Math.max(1, elapsedMicros - first.elapsedMicros);
    double busy = share(more(first, at + BUSY), micros * Math.max(sums[at + THREADS], 1));
    double starved =
        Math.min(1 - busy, share(more(first, at + STARVED), micros * sums[at + LANES]));
    long fills = more(first, at + FILLS);
    Place place = places.get(index);
    return new StageLoad(
        place.consumer,
        place.name,
        place.function,
        starved,
        Math.max(0, 1 - busy - starved),
        busy,
        perSecond(more(first, at + ROWS), micros),
        sums[at + THREADS],
        sums[at + MAX_THREADS],
        fills == 0
            ? OptionalDouble.empty()
            : OptionalDouble.of(share(more(first, at + FILL), 1000.0 * fills)),
        kernels(index, first, more(first, at + BUSY)));
  }

  /** The ops of a stage's function by their part of the time in which it was busy. */
  private List<StageLoad.Kernel> kernels(int index, TaskSnapshot first, long busyMicros) {
    Map<String, Long> before = new HashMap<>();
    first.kernels.get(index).forEach(kernel -> before.put(kernel.op, kernel.micros));
    return kernels.get(index).stream()
        .map(kernel ->
            new StageLoad.Kernel(
                kernel.op,
                share(
                    Math.max(0, kernel.micros - before.getOrDefault(kernel.op, 0L)),
                    (double) Math.max(1, busyMicros))))
        .filter(kernel -> kernel.share() > 0)
        .sorted(Comparator.comparingDouble(StageLoad.Kernel::share).reversed())
        .toList();
  }

  private long more(TaskSnapshot first, int sum) {
    return Math.max(0, sums[sum] - first.sums[sum]);
  }

  private static double perSecond(long count, double micros) {
    return Math.max(0, count) * MICROS_PER_SECOND / micros;
  }

  private static double share(long part, double whole) {
    return Math.clamp((double) part / whole, 0.0, 1.0);
  }
}
