package io.headrace.client;

import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.ReportReadingRequest;
import io.headrace.proto.headrace.ReportReadingResponse;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
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
  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  private final ScheduledExecutorService timer;
  private final LongAdder elements = new LongAdder();
  private final LongAdder waitNanos = new LongAdder();

  /**
   * A reporter that has counted nothing.
   *
   * @param timer sends the reports, until it is shut down
   */
  ReadingReporter(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  /** Rows were returned to the user. */
  void returned(int rows) {
    elements.add(rows);
  }

  /** The user has waited. */
  void waited(long nanos) {
    waitNanos.add(nanos);
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

  private void report(DispatcherClient dispatcher, long clientId) {
    ReportReadingRequest request =
        ReportReadingRequest.newBuilder()
            .setIterationClientId(clientId)
            .setElements(elements.sum())
            .setWaitMs(TimeUnit.NANOSECONDS.toMillis(waitNanos.sum()))
            .build();
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
