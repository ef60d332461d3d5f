package io.headrace.dispatcher.statistics;

/**
 * The last reports of a peer that counts from some beginning: differences between the first and the
 * last of them are of the last ten to twenty seconds. Immutable.
 *
 * @param first the report that differences begin with
 * @param firstNanos when it was received
 * @param middle the report that they will begin with next
 * @param middleNanos when it was received
 * @param last the latest report
 * @param lastNanos when it was received
 * @param <T> the type of reports
 */
public record RecentReports<T>(
    T first, long firstNanos, T middle, long middleNanos, T last, long lastNanos) {
  private static final long SPAN_NANOS = 10_000_000_000L;

  /** The first report of a peer, received now, and its counts at an earlier time. */
  public static <T> RecentReports<T> begin(T before, long beforeNanos, T report, long nowNanos) {
    return new RecentReports<>(before, beforeNanos, report, nowNanos, report, nowNanos);
  }

  /** The first report of a peer, which is of no span yet. */
  public static <T> RecentReports<T> begin(T report, long nowNanos) {
    return begin(report, nowNanos, report, nowNanos);
  }

  /** These reports and the next one, received now. */
  public RecentReports<T> and(T report, long nowNanos) {
    return nowNanos - middleNanos >= SPAN_NANOS
        ? new RecentReports<>(middle, middleNanos, report, nowNanos, report, nowNanos)
        : new RecentReports<>(first, firstNanos, middle, middleNanos, report, nowNanos);
  }

  /** The time between the first and the last of them. */
  public long nanos() {
    return lastNanos - firstNanos;
  }
}
