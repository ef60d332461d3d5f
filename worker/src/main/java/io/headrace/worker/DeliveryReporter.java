package io.headrace.worker;

import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reports to the dispatcher which records the readers of at-least-once tasks have fetched, at most
 * once a second. If this worker dies, the unreported records of the splits that it took are
 * produced again. Thread-safe.
 */
final class DeliveryReporter implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(DeliveryReporter.class.getName());
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration IDLE = Duration.ofHours(1);

  private final DispatcherStub dispatcher;
  private final InterruptibleWait idle = new InterruptibleWait();
  private final InterruptibleWait period = new InterruptibleWait();
  private final Map<Long, UnreportedDeliveries> due = new LinkedHashMap<>();

  DeliveryReporter(DispatcherStub dispatcher) {
    this.dispatcher = dispatcher;
  }

  void start() {
    Thread.ofPlatform().daemon().name("worker-deliveries").start(this::run);
  }

  /** A new set of deliveries of a task, reported as it fills. */
  UnreportedDeliveries of(long taskId) {
    return new UnreportedDeliveries(deliveries -> schedule(taskId, deliveries));
  }

  private void schedule(long taskId, UnreportedDeliveries deliveries) {
    synchronized (due) {
      due.put(taskId, deliveries);
    }
    idle.poke();
  }

  @Override
  public void close() {
    idle.end();
    period.end();
  }

  private void run() {
    while (idle.await(IDLE)) {
      while (sendAll()) {
        if (!period.await(PERIOD)) {
          return;
        }
      }
    }
  }

  /** Sends the due reports; false if there were none. */
  private boolean sendAll() {
    Map<Long, UnreportedDeliveries> all;
    synchronized (due) {
      all = new LinkedHashMap<>(due);
      due.clear();
    }
    all.forEach(this::send);
    return !all.isEmpty();
  }

  private void send(long taskId, UnreportedDeliveries deliveries) {
    RecordSet delivered = deliveries.take();
    if (delivered.isEmpty()) {
      return;
    }
    try {
      dispatcher.reportDeliveries(
          ReportDeliveriesRequest.newBuilder()
              .setTaskId(taskId)
              .setDelivered(delivered.toProto())
              .build());
    } catch (StatusException e) {
      // A dispatcher refuses a report that it does not need: the task is over, or is produced
      // again.
      boolean retry = DispatcherStub.isTransient(e);
      LOGGER.log(
          Level.DEBUG,
          () ->
              "deliveries of task "
                  + taskId
                  + " are not "
                  + (retry ? "yet " : "")
                  + "reported: "
                  + e.message());
      if (retry) {
        deliveries.putBack(delivered);
        schedule(taskId, deliveries);
      }
    }
  }
}
