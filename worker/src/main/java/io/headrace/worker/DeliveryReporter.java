package io.headrace.worker;

import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Reports to the dispatcher which records the readers of at-least-once tasks have fetched, at most
 * once a second. If this worker dies, the unreported records of the splits that it took are
 * produced again. Thread-safe.
 */
final class DeliveryReporter implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(DeliveryReporter.class.getName());
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final DispatcherStub dispatcher;
  private final ReportLoop loop = new ReportLoop("worker-deliveries", PERIOD, this::sendAll);
  private final Map<Long, UnreportedDeliveries> due = new LinkedHashMap<>();

  DeliveryReporter(DispatcherStub dispatcher) {
    this.dispatcher = dispatcher;
  }

  void start() {
    loop.start();
  }

  /** A new set of deliveries of a task, reported as it fills. */
  UnreportedDeliveries of(long taskId) {
    return new UnreportedDeliveries(deliveries -> schedule(taskId, deliveries));
  }

  private void schedule(long taskId, UnreportedDeliveries deliveries) {
    synchronized (due) {
      due.put(taskId, deliveries);
    }
    loop.wake();
  }

  @Override
  public void close() {
    loop.close();
  }

  /** Sends the due reports now, once; failures are left. */
  void flush() {
    var _ = sendAll();
  }

  /** Sends the due reports; false if there were none. */
  private synchronized boolean sendAll() {
    Map<Long, UnreportedDeliveries> all;
    synchronized (due) {
      all = new LinkedHashMap<>(due);
      due.clear();
    }
    if (all.isEmpty()) {
      return false;
    }
    Map<Long, RecordSet> delivered = new LinkedHashMap<>();
    ReportDeliveriesRequest.Builder request = ReportDeliveriesRequest.newBuilder();
    all.forEach((taskId, deliveries) -> {
      RecordSet records = deliveries.take();
      if (!records.isEmpty()) {
        delivered.put(taskId, records);
        request.addTasks(
            TaskDeliveries.newBuilder().setTaskId(taskId).setRecords(records.toProto()));
      }
    });
    if (!delivered.isEmpty() && !send(request.build())) {
      delivered.forEach((taskId, records) -> {
        UnreportedDeliveries deliveries = Objects.requireNonNull(all.get(taskId));
        deliveries.putBack(records);
        schedule(taskId, deliveries);
      });
    }
    return true;
  }

  /** Sends a request; false if it is to be sent again. */
  private boolean send(ReportDeliveriesRequest request) {
    try {
      // The dispatcher refuses what it does not need: the task is over, or is produced again.
      dispatcher
          .reportDeliveries(request)
          .getRefusalsList()
          .forEach(refusal ->
              LOGGER.log(
                  Level.DEBUG,
                  () ->
                      "deliveries of task %d are not reported: %s"
                          .formatted(refusal.getTaskId(), refusal.getMessage())));
      return true;
    } catch (StatusException e) {
      LOGGER.log(Level.DEBUG, () -> "deliveries are not yet reported: " + e.message());
      return !DispatcherStub.isTransient(e);
    }
  }
}
