package io.headrace.journal;

/** A record that was acknowledged is missing or damaged. */
final class RecordDamage extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Says what is wrong with record {@code number}. */
  RecordDamage(long number, String what) {
    super("record " + number + " " + what);
  }
}
