package io.headrace.cli.drill;

/**
 * Counts the deliveries of each record of a job. Records are numbered from 0. Used by one thread at
 * a time.
 */
final class RecordCounter {
  private final byte[] times;
  private long delivered;
  private long duplicated;
  private long foreign;
  private int different;

  RecordCounter(int expected) {
    times = new byte[expected];
  }

  /** Counts a delivery of record {@code number}; unknown records are counted separately. */
  void enter(long number) {
    delivered++;
    if (number < 0 || number >= times.length) {
      foreign++;
      return;
    }
    int at = (int) number;
    if (times[at] == 0) {
      times[at] = 1;
      different++;
    } else {
      duplicated++;
    }
  }

  /** The counts so far. */
  Counts counts() {
    return new Counts(times.length, delivered, times.length - different, duplicated, foreign);
  }

  /**
   * The counts of a ledger.
   *
   * @param expected the number of the job's records
   * @param delivered the number of elements delivered
   * @param lost the number of records not delivered
   * @param duplicated the number of elements whose record was delivered before
   * @param foreign the number of elements that are no record of the job
   */
  record Counts(long expected, long delivered, long lost, long duplicated, long foreign) {}
}
