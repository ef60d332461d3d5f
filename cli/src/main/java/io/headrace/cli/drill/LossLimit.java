package io.headrace.cli.drill;

import java.util.Locale;
import java.util.Optional;

/**
 * The elements that may be missing where a job is read at most once.
 *
 * @param counted the most that are missing with lost tasks, as the dispatcher counts them
 * @param ofReaders the most that killed readers may have had; the dispatcher does not know of them
 */
record LossLimit(long counted, long ofReaders) {
  private static final long KILLED_READER = 10;

  /** The limit where {@code killedReaders} readers were killed. */
  static LossLimit of(long counted, int killedReaders) {
    return new LossLimit(counted, killedReaders * KILLED_READER);
  }

  /** The breach if {@code lost} elements are missing; empty if there is none. */
  Optional<String> breach(long lost) {
    if (lost <= counted + ofReaders) {
      return Optional.empty();
    }
    String readers =
        ofReaders == 0
            ? ""
            : String.format(Locale.ROOT, ", and killed readers may have had %,d more", ofReaders);
    return Optional.of(
        String.format(
            Locale.ROOT,
            "%,d elements were lost, and the dispatcher counts at most %,d as missing%s",
            lost,
            counted,
            readers));
  }
}
