package io.headrace.client;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.ReportTraceRequest;
import io.headrace.proto.headrace.ReportTraceResponse;
import io.headrace.proto.headrace.TracedReader;
import io.headrace.rpc.TraceMark;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.time.SystemTicker;
import io.headrace.runtime.time.Ticker;
import io.headrace.runtime.time.WallTime;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports to a reader's dispatcher when rows whose way is traced came, and when the reader handed
 * them over. A read goes on without it: a report that fails is dropped. Thread-safe.
 */
final class TraceReporter {
  private static final Logger LOGGER = System.getLogger(TraceReporter.class.getName());
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /** Most tasks with a row to come; a reader reads few that are traced at the same time. */
  private static final int MAX_TASKS = 64;

  private final Ticker ticker;
  private volatile @Nullable Client client;

  /** Whether a marked row is to be handed over, read once for each chunk. */
  private volatile boolean expects;

  @GuardedBy("this")
  private final SequencedMap<Long, Arrival> arrivals = new LinkedHashMap<>();

  private record Client(DispatcherClient dispatcher, long id) {}

  private record Arrival(TraceMark mark, long nanos) {}

  /** A reporter that measures by {@code ticker}. */
  TraceReporter(Ticker ticker) {
    this.ticker = ticker;
  }

  /** The reader has joined as the iteration's client {@code id}. */
  void start(DispatcherClient dispatcher, long id) {
    client = new Client(dispatcher, id);
  }

  /** A marked row of a task has come. Does not block. */
  synchronized void received(long taskId, TraceMark mark) {
    arrivals.remove(taskId);
    if (arrivals.size() == MAX_TASKS) {
      arrivals.pollFirstEntry();
    }
    arrivals.put(taskId, new Arrival(mark, ticker.nanoTime()));
    expects = true;
  }

  /** The reader hands over rows of a task. Does not block. */
  void handsOver(long taskId, Chunk rows) {
    if (expects) {
      report(taskId, rows);
    }
  }

  private void report(long taskId, Chunk rows) {
    Client from = client;
    Arrival arrival = take(taskId, rows);
    if (from == null || arrival == null) {
      return;
    }
    WallTime time = new WallTime(ticker, SystemTicker.INSTANCE);
    ReportTraceRequest request =
        ReportTraceRequest.newBuilder()
            .setTrace(arrival.mark().trace())
            .setReader(
                TracedReader.newBuilder()
                    .setIterationClientId(from.id())
                    .setTaskId(taskId)
                    .setPosition(arrival.mark().position())
                    .setReceivedMicros(time.micros(arrival.nanos()))
                    .setHandedOverMicros(time.micros(ticker.nanoTime())))
            .build();
    var _ =
        UnaryCalls.<ReportTraceResponse>call(reply ->
                DispatcherExtensionsGrpc.newStub(from.dispatcher().channel())
                    .withDeadlineAfter(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
                    .reportTrace(request, reply))
            .whenComplete((_, failure) -> {
              if (failure != null) {
                LOGGER.log(Level.DEBUG, "a traced row was not reported", failure);
              }
            });
  }

  private synchronized @Nullable Arrival take(long taskId, Chunk rows) {
    Arrival arrival = arrivals.get(taskId);
    long place = arrival == null ? -1 : arrival.mark().position() - rows.position();
    if (place < 0 || place >= rows.rows()) {
      return null;
    }
    arrivals.remove(taskId);
    expects = !arrivals.isEmpty();
    return arrival;
  }
}
