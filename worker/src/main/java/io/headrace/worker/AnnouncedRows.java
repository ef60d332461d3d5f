package io.headrace.worker;

import io.headrace.proto.headrace.TaskDeliveries;
import io.headrace.runtime.origin.RecordSet;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Tells which rows of a queue may be delivered: those whose records the dispatcher has been told
 * of, and will not have made again. When half of the announced rows are taken, more are announced:
 * up to as many as are read in a lease at the present rate. So a lost task costs at most about a
 * lease of reading. Guarded by the queue's lock.
 */
final class AnnouncedRows {
  /** The most by which the announced rows exceed the last ones, which gave the rate. */
  private static final int MAX_GROWTH = 4;

  private static final int MAX_ROWS = 1 << 16;

  /**
   * Readers that waited for at least this part of the time between two announcements get more rows.
   */
  private static final int LONG_WAIT = 4;

  /** The lease is longer if the dispatcher takes long to answer, so that readers seldom wait. */
  private static final int MIN_LATENCIES = 3;

  private final Duration lease;
  private long announcedTo;
  private long totalRows;
  private long number;
  private long left;
  private long target;
  private long grantedNanos;
  private long takenSince;
  private double lastPerNano;
  private boolean starving;
  private long starvingSinceNanos;
  private boolean waitedLong;
  private @Nullable Announcement inFlight;
  private boolean closed;
  private Duration longLease = Duration.ZERO;

  AnnouncedRows(Duration lease) {
    this.lease = lease;
  }

  /**
   * An announcement.
   *
   * @param number its number among the task's, from 1
   * @param records the records of its rows
   * @param rows the number of its rows
   * @param to the position after the last of them
   * @param totalRows the number of rows that the task has announced with it
   * @param handedOut the number of rows that readers had got before
   */
  record Announcement(
      long number, RecordSet records, int rows, long to, long totalRows, long handedOut) {

    /** The message for the dispatcher. */
    TaskDeliveries toProto(long taskId) {
      return TaskDeliveries.newBuilder()
          .setTaskId(taskId)
          .setNumber(number)
          .setRecords(records.toProto())
          .setRowsAnnounced(totalRows)
          .setRowsDelivered(handedOut)
          .build();
    }
  }

  /** The number of rows from {@code position} on, up to {@code rows}, that may be delivered. */
  int allowed(long position, int rows) {
    return Math.clamp(announcedTo - position, 0, rows);
  }

  void taken(int rows) {
    left -= rows;
    takenSince += rows;
  }

  void returned(long rows) {
    left += rows;
  }

  /** A reader found a row that may not be delivered yet. */
  void starve(long nowNanos) {
    if (!starving) {
      starving = true;
      starvingSinceNanos = nowNanos;
    }
  }

  /** Whether to announce more rows now; {@code last} is the position after the last queued one. */
  boolean isDue(long last) {
    return !closed
        && inFlight == null
        && last > announcedTo
        && (left <= target / 2 || longLease.isPositive());
  }

  /** Announces, once, as many rows as are read in {@code duration}. */
  void extend(Duration duration) {
    longLease = duration;
  }

  /** Announces no more rows. */
  void close() {
    closed = true;
  }

  /** Whether every row that was announced, or is about to be, was taken. */
  boolean isDrained() {
    return inFlight == null && left <= 0;
  }

  /** An announcement of no rows, which says how many were handed out. */
  Announcement last(long handedOut) {
    return new Announcement(number + 1, new RecordSet(), 0, announcedTo, totalRows, handedOut);
  }

  /** The position of the first row that is not announced. */
  long announcedTo() {
    return announcedTo;
  }

  /** The number of rows to announce now. */
  int wanted(long nowNanos, Duration latency) {
    long nanos = Math.max(lease.toNanos(), latency.toNanos() * MIN_LATENCIES);
    if (longLease.isPositive()) {
      double inLongLease = lastPerNano * longLease.toNanos();
      longLease = Duration.ZERO;
      return (int) Math.clamp(Math.max(inLongLease, (double) target) - left, 1, MAX_ROWS);
    }
    double inLease = (double) takenSince * nanos / Math.max(1, nowNanos - grantedNanos);
    boolean grow = waitedLong || hasWaitedLong(nowNanos);
    double wanted = grow ? Math.max(inLease, (double) target) * MAX_GROWTH : inLease;
    target = (long) Math.clamp(wanted, 1, (double) Math.clamp(target * MAX_GROWTH, 1, MAX_ROWS));
    return (int) Math.max(1, target - left);
  }

  private boolean hasWaitedLong(long nowNanos) {
    return starving && (nowNanos - starvingSinceNanos) * LONG_WAIT >= nowNanos - grantedNanos;
  }

  /** Begins an announcement of the next rows, up to position {@code to}. */
  Announcement begin(RecordSet records, int rows, long to, long handedOut) {
    Announcement next =
        new Announcement(number + 1, records, rows, to, totalRows + rows, handedOut);
    inFlight = next;
    return next;
  }

  /** The dispatcher has recorded {@code announcement}. */
  void confirmed(Announcement announcement, long nowNanos) {
    if (announcement.equals(inFlight)) {
      inFlight = null;
      number = announcement.number();
      announcedTo = announcement.to();
      totalRows = announcement.totalRows();
      left += announcement.rows();
      waitedLong = hasWaitedLong(nowNanos);
      lastPerNano = (double) takenSince / Math.max(1, nowNanos - grantedNanos);
      grantedNanos = nowNanos;
      takenSince = 0;
      starving = false;
    }
  }
}
