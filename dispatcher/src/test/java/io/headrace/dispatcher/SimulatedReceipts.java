package io.headrace.dispatcher;

import io.headrace.dispatcher.state.SplitSet;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.ReportReceiptsResponse;
import io.headrace.proto.headrace.Settlement;
import io.headrace.proto.headrace.SettlementAnswer;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One reader's receipts for a pass with dynamic sharding of a {@link Simulation}. In a job that
 * others may share, its user takes nothing once the delivery lease has expired.
 */
final class SimulatedReceipts {
  private static final long SECOND = 1_000_000_000;
  private static final long DEADLINE_NANOS = Simulation.CLIENT_TIMEOUT.toNanos() / 2;

  private final Simulation simulation;
  private final VirtualProcess process;
  private final String name;
  private final long client;
  private final boolean exactly;
  private final Consumer<Throwable> onExpelled;
  private final RecordSet received = new RecordSet();
  private final Deque<RecordSet> held = new ArrayDeque<>();
  private final Map<Long, Long> lastArrivalNanos = new HashMap<>();
  private final Set<Long> lostTasks = new HashSet<>();
  private final Map<Long, SettlementAnswer> answers = new LinkedHashMap<>();
  private final Set<Long> answered = new HashSet<>();
  private RecordSet unreported = new RecordSet();
  private long answeredNanos;
  private long timeoutNanos;
  private boolean stopped;
  private int underway;
  private boolean reporting;
  private boolean over;

  SimulatedReceipts(
      Simulation simulation,
      VirtualProcess process,
      String name,
      long client,
      boolean exactly,
      Consumer<Throwable> onExpelled) {
    this.simulation = simulation;
    this.process = process;
    this.name = name;
    this.client = client;
    this.exactly = exactly;
    this.onExpelled = onExpelled;
  }

  /**
   * Renews the delivery lease.
   *
   * @param askedNanos the time of the request that was answered
   * @param timeoutMillis the duration of the lease; 0 for ever
   */
  void answered(long askedNanos, long timeoutMillis) {
    boolean first = timeoutNanos == 0;
    answeredNanos = Math.max(answeredNanos, askedNanos);
    timeoutNanos = timeoutMillis * 1_000_000;
    if (first && timeoutNanos > 0) {
      renew();
    }
  }

  private void renew() {
    if (over) {
      return;
    }
    if (!reporting && simulation.now() - answeredNanos >= timeoutNanos / 4) {
      reporting = true;
      send();
    }
    process.after(timeoutNanos / 8, this::renew);
  }

  private boolean mustStop() {
    return timeoutNanos > 0 && simulation.now() - answeredNanos >= timeoutNanos;
  }

  /** Whether all sent elements have arrived and the user has taken them. */
  boolean isEmpty() {
    return underway == 0 && held.isEmpty();
  }

  /** Ends the pass, with a single attempt to report the last taken records. */
  void end(Runnable next) {
    end();
    simulation.judge().leaves(client);
    if (!exactly || unreported.isEmpty()) {
      next.run();
      return;
    }
    RecordSet taken = unreported;
    unreported = new RecordSet(); // a failing earlier report in flight has its own records
    ReportReceiptsRequest request =
        ReportReceiptsRequest.newBuilder()
            .setIterationClientId(client)
            .setTaken(taken.toProto())
            .build();
    var _ =
        simulation
            .ask(process, name, dispatcher -> dispatcher.reportReceipts(request))
            .whenComplete((_, failure) -> {
              if (failure == null) {
                simulation.judge().reported(client, taken);
              }
              next.run();
            });
  }

  /** Ends the pass. */
  void end() {
    over = true;
  }

  /** A task sends an element, which arrives after the earlier ones of the task. */
  void send(long task, SimulatedTask part, RecordSet element) {
    long now = simulation.now();
    long at =
        Math.max(
            lastArrivalNanos.getOrDefault(task, 0L) + 1, now + simulation.network().delayNanos());
    lastArrivalNanos.put(task, at);
    underway++;
    Runnable closes = () -> part.comeBack(element);
    process.atDeath(closes);
    process.after(
        at - now,
        () -> {
          process.notAtDeath(closes);
          underway--;
          if (over) {
            part.comeBack(element);
            return;
          }
          part.arrived(element);
          if (!lostTasks.contains(task)) {
            simulation.judge().fetched(client, element);
            received.addAll(element);
            held.add(element);
          }
        });
  }

  /** The user takes up to {@code most} of the held elements. */
  void take(int most) {
    if (mustStop()) {
      stopped |= !held.isEmpty();
      return;
    }
    if (stopped) {
      stopped = false;
      simulation.judge().isAnsweredInTime();
    }
    for (int i = 0; i < most && !held.isEmpty() && !over; i++) {
      RecordSet element = held.removeFirst();
      simulation.judge().took(client, element);
      unreported.addAll(element);
      report();
    }
  }

  /** Answers open settlements, each once. */
  void settle(Iterable<Settlement> open) {
    if (!exactly) {
      return; // only readers with exactly once are asked
    }
    for (Settlement settlement : open) {
      if (settlement.getLostTaskId() != 0) {
        lostTasks.add(settlement.getLostTaskId());
      }
      if (answered.add(settlement.getSettlementId())) {
        RecordSet of = received.within(SplitSet.of(settlement.getSplitsList()).bySource());
        if (settlement.getLostTaskId() == 0) {
          simulation.judge().answeredForAll(client, of);
        }
        answers.put(
            settlement.getSettlementId(),
            SettlementAnswer.newBuilder()
                .setSettlementId(settlement.getSettlementId())
                .setReceived(of.toProto())
                .build());
        report();
      }
    }
  }

  private void report() {
    if (exactly && !reporting && !over) {
      reporting = true;
      process.after(simulation.random().nextLong(SECOND), this::send);
    }
  }

  private void send() {
    RecordSet taken = unreported;
    unreported = new RecordSet();
    Map<Long, SettlementAnswer> sent = new HashMap<>(answers);
    ReportReceiptsRequest request =
        ReportReceiptsRequest.newBuilder()
            .setIterationClientId(client)
            .setTaken(taken.toProto())
            .addAllAnswers(sent.values())
            .build();
    long askedNanos = simulation.now();
    CompletableFuture<ReportReceiptsResponse> reply =
        simulation.withDeadline(
            process,
            DEADLINE_NANOS,
            simulation.ask(
                process,
                name,
                dispatcher -> {
                  simulation.ledger().heard(client);
                  return dispatcher.reportReceipts(request);
                }));
    var _ =
        reply.whenComplete((response, failure) -> {
          if (failure == null) {
            answered(askedNanos, response.getClientTimeoutMs());
          }
          sent(taken, sent, failure);
        });
  }

  private void sent(
      RecordSet taken, Map<Long, SettlementAnswer> sent, @Nullable Throwable failure) {
    reporting = false;
    if (failure == null) {
      simulation.judge().reported(client, taken);
      answers.keySet().removeAll(sent.keySet());
    } else {
      unreported.addAll(taken);
    }
    if (failure != null && !isWorthAnotherTry(failure)) {
      if (!over) {
        onExpelled.accept(failure);
      }
    } else if (!unreported.isEmpty() || !answers.isEmpty()) {
      report();
    }
  }

  private static boolean isWorthAnotherTry(Throwable failure) {
    StatusCode code = StatusException.codeOf(failure);
    return code.isRetriable() || code == StatusCode.DEADLINE_EXCEEDED;
  }
}
