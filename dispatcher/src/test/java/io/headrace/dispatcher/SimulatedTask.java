package io.headrace.dispatcher;

import io.headrace.dispatcher.decide.Caller;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.data.GetSplitResponse;
import io.headrace.proto.data.TaskDef;
import io.headrace.proto.headrace.DescribeTaskResponse;
import io.headrace.proto.headrace.GroupRecords;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportDeliveriesResponse;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.TakeSplitsResponse;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RangeEncoding;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.TensorProtos;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A task with dynamic sharding on a worker of a {@link Simulation}. It takes splits, makes elements
 * of their records out of order, and ends when all elements have arrived. An element has one
 * record, or several, as those of batches have, and those that follow what a filter dropped; the
 * last one may have fewer, as what remains of a batch.
 */
final class SimulatedTask {
  private static final long MILLI = 1_000_000;

  private final Simulation simulation;
  private final VirtualProcess process;
  private final String address;
  private final TaskDef task;
  private final Caller caller;
  private final boolean reportsDeliveries;
  private final boolean announces;
  private final SimulatedDataset sources;
  private final int recordsAtATime;
  private RecordSet begun = new RecordSet();
  private int recordsBegun;
  private RecordSet undelivered = new RecordSet();
  private boolean reporting;
  private final List<RecordSet> elements = new ArrayList<>();
  private final Deque<RecordSet> announced = new ArrayDeque<>();
  private boolean announcing;
  private boolean givenUp;
  private boolean leaving;
  private long announcements;
  private long numAnnounced;
  private long numDelivered;
  private final Map<Integer, Integer> requests = new HashMap<>();
  private int provider;
  private long repetition;
  private boolean exhausted;
  private int underway;

  /**
   * Begins a task.
   *
   * @param simulation the simulation
   * @param process the worker's process
   * @param address the worker's address
   * @param task the task's definition
   * @param caller the worker's process as the dispatcher knows it; a stock one takes splits one by
   *     one
   * @param description how it accounts for deliveries
   */
  SimulatedTask(
      Simulation simulation,
      VirtualProcess process,
      String address,
      TaskDef task,
      Caller caller,
      DescribeTaskResponse description) {
    reportsDeliveries = description.getReportsDeliveries();
    announces = description.getAnnouncesDeliveries();
    this.simulation = simulation;
    this.process = process;
    this.address = address;
    this.task = task;
    this.caller = caller;
    sources = SimulatedDataset.of(task.getDatasetDef());
    recordsAtATime = simulation.random().nextBoolean() ? 1 : 2 + simulation.random().nextInt(5);
    process.after(simulation.network().delayNanos(), this::ask);
  }

  /** Hands out only what was announced from now on. */
  void leave() {
    leaving = true;
  }

  /** Whether its worker can leave: readers have what is to be handed out before. */
  boolean canLeave() {
    return !announcing && announced.isEmpty() && underway == 0;
  }

  /** The last report of its deliveries; empty if it announces none. */
  Optional<TaskDeliveries> lastDeliveries() {
    return announces
        ? Optional.of(
            TaskDeliveries.newBuilder()
                .setTaskId(task.getTaskId())
                .setNumber(announcements + 1)
                .setRowsAnnounced(numAnnounced)
                .setRowsDelivered(numDelivered)
                .build())
        : Optional.empty();
  }

  /** The next element, in flight until it arrives; null if there is none now. */
  @Nullable RecordSet next() {
    if (announces) {
      if (!leaving) {
        announce();
      }
      @Nullable RecordSet next = announced.pollFirst();
      if (next != null) {
        underway++;
        numDelivered++;
      }
      return next;
    }
    if (elements.isEmpty() || leaving) {
      return null;
    }
    underway++;
    return elements.removeLast();
  }

  /** Announces some elements, unless an announcement is underway. */
  private void announce() {
    if (announcing || givenUp || elements.isEmpty()) {
      return;
    }
    announcing = true;
    List<RecordSet> next = new ArrayList<>();
    RecordSet records = new RecordSet();
    for (int i = 1 + simulation.random().nextInt(8); i > 0 && !elements.isEmpty(); i--) {
      RecordSet element = elements.removeLast();
      next.add(element);
      records.addAll(element);
    }
    numAnnounced += next.size();
    simulation.judge().announced(task.getIterationId(), records);
    sendAnnouncement(
        next,
        ReportDeliveriesRequest.newBuilder()
            .addTasks(
                TaskDeliveries.newBuilder()
                    .setTaskId(task.getTaskId())
                    .setNumber(++announcements)
                    .setRecords(records.toProto())
                    .setRowsAnnounced(numAnnounced)
                    .setRowsDelivered(numDelivered))
            .build());
  }

  private void sendAnnouncement(List<RecordSet> next, ReportDeliveriesRequest request) {
    var _ =
        simulation
            .ask(process, address, dispatcher -> dispatcher.reportDeliveries(request, caller))
            .whenComplete((response, thrown) -> {
              @Nullable StatusCode failure = failure(response, thrown);
              if (failure == null) {
                announcing = false;
                announced.addAll(next);
              } else if (failure.isRetriable()) {
                process.after(
                    simulation.random().nextLong(500 * MILLI),
                    () -> sendAnnouncement(next, request));
              } else {
                givenUp = true;
                simulation.require(
                    failure == StatusCode.NOT_FOUND,
                    "the announcement of task %d got %s",
                    task.getTaskId(),
                    failure);
              }
            });
  }

  private static @Nullable StatusCode failure(
      @Nullable ReportDeliveriesResponse response, @Nullable Throwable thrown) {
    if (thrown != null) {
      return StatusException.codeOf(UnaryCalls.cause(thrown));
    }
    return response == null || response.getRefusalsCount() == 0
        ? null
        : StatusCode.ofNumber(response.getRefusals(0).getCode());
  }

  /** An element has arrived. */
  void arrived(RecordSet element) {
    underway--;
    if (reportsDeliveries) {
      undelivered.addAll(element);
      report();
    }
  }

  /** An element in flight has lost its reader. */
  void comeBack(RecordSet element) {
    underway--;
    if (reportsDeliveries) {
      add(element);
    }
  }

  private void report() {
    if (!reporting && process.isAlive()) {
      reporting = true;
      process.after(simulation.random().nextLong(2000 * MILLI), this::sendReport);
    }
  }

  private void sendReport() {
    RecordSet sent = undelivered;
    undelivered = new RecordSet();
    ReportDeliveriesRequest request =
        ReportDeliveriesRequest.newBuilder()
            .addTasks(
                TaskDeliveries.newBuilder().setTaskId(task.getTaskId()).setRecords(sent.toProto()))
            .build();
    var _ =
        simulation
            .ask(process, address, dispatcher -> dispatcher.reportDeliveries(request, caller))
            .whenComplete((response, thrown) -> {
              reporting = false;
              @Nullable StatusCode failure = failure(response, thrown);
              if (failure != null && failure.isRetriable()) {
                undelivered.addAll(sent);
              }
              simulation.require(
                  failure == null || failure.isRetriable() || failure == StatusCode.NOT_FOUND,
                  "the deliveries of task %d got %s",
                  task.getTaskId(),
                  thrown);
              if (failure != StatusCode.NOT_FOUND && !undelivered.isEmpty()) {
                report();
              }
            });
  }

  boolean isAtEnd() {
    return exhausted && elements.isEmpty() && announced.isEmpty() && !announcing && underway == 0;
  }

  private void ask() {
    int number = requests.merge(provider, 1, Integer::sum);
    ask(number, 1 + simulation.random().nextInt(8));
  }

  private void ask(int number, int most) {
    CompletableFuture<TakeSplitsResponse> reply =
        caller.incarnation() == 0 ? askAsStock() : askAsOurs(number, most);
    var _ =
        reply.whenComplete((response, thrown) -> {
          @Nullable Throwable failure = thrown == null ? null : UnaryCalls.cause(thrown);
          if (failure == null) {
            use(response);
          } else if (StatusException.codeOf(failure).isRetriable()) {
            process.after(simulation.random().nextLong(1000 * MILLI), () -> ask(number, most));
          } else {
            // The dispatcher gives a stock worker that it has removed no splits.
            StatusCode expected =
                caller.incarnation() == 0 && simulation.ledger().isLost(task.getTaskId())
                    ? StatusCode.PERMISSION_DENIED
                    : StatusCode.NOT_FOUND;
            simulation.require(
                StatusException.codeOf(failure) == expected
                    || StatusException.codeOf(failure) == StatusCode.NOT_FOUND,
                "task %d got %s",
                task.getTaskId(),
                failure);
          }
        });
  }

  /** Built now: the request may arrive after the next one was built. */
  private CompletableFuture<TakeSplitsResponse> askAsOurs(int number, int most) {
    TakeSplitsRequest request =
        TakeSplitsRequest.newBuilder()
            .setTaskId(task.getTaskId())
            .setSplitProviderIndex(provider)
            .setRepetition(repetition)
            .setMaxSplits(most)
            .setRequestNumber(number)
            .build();
    return simulation.ask(process, address, dispatcher -> dispatcher.takeSplits(request, caller));
  }

  private CompletableFuture<TakeSplitsResponse> askAsStock() {
    GetSplitRequest request =
        GetSplitRequest.newBuilder()
            .setIterationId(task.getIterationId())
            .setSplitProviderIndex(provider)
            .setRepetition(repetition)
            .build();
    return simulation
        .ask(process, address, dispatcher -> dispatcher.split(request, caller))
        .thenApply(SimulatedTask::taken);
  }

  private static TakeSplitsResponse taken(GetSplitResponse response) {
    return response.getEndOfSplits()
        ? TakeSplitsResponse.newBuilder().setEndOfSplits(true).build()
        : TakeSplitsResponse.newBuilder()
            .setNumSplits(1)
            .setFirstSplit(TensorProtos.read(response.getSplit()).integer(0))
            .build();
  }

  private void use(TakeSplitsResponse response) {
    if (!response.getEndOfSplits()) {
      for (long i = 0; i < response.getNumSplits(); i++) {
        make(response.getFirstSplit() + i, response.getReceivedList());
      }
    } else if (++provider == sources.size()) {
      provider = 0;
      repetition++;
      exhausted = repetition == sources.repetitions();
      if (exhausted) {
        addBegun();
      }
    }
    if (!exhausted) {
      process.after(MILLI + simulation.random().nextLong(400 * MILLI), this::ask);
    }
  }

  private long source() {
    return repetition * sources.size() + provider;
  }

  private void make(long split, List<GroupRecords> received) {
    long source = source();
    if (!sources.isGrouped(provider)) {
      RecordSet element = new RecordSet();
      element.add(source, Origins.SPLITS, split, 1);
      collect(element);
      return;
    }
    LongSet without = new LongSet();
    received.stream()
        .filter(of -> of.getGroup() == split)
        .forEach(of -> without.addAll(RangeEncoding.read(of.getRangesList())));
    long records = SimulatedDataset.recordsOf(split);
    for (long record = 0; record < records; record++) {
      if (!without.contains(record)) {
        RecordSet element = new RecordSet();
        element.add(source, split, record, 1);
        collect(element);
      }
    }
    RecordSet end = new RecordSet();
    end.end(source, split, records);
    collect(end);
  }

  private void collect(RecordSet record) {
    begun.addAll(record);
    if (++recordsBegun == recordsAtATime) {
      addBegun();
    }
  }

  private void addBegun() {
    if (recordsBegun > 0) {
      add(begun);
      begun = new RecordSet();
      recordsBegun = 0;
    }
  }

  private void add(RecordSet element) {
    elements.add(simulation.random().nextInt(elements.size() + 1), element);
  }
}
