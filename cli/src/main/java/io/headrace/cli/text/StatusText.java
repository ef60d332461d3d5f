package io.headrace.cli.text;

import com.google.errorprone.annotations.FormatMethod;
import io.headrace.proto.headrace.DatasetStatus;
import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.ReaderStatus;
import io.headrace.proto.headrace.SnapshotStatus;
import io.headrace.proto.headrace.WorkerStatus;
import io.headrace.runtime.status.StatusCode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A dispatcher's status as text for a terminal. */
public final class StatusText {
  private static final long MAX_PLAIN = 99_999;
  private static final String NONE = "-";

  private final GetStatusResponse status;
  private final long limit;
  private final Optional<StatusRates> rates;
  private final List<String> lines = new ArrayList<>();

  /**
   * The text of a status.
   *
   * @param status the status
   * @param limit the most rows of each table
   * @param rates the rates, if they were measured
   */
  public StatusText(GetStatusResponse status, long limit, Optional<StatusRates> rates) {
    this.status = status;
    this.limit = limit;
    this.rates = rates;
  }

  /** The whole status. */
  public List<String> lines() {
    addDispatcher();
    addWorkers();
    addJobs();
    addReaders();
    addDatasets();
    addSnapshots();
    return lines;
  }

  /** The status in one line. */
  public String summary() {
    DispatcherStatus d = status.getDispatcher();
    return "up %s, %s (%d lost), %s, %s, %s, %s elements/s, %s"
        .formatted(
            age(d.getUptimeMs()),
            number(d.getWorkers(), "worker"),
            d.getLostWorkers(),
            number(d.getJobs(), "job"),
            number(d.getUnfinishedIterations(), "unfinished iteration"),
            number(d.getReaders(), "reader"),
            rates.map(r -> rate(r.total())).orElse(NONE),
            missing(d));
  }

  private void addDispatcher() {
    DispatcherStatus d = status.getDispatcher();
    add(
        "dispatcher  %s, headrace %s, up %s",
        d.getAddress().isEmpty() ? "in this process" : d.getAddress(),
        d.getVersion(),
        age(d.getUptimeMs()));
    add(
        "journal     %s",
        d.getFaultTolerant()
            ? d.getWorkDir() + ", opened " + number(d.getEpoch(), "time")
            : "none: the state ends with the process");
    add(
        "            %s, %s%s%s",
        number(d.getJournalRecords(), "record"),
        bytes(d.getJournalBytes()),
        d.hasLastCommitMicros()
            ? ", last commit %s ms".formatted(fixed(d.getLastCommitMicros() / 1e3))
            : "",
        d.getJournalRefuses() ? "; IT REFUSES RECORDS: changes get UNAVAILABLE" : "");
    add(
        "commit loop %s, %s waiting",
        number(d.getTurns(), "turn"), number(d.getWaitingRequests(), "request"));
    add("lost        %s since its start, %s", number(d.getTasksLost(), "task"), missing(d));
  }

  private void addWorkers() {
    TextTable table =
        new TextTable(
            List.of("WORKER", "KIND", "STATE", "ANSWERED", "HEARTBEAT", "TASKS", "ELEMENTS"),
            Set.of(5, 6),
            Set.of(0));
    status.getWorkersList().stream()
        .sorted(
            Comparator.comparingInt(
                worker -> worker.getState() == WorkerStatus.State.REGISTERED ? 1 : 0))
        .limit(limit)
        .forEach(worker ->
            table.add(
                worker.getAddress(),
                kind(worker.getKind()),
                lower(worker.getState()),
                age(worker.getSilentMs()) + " ago",
                age(worker.getHeartbeatAgeMs()) + " ago",
                compact(worker.getActiveTasks()),
                worker.getKind() == PeerKind.STOCK ? NONE : compact(worker.getElements())));
    add("workers", status.getDispatcher().getWorkers(), table, status.getWorkersCount());
  }

  private void addJobs() {
    List<String> headings =
        new ArrayList<>(
            List.of(
                "JOB",
                "NAME",
                "SHARDING",
                "GUARANTEE",
                "REP",
                "TASKS",
                "READERS",
                "SPLITS",
                "ELEMENTS",
                "MISSING"));
    if (rates.isPresent()) {
      headings.add("PER S");
    }
    TextTable table = new TextTable(headings, Set.of(4, 5, 6, 7, 8, 9, 10), Set.of(1));
    status.getJobsList().stream()
        .sorted(Comparator.comparingInt(StatusText::rank))
        .limit(limit)
        .forEach(job -> addJob(job, table));
    add("jobs", status.getDispatcher().getJobs(), table, status.getJobsCount());
    status
        .getJobsList()
        .forEach(job ->
            job.getIterationsList().stream()
                .filter(IterationStatus::getAwaitsReaders)
                .limit(limit)
                .forEach(it -> add("%s", awaits(job, it))));
  }

  /** The readers for which a pass waits, in words. */
  private static String awaits(JobStatus job, IterationStatus it) {
    long absent = it.getAwaitedReaders() - it.getJoinedReaders();
    String numbers =
        it.getMissingReadersList().stream().map(String::valueOf).collect(Collectors.joining(", "));
    return "job %d, repetition %d: waits for %s of %d, %s since the last one joined"
        .formatted(
            job.getId(),
            it.getRepetition(),
            numbers.isEmpty()
                ? number(absent, "reader")
                : (absent == 1 ? "reader " : "readers ") + numbers,
            it.getAwaitedReaders(),
            age(it.getAwaitsMs()));
  }

  /** Jobs that are being read come first, then unfinished ones, names without an iteration last. */
  private static int rank(JobStatus job) {
    Stream<IterationStatus> iterations = job.getIterationsList().stream();
    return iterations
        .mapToInt(it -> it.getFinished() ? 2 : it.getReaders() > 0 ? 0 : 1)
        .min()
        .orElse(3);
  }

  private void addJob(JobStatus job, TextTable table) {
    if (job.getIterationsCount() == 0) {
      addRow(table, job, NONE, NONE, NONE, NONE, NONE, NONE, NONE);
    }
    for (IterationStatus it : job.getIterationsList()) {
      OptionalDouble rate = rates.map(r -> r.of(it.getId())).orElseGet(OptionalDouble::empty);
      addRow(
          table,
          job,
          it.getRepetition() + (it.getFinished() ? " ended" : ""),
          it.getLostTasks() == 0
              ? compact(it.getActiveTasks())
              : "%s+%s lost".formatted(compact(it.getActiveTasks()), compact(it.getLostTasks())),
          compact(it.getReaders()),
          splits(it),
          compact(StatusRates.elements(it)),
          missing(it.getSplitsMissing(), it.getElementsMissing()),
          rate.isPresent() ? rate(rate.getAsDouble()) : NONE);
    }
  }

  private void addRow(TextTable table, JobStatus job, String... of) {
    List<String> cells =
        new ArrayList<>(
            List.of(
                Long.toString(job.getId()),
                job.getAnonymous() ? NONE : job.getName(),
                lower(job.getSharding()),
                guarantee(job.getGuarantee())));
    cells.addAll(List.of(of).subList(0, rates.isPresent() ? of.length : of.length - 1));
    table.add(cells.toArray(String[]::new));
  }

  private static String splits(IterationStatus it) {
    if (!it.hasSplits()) {
      return it.getShares() == 0
          ? NONE
          : it.getUnservedShares() == 0
              ? number(it.getShares(), "share")
              : "%d/%d shares".formatted(it.getShares() - it.getUnservedShares(), it.getShares());
    }
    return it.getSourceRepetition() == 0
        ? compact(it.getSplitsHandedOut()) + "/" + compact(it.getSplits())
        : compact(it.getSplitsHandedOut());
  }

  private void addReaders() {
    TextTable table =
        new TextTable(
            List.of("READER", "JOB", "ITERATION", "KIND", "HOST", "HEARD", "ELEMENTS", "WAITED"),
            Set.of(6, 7),
            Set.of(4));
    status.getReadersList().stream()
        .sorted(Comparator.comparingLong(reader -> -reader.getHeartbeatAgeMs()))
        .limit(limit)
        .forEach(reader ->
            table.add(
                Long.toString(reader.getId()),
                Long.toString(reader.getJobId()),
                Long.toString(reader.getIterationId()),
                kind(reader.getKind()),
                reader.getHost().isEmpty() ? NONE : reader.getHost(),
                heard(reader),
                reader.hasElements() ? compact(reader.getElements()) : NONE,
                reader.hasWaitMs() ? age(reader.getWaitMs()) : NONE));
    add("readers", status.getDispatcher().getReaders(), table, status.getReadersCount());
  }

  private static String heard(ReaderStatus reader) {
    if (reader.getWatches()) {
      return "connected";
    }
    return reader.getHasSpoken() ? age(reader.getHeartbeatAgeMs()) + " ago" : "not yet";
  }

  private void addDatasets() {
    TextTable table =
        new TextTable(
            List.of("DATASET", "FINGERPRINT", "ELEMENTS", "GRAPH", "JOBS"),
            Set.of(2, 3),
            Set.of(0, 4));
    Map<String, String> readBy =
        status.getJobsList().stream()
            .collect(
                Collectors.toMap(
                    JobStatus::getDatasetId,
                    job -> Long.toString(job.getId()),
                    (first, second) -> first + ", " + second));
    status.getDatasetsList().stream()
        .sorted(Comparator.comparingInt(dataset -> dataset.getInUse() ? 0 : 1))
        .limit(limit)
        .forEach(dataset ->
            table.add(
                dataset.getId(),
                dataset.getFingerprint(),
                cardinality(dataset),
                bytes(dataset.getGraphBytes()),
                readBy.getOrDefault(dataset.getId(), NONE)));
    add("datasets", status.getDispatcher().getDatasets(), table, status.getDatasetsCount());
  }

  /** Adds the distributed snapshots, those first that failed or are written, if there are any. */
  private void addSnapshots() {
    if (status.getDispatcher().getSnapshots() == 0) {
      return;
    }
    TextTable table =
        new TextTable(
            List.of("SNAPSHOT", "STATE", "STREAMS", "SPLITS", "ERROR"), Set.of(2, 3), Set.of(0, 4));
    status.getSnapshotsList().stream()
        .sorted(Comparator.comparing(of -> of.getState() == SnapshotStatus.State.DONE))
        .limit(limit)
        .forEach(of ->
            table.add(
                of.getPath(),
                lower(of.getState()),
                "%d/%d".formatted(of.getStreamsDone(), of.getStreams()),
                compact(of.getSplits()),
                of.getState() == SnapshotStatus.State.FAILED
                    ? StatusCode.ofNumber(of.getErrorCode()) + ": " + of.getErrorMessage()
                    : NONE));
    add("snapshots", status.getDispatcher().getSnapshots(), table, status.getSnapshotsCount());
  }

  private static String cardinality(DatasetStatus dataset) {
    return switch ((int) Math.max(-2, Math.min(0, dataset.getCardinality()))) {
      case -1 -> "endless";
      case -2 -> "unknown";
      default -> compact(dataset.getCardinality());
    };
  }

  /** Adds a table with its title, which says how many entries it leaves out. */
  private void add(String title, long all, TextTable table, long known) {
    lines.add("");
    long shown = Math.min(limit, known);
    String cut = shown < all ? ", %,d of them here (--limit)".formatted(shown) : "";
    lines.add("%s: %s%s".formatted(title, all == 0 ? "none" : "%,d".formatted(all), cut));
    if (!table.isEmpty()) {
      lines.addAll(table.lines());
    }
  }

  @FormatMethod
  private void add(String format, Object... values) {
    String line = String.format(Locale.ROOT, format, values);
    lines.add(
        line.length() <= TextTable.MAX_WIDTH
            ? line
            : line.substring(0, TextTable.MAX_WIDTH - 1) + "~");
  }

  private static String missing(long splits, long elements) {
    return Stream.of(
            splits == 0 ? "" : compact(splits) + " splits",
            elements == 0 ? "" : compact(elements) + " elem.")
        .filter(part -> !part.isEmpty())
        .reduce((first, second) -> first + ", " + second)
        .orElse(NONE);
  }

  /** The missing splits and elements since the dispatcher's start, as part of a sentence. */
  private static String missing(DispatcherStatus d) {
    return Stream.of(
            d.getSplitsMissing() == 0 ? "" : number(d.getSplitsMissing(), "split"),
            d.getElementsMissing() == 0 ? "" : number(d.getElementsMissing(), "element"))
        .filter(part -> !part.isEmpty())
        .reduce((first, second) -> first + " and " + second)
        .map(most -> "at most " + most + " missing")
        .orElse("nothing missing");
  }

  private static String kind(PeerKind kind) {
    return switch (kind) {
      case HEADRACE -> "headrace";
      case STOCK -> "stock";
      case PEER_KIND_UNSPECIFIED, UNRECOGNIZED -> NONE;
    };
  }

  /** "exactly", "at least" or "at most". */
  public static String guarantee(Guarantee guarantee) {
    return switch (guarantee) {
      case EXACTLY_ONCE -> "exactly";
      case AT_LEAST_ONCE -> "at least";
      case AT_MOST_ONCE -> "at most";
      case GUARANTEE_UNSPECIFIED, UNRECOGNIZED -> NONE;
    };
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static String number(long number, String noun) {
    return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
  }

  /** A count in at most six characters, but for {@code Long.MAX_VALUE}. */
  private static String compact(long count) {
    if (count <= MAX_PLAIN) {
      return Long.toString(count);
    }
    if (count == Long.MAX_VALUE) {
      return "endless";
    }
    double value = count;
    for (String unit : List.of("k", "M", "G")) {
      value /= 1000;
      if (value < 1000) {
        return fixed(value) + unit;
      }
    }
    return String.format(Locale.ROOT, "%.0e", (double) count);
  }

  /** Elements, or rows, per second. */
  public static String rate(double perSecond) {
    return perSecond > 0 && perSecond < 10 ? fixed(perSecond) : compact(Math.round(perSecond));
  }

  /** A number of bytes, with a decimal unit. */
  public static String bytes(long bytes) {
    if (bytes < 1000) {
      return bytes + " B";
    }
    return bytes < 1_000_000 ? fixed(bytes / 1e3) + " kB" : fixed(bytes / 1e6) + " MB";
  }

  /** Three digits or more. */
  private static String fixed(double value) {
    int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  private static String age(long millis) {
    long seconds = millis / 1000;
    if (seconds < 10) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1e3);
    }
    if (seconds < 120) {
      return seconds + " s";
    }
    return seconds < 7200
        ? seconds / 60 + " min"
        : seconds < 172_800 ? seconds / 3600 + " h" : seconds / 86_400 + " days";
  }
}
