package io.headrace.cli.drill;

import java.util.Locale;
import java.util.Optional;

/**
 * The elements that may be missing where a job is read at most once.
 *
 * @param counted the most that are missing with lost tasks, as the dispatcher counts them
 * @param ofServers the most that the faults of servers may cost
 * @param ofReaders the most that killed readers may have had; the dispatcher does not know of them
 */
record LossLimit(long counted, long ofServers, long ofReaders) {
  /** The breach if {@code lost} elements are missing; empty if there is none. */
  Optional<String> breach(long lost) {
    if (lost > ofServers + ofReaders) {
      return Optional.of(
          String.format(
              Locale.ROOT,
              "%,d elements were lost, and these faults may cost %,d",
              lost,
              ofServers + ofReaders));
    }
    return lost > counted + ofReaders
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "%,d elements were lost, and the dispatcher counts at most %,d as missing",
                lost,
                counted))
        : Optional.empty();
  }
}
