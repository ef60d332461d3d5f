package io.headrace.journal;

/** An acknowledged record is missing or damaged. */
final class RecordDamage extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Describes the damage of record {@code number}. */
  RecordDamage(long number, String what) {
    super("record " + number + " " + what);
  }
}
