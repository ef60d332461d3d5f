package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.RecordsDelivered;

/**
 * The last announcement of a task's deliveries.
 *
 * @param number its number among the task's announcements, from 1; 0 for none
 * @param rowsAnnounced the number of rows that the task has announced
 * @param rowsDelivered the number of rows that it had handed to readers by then
 */
public record Announcement(long number, long rowsAnnounced, long rowsDelivered) {
  /** No announcement. */
  public static final Announcement NONE = new Announcement(0, 0, 0);

  static Announcement of(RecordsDelivered change) {
    return new Announcement(
        change.getNumber(), change.getRowsAnnounced(), change.getRowsDelivered());
  }

  /** The most rows that were announced and may not have been delivered. */
  long outstanding() {
    return rowsAnnounced - rowsDelivered;
  }
}
