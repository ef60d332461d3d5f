package io.headrace.dispatcher.decide;

import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.Iteration;
import io.headrace.dispatcher.state.Iterations;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Settlement;
import io.headrace.dispatcher.state.SplitAccounts;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.RecordSetProto;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportDeliveriesResponse;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.ReportReceiptsResponse;
import io.headrace.proto.headrace.SettlementAnswer;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decisions on reports of records taken, received and delivered: from clients where iterations are
 * read exactly once, from workers where they are read at least once. The reported sets are
 * idempotent, so a report may be retransmitted. A report with an error in any part changes nothing.
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
        .flatMap(_ -> taken(iteration, client, request.getTaken()))
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
      Iteration iteration, long client, RecordSetProto message) {
    String what = "taken";
    RecordSet taken = iteration.sources().read(message, what);
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    if (!iteration.isFinished()) {
      iteration.sources().requireWithin(taken, iteration.splits().handedOut(), what);
    }
    return iteration.job().anonymous()
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

  /** The records of a task that readers have fetched, as its worker reports them. */
  public static Decision<ReportDeliveriesResponse> deliver(
      DispatcherState state, ReportDeliveriesRequest request) {
    Task task =
        state
            .iterations()
            .findTask(request.getTaskId())
            .filter(Task::isActive)
            .orElseThrow(() ->
                StatusException.of(
                    StatusCode.NOT_FOUND, "Task id %d is not active", request.getTaskId()));
    Iteration iteration = state.iterations().of(task);
    if (!iteration.job().isAtLeastOnce()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "iteration %d is read %s, so its workers report no deliveries",
          iteration.id(),
          iteration.job().guarantee());
    }
    List<JournalRecord> records = new ArrayList<>();
    iteration
        .accounts()
        .ifPresent(accounts -> {
          String what = "delivered";
          RecordSet delivered = accounts.sources().read(request.getDelivered(), what);
          accounts.sources().requireWithin(delivered, accounts.scopeOf(task.id()), what);
          if (!delivered.isEmpty()) {
            records.add(JournalRecords.recordsDelivered(iteration.id(), task.id(), delivered));
          }
        });
    return new Decision<>(records, ReportDeliveriesResponse.getDefaultInstance());
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
