package io.headrace.cli.drill;

/**
 * How often each record of a job came. Records are numbered from 0. Used by one thread at a time.
 */
final class Ledger {
  private final byte[] times;
  private long delivered;
  private long duplicated;
  private long foreign;
  private int different;

  Ledger(int expected) {
    times = new byte[expected];
  }

  /** Record {@code number} came; one that the job does not have is counted by itself. */
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

  /** What came so far. */
  Counts counts() {
    return new Counts(times.length, delivered, times.length - different, duplicated, foreign);
  }

  /**
   * Sums of a ledger.
   *
   * @param expected how many records the job has
   * @param delivered how many elements came
   * @param lost how many records did not come
   * @param duplicated how many elements were records that had come before
   * @param foreign how many elements were no record of the job
   */
  record Counts(long expected, long delivered, long lost, long duplicated, long foreign) {}
}
