package io.headrace.journal;

import java.time.Duration;

/**
 * Settings of a journal in a bucket.
 *
 * @param timeout the timeout of a request, beyond the time for its bytes
 * @param patience how long transient failures are retried
 * @param checkEvery the interval of the ownership check without writes, and of the hint with writes
 * @param rollUpAfter the number of log objects after which a snapshot replaces them
 * @param partBytes the most bytes of records in a part of a snapshot, unless a single record has
 *     more
 */
record GcsSettings(
    Duration timeout, Duration patience, Duration checkEvery, int rollUpAfter, int partBytes) {

  static GcsSettings defaults() {
    return new GcsSettings(
        Duration.ofSeconds(10), Duration.ofSeconds(15), Duration.ofSeconds(5), 128, 8 << 20);
  }
}
