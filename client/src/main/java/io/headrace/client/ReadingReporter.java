package io.headrace.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.ReportReadingRequest;
import io.headrace.proto.headrace.ReportReadingResponse;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Reports a reader's progress to its dispatcher now and then, for operators. A read goes on without
 * it: failed reports are dropped, and a dispatcher that does not know them gets one. Thread-safe.
 */
final class ReadingReporter {
  private static final Logger LOGGER = System.getLogger(ReadingReporter.class.getName());
  private static final Duration FIRST = Duration.ofSeconds(2);
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final ScheduledExecutorService timer;
  private final Ticker ticker;
  private final LongAdder elements = new LongAdder();

  @GuardedBy("this")
  private long waitNanos;

  @GuardedBy("this")
  private long waitsSinceNanos;

  @GuardedBy("this")
  private boolean waits;

  /**
   * A reporter that has counted nothing.
   *
   * @param timer sends the reports, until it is shut down
   * @param ticker measures the user's waits
   */
  ReadingReporter(ScheduledExecutorService timer, Ticker ticker) {
    this.timer = timer;
    this.ticker = ticker;
  }

  /** Rows were returned to the user. */
  void returned(int rows) {
    elements.add(rows);
  }

  /** The user begins to wait. */
  synchronized void beginWait() {
    waits = true;
    waitsSinceNanos = ticker.nanoTime();
  }

  /** The user waits no more; returns how long the wait was. */
  synchronized long endWait() {
    long nanos = ticker.nanoTime() - waitsSinceNanos;
    waitNanos += nanos;
    waits = false;
    return nanos;
  }

  /** How long the user has waited, the present wait included. */
  synchronized long waitNanos() {
    return waitNanos + (waits ? ticker.nanoTime() - waitsSinceNanos : 0);
  }

  /** Starts to report as an iteration's client. */
  void start(DispatcherClient dispatcher, long clientId) {
    after(FIRST.toMillis(), dispatcher, clientId);
  }

  private void after(long millis, DispatcherClient dispatcher, long clientId) {
    try {
      var _ = timer.schedule(() -> report(dispatcher, clientId), millis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The reader was closed.
    }
  }

  private ReportReadingRequest progress(long clientId) {
    return ReportReadingRequest.newBuilder()
        .setIterationClientId(clientId)
        .setElements(elements.sum())
        .setWaitMs(TimeUnit.NANOSECONDS.toMillis(waitNanos()))
        .build();
  }

  /**
   * Reports once more before the reader leaves; without retries, and for {@code deadline} at most.
   */
  void last(DispatcherClient dispatcher, long clientId, Duration deadline) {
    if (elements.sum() == 0) {
      return;
    }
    try {
      var _ =
          dispatcher.callOnce(
              DispatcherExtensionsGrpc.getReportReadingMethod(),
              progress(clientId),
              new Cancellation(),
              deadline);
    } catch (StatusException e) {
      LOGGER.log(Level.DEBUG, () -> "the last report was not taken: " + e.getMessage());
    }
  }

  private void report(DispatcherClient dispatcher, long clientId) {
    ReportReadingRequest request = progress(clientId);
    var _ =
        UnaryCalls.<ReportReadingResponse>call(reply ->
                DispatcherExtensionsGrpc.newStub(dispatcher.channel())
                    .withDeadlineAfter(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
                    .reportReading(request, reply))
            .whenComplete((response, failure) -> {
              if (response != null) {
                after(Math.max(1, response.getNextMs()), dispatcher, clientId);
              } else if (isTransient(failure)) {
                after(FIRST.toMillis(), dispatcher, clientId);
              }
            });
  }

  private static boolean isTransient(@Nullable Throwable failure) {
    return failure instanceof StatusException status
        && (status.code().isRetriable() || status.code() == StatusCode.DEADLINE_EXCEEDED);
  }
}
