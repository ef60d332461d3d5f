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
 * Tells the dispatcher what readers have fetched of tasks that are read at least once, at most once
 * a second: if this worker dies, all else of what they had taken is made again. Thread-safe.
 */
final class DeliveryReporter implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(DeliveryReporter.class.getName());
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final Duration IDLE = Duration.ofHours(1);

  private final DispatcherCalls dispatcher;
  private final Pause idle = new Pause();
  private final Pause period = new Pause();
  private final Map<Long, Deliveries> due = new LinkedHashMap<>();

  DeliveryReporter(DispatcherCalls dispatcher) {
    this.dispatcher = dispatcher;
  }

  void start() {
    Thread.ofPlatform().daemon().name("worker-deliveries").start(this::run);
  }

  /** The deliveries of a task, which are reported from now on. */
  Deliveries of(long taskId) {
    return new Deliveries(deliveries -> note(taskId, deliveries));
  }

  private void note(long taskId, Deliveries deliveries) {
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

  /** Sends what is due; false if there was nothing. */
  private boolean sendAll() {
    Map<Long, Deliveries> all;
    synchronized (due) {
      all = new LinkedHashMap<>(due);
      due.clear();
    }
    all.forEach(this::send);
    return !all.isEmpty();
  }

  private void send(long taskId, Deliveries deliveries) {
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
      // A dispatcher that refuses them has no use for them: the task is over, or all is made again.
      boolean again = DispatcherCalls.isWorthAnotherTry(e);
      LOGGER.log(
          Level.DEBUG,
          () ->
              "deliveries of task "
                  + taskId
                  + " are not "
                  + (again ? "yet " : "")
                  + "reported: "
                  + e.message());
      if (again) {
        deliveries.putBack(delivered);
        note(taskId, deliveries);
      }
    }
  }
}
