package io.headrace.worker;

import io.headrace.proto.headrace.DeliveryRefusal;
import io.headrace.proto.headrace.ReportDeliveriesRequest;
import io.headrace.proto.headrace.ReportDeliveriesResponse;
import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Announces to the dispatcher the rows that the worker's tasks deliver next, in one request for all
 * tasks at a time. While the dispatcher does not answer, it is asked again, and readers wait. A
 * task that the dispatcher has given up is cancelled: what it has not announced is made again
 * elsewhere. Thread-safe.
 */
final class DeliveryAnnouncer implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(DeliveryAnnouncer.class.getName());

  /** Rows that trickle in are announced together. */
  private static final Duration PERIOD = Duration.ofMillis(5);

  private static final Duration RETRY = Duration.ofMillis(200);
  private static final int LATENCY_WEIGHT = 8;

  private final DispatcherStub dispatcher;
  private final Ticker ticker;
  private final ReportLoop loop;
  private final Set<AnnouncingTask> due = new LinkedHashSet<>();
  private long latencyNanos;

  /** A task whose deliveries are announced. Compared by identity: ids may come again. */
  static final class AnnouncingTask {
    private final long id;
    private final RowQueue rows;
    private final Runnable cancel;

    /**
     * Describes a task.
     *
     * @param id the task id
     * @param rows the task's rows
     * @param cancel ends the task for good
     */
    AnnouncingTask(long id, RowQueue rows, Runnable cancel) {
      this.id = id;
      this.rows = rows;
      this.cancel = cancel;
    }
  }

  DeliveryAnnouncer(DispatcherStub dispatcher, Ticker ticker) {
    this.dispatcher = dispatcher;
    this.ticker = ticker;
    loop = new ReportLoop("worker-announcements", PERIOD, this::announceAll);
  }

  void start() {
    loop.start();
  }

  /** Announces the next rows of {@code task} soon. Does not block. */
  void schedule(AnnouncingTask task) {
    synchronized (due) {
      due.add(task);
    }
    loop.wake();
  }

  @Override
  public void close() {
    loop.close();
  }

  /** Announces what is due; false if nothing is. */
  private boolean announceAll() {
    Map<AnnouncingTask, AnnouncedRows.Announcement> announcements = new LinkedHashMap<>();
    for (AnnouncingTask task : takeDue()) {
      AnnouncedRows.@Nullable Announcement next =
          task.rows.nextAnnouncement(Duration.ofNanos(latencyNanos));
      if (next != null) {
        announcements.put(task, next);
      }
    }
    if (announcements.isEmpty()) {
      return false;
    }
    Map<Long, DeliveryRefusal> refusals = new LinkedHashMap<>();
    @Nullable ReportDeliveriesResponse response = send(request(announcements));
    if (response == null) {
      return false;
    }
    response.getRefusalsList().forEach(refusal -> refusals.put(refusal.getTaskId(), refusal));
    announcements.forEach((task, announcement) -> {
      @Nullable DeliveryRefusal refusal = refusals.get(task.id);
      if (refusal == null) {
        task.rows.announced(announcement, Duration.ofMillis(Math.max(0, response.getLeaseMs())));
      } else {
        LOGGER.log(
            Level.DEBUG, () -> "task " + task.id + " delivers no more: " + refusal.getMessage());
        task.cancel.run();
      }
    });
    return true;
  }

  private Set<AnnouncingTask> takeDue() {
    synchronized (due) {
      Set<AnnouncingTask> all = new LinkedHashSet<>(due);
      due.clear();
      return all;
    }
  }

  private static ReportDeliveriesRequest request(
      Map<AnnouncingTask, AnnouncedRows.Announcement> announcements) {
    ReportDeliveriesRequest.Builder request = ReportDeliveriesRequest.newBuilder();
    announcements.forEach((task, announcement) -> request.addTasks(announcement.toProto(task.id)));
    return request.build();
  }

  /** Sends a request until it is answered; null if the worker is closed before. */
  private @Nullable ReportDeliveriesResponse send(ReportDeliveriesRequest request) {
    while (true) {
      long begun = ticker.nanoTime();
      try {
        ReportDeliveriesResponse response = dispatcher.reportDeliveries(request);
        long taken = ticker.nanoTime() - begun;
        latencyNanos += (taken - latencyNanos) / LATENCY_WEIGHT;
        return response;
      } catch (StatusException e) {
        if (!DispatcherStub.isTransient(e)) {
          LOGGER.log(Level.WARNING, "the dispatcher refuses announcements: " + e.message());
          return refusalOfAll(request, e);
        }
        LOGGER.log(Level.DEBUG, () -> "rows are not yet announced: " + e.message());
      }
      if (!loop.await(RETRY)) {
        return null;
      }
    }
  }

  private static ReportDeliveriesResponse refusalOfAll(
      ReportDeliveriesRequest request, StatusException reason) {
    ReportDeliveriesResponse.Builder response = ReportDeliveriesResponse.newBuilder();
    for (TaskDeliveries task : request.getTasksList()) {
      response.addRefusals(
          DeliveryRefusal.newBuilder()
              .setTaskId(task.getTaskId())
              .setCode(reason.code().number())
              .setMessage(reason.message()));
    }
    return response.build();
  }
}
