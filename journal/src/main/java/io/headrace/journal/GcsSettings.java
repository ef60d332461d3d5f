package io.headrace.journal;

import java.time.Duration;

/**
 * How a journal deals with its bucket.
 *
 * @param timeout of a request, beyond the time that its bytes take
 * @param patience how long a request that failed for now is tried again before the journal gives up
 * @param checkEvery how often the journal looks whether it is still its own while nothing is
 *     written, and says how far it goes while something is
 * @param rollUpAfter how many log objects there may be before a snapshot takes their place
 * @param partBytes how many bytes of records a part of a snapshot has, unless one record has more
 */
record GcsSettings(
    Duration timeout, Duration patience, Duration checkEvery, int rollUpAfter, int partBytes) {

  static GcsSettings defaults() {
    return new GcsSettings(
        Duration.ofSeconds(10), Duration.ofSeconds(15), Duration.ofSeconds(5), 128, 8 << 20);
  }
}
