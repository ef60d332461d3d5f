package io.headrace.rpc;

import java.util.Optional;
import java.util.UUID;

/**
 * Which start of which dispatcher says something: of two that believe that a journal is theirs, the
 * one with the greater number is right. Epochs of different journals have nothing to do with one
 * another.
 *
 * @param journal the journal's id
 * @param number how often the journal was opened
 */
public record DispatcherEpoch(UUID journal, long number) {
  /** As a header has it: the id, a slash and the number. */
  String toHeader() {
    return journal + "/" + number;
  }

  /** The epoch that {@code header} tells of; empty if it is none. */
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
