package io.headrace.journal;

/** An acknowledged record is missing or damaged. */
final class DamagedRecordException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Describes the damage of record {@code number}. */
  DamagedRecordException(long number, String what) {
    super("record " + number + " " + what);
  }
}
