package io.headrace.dispatcher.statistics;

import io.headrace.dataset.plan.FunctionNames;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.KernelStatistics;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.ReadingStatistics;
import io.headrace.proto.headrace.StageStatistics;
import io.headrace.proto.headrace.TaskStatistics;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/** The load of a job and the verdict on it as the message for operators. */
public final class JobStatisticsMessage {
  /** Most tasks, and most readers. */
  static final int MAX_ENTRIES = 500;

  /** Most ops of a stage. */
  private static final int MAX_KERNELS = 8;

  private JobStatisticsMessage() {}

  /** The message of {@code load}; the caller adds what identifies the job. */
  public static JobStatistics.Builder of(JobLoad load) {
    JobStatistics.Builder message = JobStatistics.newBuilder().setFinished(load.finished());
    addVerdict(VerdictRule.of(load), message);
    message
        .setWindowMs(
            load.tasks().stream()
                .flatMap(task -> task.window().stream())
                .mapToLong(TaskLoad.Window::millis)
                .max()
                .orElse(0))
        .addAllStages(stages(load.tasks()))
        .setTasksLeftOut(Math.max(0, load.tasks().size() - MAX_ENTRIES))
        .setReadersLeftOut(Math.max(0, load.readers().size() - MAX_ENTRIES));
    load.tasks().stream().limit(MAX_ENTRIES).forEach(task -> message.addTasks(task(task)));
    load.readers().stream().limit(MAX_ENTRIES).forEach(of -> message.addReaders(reader(of)));
    return message;
  }

  private static void addVerdict(Verdict verdict, JobStatistics.Builder message) {
    var added =
        message
            .getVerdictBuilder()
            .setCode(verdict.code().text())
            .setText(verdict.text())
            .setAdvice(verdict.advice());
    verdict.waitShare().ifPresent(added::setWaitShare);
    verdict.stage().ifPresent(added::setStage);
    verdict.worker().ifPresent(added::setWorker);
    verdict.reader().ifPresent(added::setReader);
  }

  private static TaskStatistics task(TaskLoad task) {
    TaskStatistics.Builder message =
        TaskStatistics.newBuilder()
            .setTaskId(task.id())
            .setWorkerAddress(task.worker())
            .setKind(task.stock() ? PeerKind.STOCK : PeerKind.HEADRACE);
    task.window()
        .ifPresent(window ->
            message
                .setRowsPerSecond(window.rowsPerSecond())
                .setBytesPerSecond(window.bytesPerSecond())
                .setEmpty(window.empty())
                .setWithheld(window.withheld())
                .setFull(window.full())
                .setFill(window.fill())
                .setEnded(window.ended()));
    return message.build();
  }

  private static ReadingStatistics reader(ReaderLoad reader) {
    ReadingStatistics.Builder message =
        ReadingStatistics.newBuilder()
            .setId(reader.id())
            .setKind(reader.kind())
            .setHost(reader.host());
    reader.elementsPerSecond().ifPresent(message::setElementsPerSecond);
    reader.waitShare().ifPresent(message::setWaitShare);
    return message.build();
  }

  /** The stages of all tasks: those at the same place of the pipeline are one. */
  private static List<StageStatistics> stages(List<TaskLoad> tasks) {
    Map<Place, Merged> merged = new LinkedHashMap<>();
    for (TaskLoad task : tasks) {
      List<Place> places = new ArrayList<>();
      for (StageLoad stage : task.window().map(TaskLoad.Window::stages).orElse(List.of())) {
        int consumer =
            stage.consumer() < 0
                ? -1
                : Objects.requireNonNull(merged.get(places.get(stage.consumer()))).index;
        Place place = place(consumer, stage, places);
        places.add(place);
        merged
            .computeIfAbsent(place, of -> new Merged(of, merged.size()))
            .add(stage, task.worker());
      }
    }
    return merged.values().stream().map(Merged::message).toList();
  }

  /** The place of a stage; of two inputs with the same name, the second has another place. */
  private static Place place(int consumer, StageLoad stage, List<Place> taken) {
    Place place = new Place(consumer, stage.name(), stage.function(), 0);
    while (taken.contains(place)) {
      place = new Place(consumer, stage.name(), stage.function(), place.number() + 1);
    }
    return place;
  }

  private record Place(int consumer, String name, String function, int number) {}

  /** The sums of a stage over several tasks. */
  private static final class Merged {
    private final Place place;
    private final int index;
    private int tasks;
    private double starved;
    private double blocked;
    private double busy;
    private double maxBusy;
    private String busiest = "";
    private double rowsPerSecond;
    private long threads;
    private long maxThreads;
    private double fill;
    private int fills;
    private final Map<String, Double> busyByOp = new HashMap<>();

    Merged(Place place, int index) {
      this.place = place;
      this.index = index;
    }

    void add(StageLoad stage, String worker) {
      tasks++;
      starved += stage.starved();
      blocked += stage.blocked();
      busy += stage.busy();
      if (tasks == 1 || stage.busy() > maxBusy) {
        maxBusy = stage.busy();
        busiest = worker;
      }
      rowsPerSecond += stage.rowsPerSecond();
      threads += stage.threads();
      maxThreads += stage.maxThreads();
      stage
          .kernels()
          .forEach(
              kernel -> busyByOp.merge(kernel.op(), kernel.share() * stage.busy(), Double::sum));
      OptionalDouble found = stage.fill();
      if (found.isPresent()) {
        fill += found.getAsDouble();
        fills++;
      }
    }

    StageStatistics message() {
      StageStatistics.Builder message =
          StageStatistics.newBuilder()
              .setConsumer(place.consumer())
              .setName(place.name())
              .setFunction(FunctionNames.readable(place.function()))
              .setStarved(starved / tasks)
              .setBlocked(blocked / tasks)
              .setBusy(busy / tasks)
              .setMaxBusy(maxBusy)
              .setBusiestWorker(busiest)
              .setRowsPerSecond(rowsPerSecond)
              .setThreads(threads)
              .setMaxThreads(maxThreads)
              .setWorkers(tasks);
      if (fills > 0) {
        message.setFill(fill / fills);
      }
      busyByOp.entrySet().stream()
          .filter(of -> of.getValue() > 0)
          .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
          .limit(MAX_KERNELS)
          .forEach(of ->
              message.addKernels(
                  KernelStatistics.newBuilder()
                      .setOp(of.getKey())
                      .setShare(Math.min(1, of.getValue() / busy))));
      return message.build();
    }
  }
}
