package io.headrace.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.ReportReceiptsRequest;
import io.headrace.proto.headrace.ReportReceiptsResponse;
import io.headrace.proto.headrace.Settlement;
import io.headrace.proto.headrace.SettlementAnswer;
import io.headrace.proto.headrace.SourceSplits;
import io.headrace.rpc.StreamItem;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RangeEncoding;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the records that a reader has received of an exactly-once iteration, and those that its
 * user has taken. Reports them to the dispatcher as needed, and renews the reader's {@link
 * DeliveryLease}. Thread-safe.
 *
 * <p>Rows count as received once they are polled. When the dispatcher settles a lost task, its rows
 * that have arrived count, too: they are still delivered to the user, and later arrivals are not.
 */
final class Receipts implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger(Receipts.class.getName());
  private static final Duration DEADLINE = Duration.ofSeconds(5);
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final DispatcherClient dispatcher;
  private final long clientId;
  private final boolean reportsTaken;
  private final Cancellation cancellation;
  private final Ticker ticker;
  private final DeliveryLease lease;
  private final Listener listener;

  /** Receives the outcome of reports, on the thread that sends them. */
  interface Listener {
    /** Called after each answer. */
    void answered();

    /**
     * Called when the dispatcher was silent for so long that it may have declared the reader lost.
     */
    void longSilent();

    /** Called when reporting has failed for good. */
    void failed(StatusException failure);
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // The fields from here on are guarded by the lock.
  @GuardedBy("lock")
  private final RecordSet received = new RecordSet();

  @GuardedBy("lock")
  private final RecordSet dropped = new RecordSet();

  @GuardedBy("lock")
  private RecordSet unreportedTaken = new RecordSet();

  @GuardedBy("lock")
  private final Map<Long, SettlementAnswer> unreportedAnswers = new LinkedHashMap<>();

  @GuardedBy("lock")
  private final Set<Long> settled = new HashSet<>();

  @GuardedBy("lock")
  private long reportedNanos;

  @GuardedBy("lock")
  private boolean running;

  @GuardedBy("lock")
  private boolean sending;

  @GuardedBy("lock")
  private boolean refused;

  @GuardedBy("lock")
  private boolean closed;

  /**
   * The receipts of one client of an iteration.
   *
   * @param reportsTaken whether other readers may share the job, so that the dispatcher must know
   *     the taken records
   * @param lease the lease to renew, if it is bounded
   * @param listener receives the outcome of reports
   */
  Receipts(
      DispatcherClient dispatcher,
      long clientId,
      boolean reportsTaken,
      Cancellation cancellation,
      Ticker ticker,
      DeliveryLease lease,
      Listener listener) {
    this.dispatcher = dispatcher;
    this.clientId = clientId;
    this.reportsTaken = reportsTaken;
    this.cancellation = cancellation;
    this.ticker = ticker;
    this.lease = lease;
    this.listener = listener;
  }

  /** Starts to renew the lease, if it is bounded. */
  void start() {
    lock.lock();
    try {
      if (lease.isBounded()) {
        wake();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Polls {@code reader} and records the item as received. */
  @Nullable StreamItem receive(TaskReader reader) {
    lock.lock();
    try {
      StreamItem item = reader.poll();
      recordReceived(item);
      return item;
    } finally {
      lock.unlock();
    }
  }

  /** Has {@code reader} claim what has arrived, and records that as received. */
  void claim(TaskReader reader) {
    lock.lock();
    try {
      reader.claim().forEach(this::recordReceived);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void recordReceived(@Nullable StreamItem item) {
    switch (item) {
      case StreamItem.Rows rows -> received.add(rows.chunk().origins());
      case StreamItem.Dropped none -> {
        received.add(none.origins());
        dropped.add(none.origins());
        recordTaken(none.origins());
      }
      case StreamItem.RowFailure _, StreamItem.End _ -> {}
      case null -> {}
    }
  }

  /** Adds the received records that yield no element to {@code taken}. */
  void addDropped(RecordSet taken) {
    lock.lock();
    try {
      taken.addAll(dropped);
    } finally {
      lock.unlock();
    }
  }

  /** Records {@code origins} as taken by the user. */
  void take(Origins origins) {
    if (!reportsTaken) {
      return;
    }
    lock.lock();
    try {
      recordTaken(origins);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void recordTaken(Origins origins) {
    if (reportsTaken && !origins.isEmpty()) {
      boolean first = unreportedTaken.isEmpty();
      unreportedTaken.add(origins);
      if (first) {
        wake();
      }
    }
  }

  /** Answers the open settlements, each once. */
  void settle(List<Settlement> open, Function<Long, @Nullable TaskReader> readers) {
    lock.lock();
    try {
      Set<Long> ids = open.stream().map(Settlement::getSettlementId).collect(Collectors.toSet());
      settled.retainAll(ids);
      unreportedAnswers.keySet().retainAll(ids);
      for (Settlement settlement : open) {
        if (settled.add(settlement.getSettlementId())) {
          answer(settlement, readers.apply(settlement.getLostTaskId()));
        }
      }
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void answer(Settlement settlement, @Nullable TaskReader lost) {
    if (lost != null) {
      lost.settle().forEach(this::recordReceived);
    }
    Map<Long, LongSet> scope = new HashMap<>();
    for (SourceSplits splits : settlement.getSplitsList()) {
      scope.put(splits.getSource(), RangeEncoding.read(splits.getRangesList()));
    }
    unreportedAnswers.put(
        settlement.getSettlementId(),
        SettlementAnswer.newBuilder()
            .setSettlementId(settlement.getSettlementId())
            .setReceived(received.within(scope).toProto())
            .build());
    wake();
  }

  @GuardedBy("lock")
  private void wake() {
    if (!running) {
      running = true;
      Thread.ofVirtual().name("receipts").start(this::run);
    }
    changed.signalAll();
  }

  private void run() {
    int attempt = 0;
    while (true) {
      ReportReceiptsRequest request = awaitDue();
      if (request == null) {
        return;
      }
      try {
        send(request, cancellation);
        attempt = 0;
      } catch (StatusException e) {
        if (!isTransient(e)) {
          refuse();
          listener.failed(e.in("the dispatcher refused receipts"));
          return;
        }
        if (lease.hasLapsedTwice()) {
          listener.longSilent();
        }
        long backoff = dispatcher.backoff().nanos(attempt++);
        if (!pause(lease.isBounded() ? Math.min(backoff, lease.attemptNanos()) : backoff)) {
          return;
        }
      }
    }
  }

  /** The dispatcher knows the reader no more, so that its last report would be refused, too. */
  private void refuse() {
    lock.lock();
    try {
      refused = true;
    } finally {
      lock.unlock();
    }
  }

  private static boolean isTransient(StatusException e) {
    return e.code().isRetriable() || e.code() == StatusCode.DEADLINE_EXCEEDED;
  }

  private boolean pause(long nanos) {
    lock.lock();
    try {
      long left = nanos;
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      return !closed;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until a report is due; null when closed. */
  private @Nullable ReportReceiptsRequest awaitDue() {
    lock.lock();
    try {
      while (!closed) {
        long wait = PERIOD_NANOS - (ticker.nanoTime() - reportedNanos);
        boolean renews = lease.isBounded();
        if (!unreportedAnswers.isEmpty()
            || (!unreportedTaken.isEmpty() && wait <= 0)
            || (renews && lease.untilRenewalNanos() <= 0)) {
          return takeRequest();
        }
        if (unreportedTaken.isEmpty() && !renews) {
          changed.await();
        } else {
          // Checked again every period, because the ticker need not advance at the pace of this
          // wait.
          long due = renews ? Math.min(lease.untilRenewalNanos(), PERIOD_NANOS) : wait;
          var _ = changed.awaitNanos(unreportedTaken.isEmpty() ? due : Math.min(due, wait));
        }
      }
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private ReportReceiptsRequest takeRequest() {
    ReportReceiptsRequest request =
        ReportReceiptsRequest.newBuilder()
            .setIterationClientId(clientId)
            .setTaken(unreportedTaken.toProto())
            .addAllAnswers(unreportedAnswers.values())
            .build();
    unreportedTaken = new RecordSet();
    reportedNanos = ticker.nanoTime();
    sending = true;
    return request;
  }

  private void send(ReportReceiptsRequest request, Cancellation until) {
    boolean answered = false;
    try {
      long askedNanos = lease.nanoTime();
      ReportReceiptsResponse response =
          dispatcher.callOnce(
              DispatcherExtensionsGrpc.getReportReceiptsMethod(), request, until, deadline());
      answered = true;
      lease.answered(askedNanos, response.getClientTimeoutMs());
    } finally {
      sent(request, answered);
    }
    listener.answered();
  }

  private void sent(ReportReceiptsRequest request, boolean answered) {
    lock.lock();
    try {
      sending = false;
      if (answered) {
        request
            .getAnswersList()
            .forEach(answer -> unreportedAnswers.remove(answer.getSettlementId()));
      } else {
        unreportedTaken.addAll(RecordSet.of(request.getTaken()));
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private Duration deadline() {
    return lease.isBounded()
        ? Duration.ofNanos(Math.min(DEADLINE.toNanos(), 2 * lease.attemptNanos()))
        : DEADLINE;
  }

  /**
   * Stops reporting. First waits for the report under way and then sends the records taken since
   * then, even if the step is cancelled, which happens before its iterators are closed.
   */
  @Override
  public void close() {
    ReportReceiptsRequest last;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      changed.signalAll();
      while (sending) {
        changed.awaitUninterruptibly(); // at most for the deadline of the report
      }
      last = refused || unreportedTaken.isEmpty() ? null : takeRequest();
    } finally {
      lock.unlock();
    }
    if (last != null) {
      try {
        send(last, new Cancellation());
      } catch (StatusException e) {
        LOGGER.log(Level.WARNING, () -> "the last receipts were not reported: " + e.message());
      }
    }
  }
}
