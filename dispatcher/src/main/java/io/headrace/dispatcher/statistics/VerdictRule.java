package io.headrace.dispatcher.statistics;

import io.headrace.dispatcher.statistics.Verdict.Code;
import io.headrace.proto.headrace.PeerKind;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * Names what limits a job: a pure function of its load. It goes from the reader towards the
 * sources, and stops at the first limit; docs/operating.md has the rule in words. The largest share
 * over workers and readers counts, not the mean.
 */
public final class VerdictRule {
  /** Readers that wait less are not worth a change. */
  private static final double LITTLE = 0.05;

  /** From this share of the time on, a wait is the reason of another. */
  private static final double MUCH = 0.5;

  /** A commit that takes longer delays splits. */
  private static final double SLOW_COMMIT_MILLIS = 40;

  /** The rate of a slow worker, at most, as a share of the median of the others. */
  private static final double SLOW = 0.6;

  /** The least gain of all together if the slow worker were as fast as the others. */
  private static final double GAIN = 0.15;

  /**
   * How many standard deviations a worker is behind the others, at least: of rows that come by
   * chance, as behind a filter, the number in a window varies by its root.
   */
  private static final double DEVIATIONS = 3;

  /** The share of a stage's time that makes an op worth naming. */
  private static final double MANY_OF_A_STAGE = 0.2;

  /** A stage that works less of its time limits nothing. */
  private static final double IDLE = 0.1;

  /** A stage that works more of its time would be no faster for a larger buffer. */
  private static final double ALWAYS = 0.8;

  private static final long MILLIS_PER_SECOND = 1000;

  private final JobLoad job;
  private final OptionalDouble wait;
  private final List<TaskLoad> working;

  private VerdictRule(JobLoad job) {
    this.job = job;
    wait = waitShare(job);
    working =
        job.tasks().stream()
            .filter(task -> task.window().filter(window -> !window.ended()).isPresent())
            .toList();
  }

  /** The limit of {@code job}. */
  public static Verdict of(JobLoad job) {
    return new VerdictRule(job).verdict();
  }

  /**
   * The share of the time that readers wait: that of the Java reader that waits the most, or else
   * the share in which all workers had readers waiting for them, which is the most that a stock
   * client can have waited.
   */
  private static OptionalDouble waitShare(JobLoad job) {
    OptionalDouble told =
        job.readers().stream().flatMapToDouble(reader -> reader.waitShare().stream()).max();
    if (told.isPresent() || job.readers().stream().anyMatch(VerdictRule::isOurs)) {
      return told;
    }
    return job.tasks().stream()
        .flatMap(task -> task.window().stream())
        .filter(window -> !window.ended())
        .mapToDouble(window -> Math.min(1, window.empty() + window.withheld()))
        .min();
  }

  private static boolean isOurs(ReaderLoad reader) {
    return reader.kind() == PeerKind.HEADRACE;
  }

  private boolean isAtMost() {
    return job.readers().stream().noneMatch(VerdictRule::isOurs);
  }

  private Verdict verdict() {
    if (job.finished()) {
      return verdict(Code.FINISHED, "the iteration was read to its end", "");
    }
    if (job.readers().isEmpty()) {
      return verdict(Code.NO_READER, "nobody reads the job", "");
    }
    Optional<Verdict> without = withoutWorkers();
    if (without.isPresent()) {
      return without.get();
    }
    if (job.group().isIncomplete()) {
      return verdict(
          Code.GROUP,
          "%d of the %d readers that read together have joined, and wait for the others"
              .formatted(job.group().here(), job.group().all()),
          "start the other readers, or see their logs");
    }
    if (wait.isEmpty()) {
      return untold();
    }
    if (wait.getAsDouble() < LITTLE) {
      return verdict(
          Code.TRAINER,
          "the trainer is the limit: it waits %s%s of its time for data"
              .formatted(isAtMost() ? "at most " : "", percent(wait)),
          "the service is ahead of it: see the trainer's own step, and what it does to elements"
              + " behind distribute");
    }
    return settling()
        .or(this::journal)
        .or(this::oneSplit)
        .or(this::slowWorker)
        .or(this::network)
        .or(this::stage)
        .orElseGet(this::unclear);
  }

  private Optional<Verdict> withoutWorkers() {
    JobLoad.Cluster cluster = job.cluster();
    if (cluster.workers() == 0) {
      return Optional.of(
          verdict(
              Code.NO_WORKER,
              "no worker is registered",
              "start workers: headrace worker --dispatcher-address=HOST:PORT"));
    }
    if (cluster.lostWorkers() >= cluster.workers()) {
      return Optional.of(
          verdict(
              Code.NO_WORKER,
              "none of the %d registered workers answers".formatted(cluster.workers()),
              "see headrace status and the workers' logs"));
    }
    if (job.tasks().isEmpty()) {
      return Optional.of(
          verdict(
              Code.NO_TASK,
              "no worker has a task of the job",
              "see the dispatcher's log: workers may lack an op that the dataset needs"));
    }
    return Optional.empty();
  }

  /** The verdict where no wait is known. */
  private Verdict untold() {
    boolean willTell =
        job.readers().stream().anyMatch(VerdictRule::isOurs)
            || job.tasks().stream().anyMatch(task -> !task.stock());
    return willTell
        ? verdict(Code.MEASURING, "the first figures are being measured: ask again in 5 s", "")
        : verdict(
            Code.UNKNOWN,
            "unknown: readers and workers are TensorFlow's own, which report nothing",
            "run Headrace's workers, or read from Java");
  }

  /** In the first seconds of a job, buffers fill and code warms up: they limit nothing later. */
  private Optional<Verdict> settling() {
    boolean settling =
        job.firstPass()
            && !working.isEmpty()
            && working.stream()
                .flatMap(task -> task.window().stream())
                .allMatch(TaskLoad.Window::fromBeginning);
    return settling
        ? Optional.of(
            verdict(
                Code.MEASURING,
                "the job has just begun: its first seconds are being measured, in which %s; ask"
                        .formatted(readersWait())
                    + " again in 10 s",
                ""))
        : Optional.empty();
  }

  private Optional<Verdict> journal() {
    OptionalDouble commit = job.cluster().commitMillis();
    double withheld =
        working.stream()
            .flatMap(task -> task.window().stream())
            .mapToDouble(TaskLoad.Window::withheld)
            .max()
            .orElse(0);
    boolean sourceWaits =
        job.splits().areDynamic()
            && LimitingStage.of(working)
                .filter(limit -> limit.isSource() && limit.stage().busy() >= MUCH)
                .isPresent();
    boolean slow = commit.isPresent() && commit.getAsDouble() >= SLOW_COMMIT_MILLIS;
    if (!slow || (withheld < LITTLE && !sourceWaits)) {
      return Optional.empty();
    }
    return Optional.of(
        verdict(
            Code.JOURNAL,
            "the journal: commits take %.0f ms; %s, %s"
                .formatted(
                    commit.getAsDouble(),
                    readersWait(),
                    sourceWaits
                        ? "and workers wait for splits, which must be on disk first"
                        : percent(withheld) + " for rows that must be announced first"),
            "put the work_dir on a faster disk"));
  }

  private Optional<Verdict> oneSplit() {
    boolean last =
        job.splits().areDynamic()
            && job.splits().left() == 0
            && working.size() == 1
            && job.tasks().stream().noneMatch(task -> task.window().isEmpty())
            && job.tasks().size() + job.finishedTasks() > 1;
    if (!last) {
      return Optional.empty();
    }
    String worker = working.getFirst().worker();
    return Optional.of(
        verdict(
                Code.ONE_SPLIT,
                "one split is larger than the rest: all %d splits are taken, and only worker %s"
                        .formatted(job.splits().all(), worker)
                    + " still works; %s".formatted(readersWait()),
                "divide large files, so that splits are of about the same size")
            .on(worker));
  }

  private Optional<Verdict> slowWorker() {
    if (working.size() < 2 || working.size() != job.tasks().size()) {
      return Optional.empty();
    }
    List<TaskLoad> byRate =
        working.stream().sorted(Comparator.comparingDouble(VerdictRule::rate)).toList();
    TaskLoad slowest = byRate.getFirst();
    double others = rate(byRate.get(1 + (byRate.size() - 1) / 2));
    double all = byRate.stream().mapToDouble(VerdictRule::rate).sum();
    double full = slowest.window().map(TaskLoad.Window::full).orElse(0.0);
    double seconds =
        slowest.window().map(TaskLoad.Window::millis).orElse(0L) / (double) MILLIS_PER_SECOND;
    boolean byChance =
        (others - rate(slowest)) * seconds < DEVIATIONS * Math.sqrt(others * seconds);
    boolean near = rate(slowest) >= SLOW * others || others - rate(slowest) < GAIN * all;
    if (byChance || near || full >= MUCH) {
      return Optional.empty();
    }
    String busiest =
        LimitingStage.of(List.of(slowest))
            .map(limit ->
                "; its %s is busy %s"
                    .formatted(limit.stage().text(), percent(limit.stage().busy())))
            .orElse("");
    return Optional.of(
        verdict(
                Code.SLOW_WORKER,
                "worker %s is slow: it sends %s rows/s, the others %s; %s%s"
                    .formatted(
                        slowest.worker(),
                        rows(rate(slowest)),
                        rows(others),
                        readersWait(),
                        busiest),
                "see what else runs on its host, or replace it")
            .on(slowest.worker()));
  }

  private static double rate(TaskLoad task) {
    return task.window().map(TaskLoad.Window::rowsPerSecond).orElse(0.0);
  }

  private Optional<Verdict> network() {
    double full =
        working.stream()
            .flatMap(task -> task.window().stream())
            .mapToDouble(TaskLoad.Window::full)
            .min()
            .orElse(0);
    Optional<ReaderLoad> reader =
        job.readers().stream()
            .filter(of -> of.waitShare().isPresent())
            .max(Comparator.comparingDouble(of -> of.waitShare().orElse(0)));
    if (full < MUCH || reader.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        verdict(
                Code.NETWORK,
                "the way to reader %d is full: workers have rows ready and wait for room %s of the"
                        .formatted(reader.get().id(), percent(full))
                    + " time, and the reader waits %s".formatted(percent(wait)),
                "a faster network, fewer bytes an element (smaller dtypes, compression), or more"
                    + " processors for the reader")
            .to(reader.get().id()));
  }

  private Optional<Verdict> stage() {
    return LimitingStage.of(working)
        .filter(limit -> limit.stage().busy() >= IDLE)
        .map(limit -> filter(limit).or(() -> buffer(limit)).orElseGet(() -> busiest(limit)));
  }

  private Optional<Verdict> filter(LimitingStage limit) {
    return limit
        .wastefulFilter()
        .map(filter ->
            verdict(
                    Code.FILTER,
                    "%s drops nearly all: on worker %s it keeps %s of %s rows/s, %.2g %%; %s"
                        .formatted(
                            filter.text(),
                            limit.task().worker(),
                            rows(filter.rowsPerSecond()),
                            rows(limit.offered(filter)),
                            100 * filter.rowsPerSecond() / limit.offered(filter),
                            readersWait()),
                    "filter before %s, or store the dataset filtered"
                        .formatted(
                            limit.stage().equals(filter)
                                ? "expensive work"
                                : "%s, which is busy %s"
                                    .formatted(
                                        limit.stage().text(), percent(limit.stage().busy()))))
                .at(filter)
                .on(limit.task().worker()));
  }

  private Optional<Verdict> buffer(LimitingStage limit) {
    return limit.stage().busy() >= ALWAYS
        ? Optional.empty()
        : limit
            .smallBuffer()
            .map(small ->
                verdict(
                        Code.BUFFER,
                        "the buffer of %s is too small: the work before it waits for room %s of"
                                .formatted(small.text(), percent(small.blocked()))
                            + " the time, the work behind it for rows %s; %s"
                                .formatted(percent(limit.waitsFor(small)), readersWait()),
                        "prefetch more elements, or AUTOTUNE")
                    .at(small)
                    .on(limit.task().worker()));
  }

  private Verdict busiest(LimitingStage limit) {
    StageLoad stage = limit.stage();
    boolean isSource = limit.isSource();
    long on =
        working.stream()
            .filter(task ->
                task.window().stream()
                    .flatMap(window -> window.stages().stream())
                    .anyMatch(same ->
                        same.name().equals(stage.name())
                            && same.function().equals(stage.function())
                            && same.busy() >= 0.8 * stage.busy()))
            .count();
    String where =
        working.size() == 1
            ? "on worker " + limit.task().worker()
            : "on %d of %d workers".formatted(on, working.size());
    String threads =
        stage.maxThreads() > 1
            ? " with %d of %d threads".formatted(stage.threads(), stage.maxThreads())
            : "";
    return verdict(
            isSource ? Code.SOURCE : Code.STAGE,
            "%s for %s %s %s: it is busy %s of the time%s%s"
                .formatted(
                    readersWait(),
                    isSource ? "source" : "stage",
                    stage.text(),
                    where,
                    percent(stage.busy()),
                    threads,
                    mostOf(stage)),
            advice(stage, isSource))
        .at(stage)
        .on(limit.task().worker());
  }

  /** The ops that take the most of a stage's time. */
  private static String mostOf(StageLoad stage) {
    String ops =
        stage.kernels().stream()
            .filter(kernel -> kernel.share() >= MANY_OF_A_STAGE)
            .limit(2)
            .map(kernel -> "%s of that in %s".formatted(percent(kernel.share()), kernel.op()))
            .collect(Collectors.joining(" and "));
    return ops.isEmpty() ? "" : ", " + ops;
  }

  private static String advice(StageLoad stage, boolean isSource) {
    if (isSource) {
      return "read several files at a time (interleave with num_parallel_calls), use faster"
          + " storage, or add workers";
    }
    return stage.maxThreads() > 1
        ? "add workers, or make the function cheaper"
        : "add workers, or give it parallelism (num_parallel_calls=tf.data.AUTOTUNE)";
  }

  private Verdict unclear() {
    boolean waiting = job.tasks().stream().anyMatch(task -> task.window().isEmpty());
    if (job.tasks().stream().allMatch(TaskLoad::stock)) {
      return verdict(
          Code.UNKNOWN,
          "unknown: %s, and TensorFlow's own workers do not tell why".formatted(readersWait()),
          "run Headrace's workers");
    }
    if (waiting) {
      return verdict(
          Code.MEASURING,
          "%s; the workers' first figures are being measured: ask again in 5 s"
              .formatted(readersWait()),
          "");
    }
    return verdict(
        Code.UNCLEAR,
        "%s, and no stage of the workers is busy".formatted(readersWait()),
        "see the workers' logs, and whether their hosts have processors and memory to spare");
  }

  private String readersWait() {
    return "readers wait %s%s of their time".formatted(isAtMost() ? "at most " : "", percent(wait));
  }

  private Verdict verdict(Code code, String text, String advice) {
    return Verdict.of(code, wait, text, advice);
  }

  private static String percent(OptionalDouble share) {
    return percent(share.orElse(0));
  }

  private static String percent(double share) {
    double percents = 100 * share;
    return String.format(
        Locale.ROOT, percents > 0 && percents < 10 ? "%.1f %%" : "%.0f %%", percents);
  }

  private static String rows(double perSecond) {
    return String.format(Locale.ROOT, perSecond < 10 ? "%.2g" : "%,.0f", perSecond);
  }
}
