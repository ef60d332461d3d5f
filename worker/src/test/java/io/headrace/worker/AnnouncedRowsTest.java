package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.origin.RecordSet;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class AnnouncedRowsTest {
  private static final Duration LATENCY = Duration.ofMillis(2);

  private final FakeTicker ticker = new FakeTicker();
  private final AnnouncedRows rows = new AnnouncedRows(Duration.ofMillis(50));
  private long taken;

  /** Announces what is due; returns how many rows. */
  private int announce(Duration latency) {
    assertThat(rows.isDue(Long.MAX_VALUE)).isTrue();
    int wanted = rows.wanted(ticker.nanoTime(), latency);
    var next = rows.begin(new RecordSet(), wanted, rows.announcedTo() + wanted, taken);
    ticker.advance(latency);
    rows.confirmed(next, ticker.nanoTime());
    return wanted;
  }

  /** A reader takes rows at a pace, waiting for announcements; the most that were outstanding. */
  private long read(int count, Duration perRow, Duration latency) {
    long most = 0;
    for (int i = 0; i < count; i++) {
      if (rows.allowed(taken, 1) == 0) {
        rows.starve(ticker.nanoTime());
      }
      if (rows.isDue(Long.MAX_VALUE)) {
        announce(latency);
      }
      most = Math.max(most, rows.announcedTo() - taken);
      rows.taken(1);
      taken++;
      ticker.advance(perRow);
    }
    return most;
  }

  @Test
  void noRow_isAllowedBeforeItIsAnnounced() {
    assertThat(rows.allowed(0, 5)).isZero();

    assertThat(announce(LATENCY)).isEqualTo(1);

    assertThat(rows.allowed(0, 5)).isEqualTo(1);
    assertThat(rows.allowed(1, 5)).isZero();
  }

  @Test
  void oneAnnouncement_isUnderwayAtATime() {
    var first = rows.begin(new RecordSet(), 1, 1, 0);

    assertThat(rows.isDue(10)).isFalse();
    rows.confirmed(first, 0);
    rows.taken(1);
    assertThat(rows.isDue(10)).isTrue();
    assertThat(rows.isDue(1)).isFalse();
  }

  @Test
  void steadyReader_hasALeaseOfReadingAhead() {
    var _ = read(1000, Duration.ofMillis(1), LATENCY);

    assertThat(read(1000, Duration.ofMillis(1), LATENCY)).isBetween(40L, 60L);
  }

  @Test
  void quickReader_getsManyRowsAtATime_afterFewAnnouncements() {
    assertThat(read(20_000, Duration.ofNanos(20_000), LATENCY)).isBetween(1000L, 4000L);
  }

  @Test
  void slowReader_getsOneRowAtATime() {
    var _ = read(100, Duration.ofMillis(66), LATENCY);

    assertThat(read(100, Duration.ofMillis(66), LATENCY)).isEqualTo(1);
  }

  @Test
  void readerThatSlowsDown_soonHasNoMoreThanALeaseAhead() {
    var _ = read(20_000, Duration.ofNanos(20_000), LATENCY);
    var _ = read(5000, Duration.ofMillis(1), LATENCY);

    assertThat(read(1000, Duration.ofMillis(1), LATENCY)).isBetween(40L, 60L);
  }

  @Test
  void slowDispatcher_isAskedForMoreAtATime() {
    var _ = read(1000, Duration.ofMillis(1), Duration.ofMillis(100));

    assertThat(read(1000, Duration.ofMillis(1), Duration.ofMillis(100))).isBetween(200L, 400L);
  }

  @Test
  void dispatcherThatStops_isToldOfManyRowsAtOnce() {
    var _ = read(1000, Duration.ofMillis(1), LATENCY);

    rows.extend(Duration.ofSeconds(20));

    assertThat(announce(LATENCY)).isBetween(15_000, 25_000);
    assertThat(rows.isDue(Long.MAX_VALUE)).isFalse();
  }
}
