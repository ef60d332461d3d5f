package io.headrace.rpc;

import java.util.Optional;
import java.util.UUID;

/**
 * The epoch of a dispatcher: its journal, and the number of times that it was opened. If two
 * dispatchers claim a journal, the one with the greater number owns it. Epochs of different
 * journals are unrelated.
 *
 * @param journal the journal's id
 * @param number the number of times that the journal was opened
 */
public record DispatcherEpoch(UUID journal, long number) {
  /** The header value: the id, a slash and the number. */
  String toHeader() {
    return journal + "/" + number;
  }

  /** Parses a header value; empty if it is malformed. */
  static Optional<DispatcherEpoch> of(String header) {
    int slash = header.indexOf('/');
    try {
      return slash < 0
          ? Optional.empty()
          : Optional.of(
              new DispatcherEpoch(
                  UUID.fromString(header.substring(0, slash)),
                  Long.parseLong(header.substring(slash + 1))));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
