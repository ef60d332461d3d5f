package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.Announcement;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Iterations;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Readers;
import io.headrace.dispatcher.state.Settlement;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.DeliveryRefusal;
import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportDeliveriesResponse;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.ReportReceiptsResponse;
import io.headrace.proto.headrace.SettlementAnswer;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Decisions on reports of records taken, received and delivered: from clients where iterations are
 * read exactly once, from workers where they are read at least once or deliveries are announced.
 * The reported sets are idempotent, so a report may be retransmitted. A client's report with an
 * error in any part changes nothing.
 */
public final class ReceiptDecisions {
  private ReceiptDecisions() {}

  /**
   * A client's report.
   *
   * @param state the dispatcher's state
   * @param request taken records, and answers to settlements
   * @param clientTimeout how long the reply keeps the client's delivery lease alive
   */
  public static Decision<ReportReceiptsResponse> report(
      DispatcherState state, ReportReceiptsRequest request, Duration clientTimeout) {
    long client = request.getIterationClientId();
    Iteration iteration = IterationDecisions.ofReader(state, client);
    if (!iteration.job().isExactlyOnce()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "iteration %d is not read exactly once, so its clients report no receipts",
          iteration.id());
    }
    List<JournalRecord> records = new ArrayList<>();
    iteration
        .readers()
        .flatMap(readers -> taken(iteration, readers, client, request.getTaken()))
        .ifPresent(records::add);
    iteration
        .accounts()
        .ifPresent(accounts -> {
          for (SettlementAnswer answer : request.getAnswersList()) {
            answer(state, iteration, accounts, client, answer).ifPresent(records::add);
          }
        });
    return new Decision<>(
        records,
        ReportReceiptsResponse.newBuilder()
            .setClientTimeoutMs(iteration.job().isShareable() ? clientTimeout.toMillis() : 0)
            .build());
  }

  /**
   * The record of the client's taken records. An anonymous job keeps none, as no other reader can
   * join it. A shareable job keeps them even for a finished iteration: a reader may still reopen
   * it.
   */
  private static Optional<JournalRecord> taken(
      Iteration iteration, Readers readers, long client, RecordSetProto message) {
    String what = "taken";
    RecordSet taken = iteration.sources().read(message, what);
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    if (!iteration.isFinished()) {
      iteration.sources().requireWithin(taken, iteration.splits().handedOut(), what);
    }
    return iteration.job().anonymous() || readers.hasTaken(client, taken)
        ? Optional.empty()
        : Optional.of(JournalRecords.recordsTaken(iteration.id(), client, taken));
  }

  private static Optional<JournalRecord> answer(
      DispatcherState state,
      Iteration iteration,
      SplitAccounts accounts,
      long client,
      SettlementAnswer answer) {
    long id = answer.getSettlementId();
    String what = "the answer to settlement " + id;
    RecordSet received = accounts.sources().read(answer.getReceived(), what);
    Optional<Settlement> settlement = accounts.settlement(id);
    if (settlement.isEmpty()) {
      requireSettled(state, iteration, id);
      return Optional.empty();
    }
    accounts.sources().requireWithin(received, settlement.get().scope(), what);
    return settlement.get().owes(client)
        ? Optional.of(JournalRecords.settlementAnswered(iteration.id(), id, client, received))
        : Optional.empty();
  }

  /**
   * The records that readers have fetched, or may be given from now on, as a worker reports them
   * for its tasks. The part of a task that is refused changes nothing.
   */
  public static Decision<ReportDeliveriesResponse> deliver(
      DispatcherState state, ReportDeliveriesRequest request, Caller caller) {
    List<JournalRecord> records = new ArrayList<>();
    ReportDeliveriesResponse.Builder response = ReportDeliveriesResponse.newBuilder();
    Set<Long> tasks = new HashSet<>();
    for (TaskDeliveries deliveries : request.getTasksList()) {
      try {
        if (!tasks.add(deliveries.getTaskId())) {
          throw StatusException.invalidArgument(
              "task %d is named twice in one report", deliveries.getTaskId());
        }
        deliver(state, deliveries, caller).ifPresent(records::add);
      } catch (StatusException e) {
        response.addRefusals(
            DeliveryRefusal.newBuilder()
                .setTaskId(deliveries.getTaskId())
                .setCode(e.code().number())
                .setMessage(e.message()));
      }
    }
    return new Decision<>(records, response.build());
  }

  private static Optional<JournalRecord> deliver(
      DispatcherState state, TaskDeliveries deliveries, Caller caller) {
    long id = deliveries.getTaskId();
    Task task =
        state
            .iterations()
            .findTask(id)
            .filter(Task::isActive)
            .orElseThrow(
                () -> StatusException.of(StatusCode.NOT_FOUND, "Task id %d is not active", id));
    WorkerDecisions.requireWorkerOf(state, task, caller, "ReportDeliveries");
    Iteration iteration = state.iterations().of(task);
    if (!iteration.job().isAtLeastOnce() && !iteration.isAnnounced()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "iteration %d is read %s, so its workers report no deliveries",
          iteration.id(),
          iteration.job().guarantee());
    }
    return iteration
        .accounts()
        .flatMap(accounts ->
            iteration.isAnnounced()
                ? announce(iteration, accounts, deliveries)
                : deliver(iteration, accounts, deliveries));
  }

  private static Optional<JournalRecord> deliver(
      Iteration iteration, SplitAccounts accounts, TaskDeliveries deliveries) {
    RecordSet delivered = records(accounts, deliveries, "delivered");
    return accounts.deliveredBy(deliveries.getTaskId()).containsAll(delivered)
        ? Optional.empty()
        : Optional.of(
            JournalRecords.recordsDelivered(iteration.id(), deliveries.getTaskId(), delivered));
  }

  private static Optional<JournalRecord> announce(
      Iteration iteration, SplitAccounts accounts, TaskDeliveries deliveries) {
    Announcement last = accounts.announcedBy(deliveries.getTaskId());
    if (deliveries.getNumber() == last.number()) {
      return Optional.empty();
    }
    Announcement next =
        new Announcement(
            deliveries.getNumber(), deliveries.getRowsAnnounced(), deliveries.getRowsDelivered());
    boolean follows =
        next.number() == last.number() + 1
            && next.rowsAnnounced() >= last.rowsAnnounced()
            && next.rowsDelivered() >= last.rowsDelivered()
            && next.rowsDelivered() <= next.rowsAnnounced();
    if (!follows) {
      throw StatusException.invalidArgument(
          "%s of task %d does not follow %s", next, deliveries.getTaskId(), last);
    }
    RecordSet announced = records(accounts, deliveries, "announced");
    return Optional.of(
        JournalRecords.recordsDelivered(iteration.id(), deliveries.getTaskId(), announced, next));
  }

  /** The records of a report, which must be of the task's splits. */
  private static RecordSet records(SplitAccounts accounts, TaskDeliveries deliveries, String what) {
    RecordSet records = accounts.sources().read(deliveries.getRecords(), what);
    accounts.sources().requireWithin(records, accounts.scopeOf(deliveries.getTaskId()), what);
    return records;
  }

  private static void requireSettled(DispatcherState state, Iteration iteration, long id) {
    Optional<Task> task = state.iterations().findTask(id);
    boolean was =
        task.isEmpty()
            ? id >= Iterations.FIRST_TASK_ID && id < state.iterations().nextTaskId()
            : task.get().iterationId() == iteration.id() && task.get().isLost();
    if (!was) {
      throw StatusException.invalidArgument(
          "iteration %d has no settlement %d", iteration.id(), id);
    }
  }
}
