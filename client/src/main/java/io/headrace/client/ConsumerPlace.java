package io.headrace.client;

import io.headrace.runtime.status.StatusException;
import java.util.Optional;

/**
 * A reader's place among those that read in step; INVALID_ARGUMENT if there is no such place.
 *
 * @param index its number, from 0
 * @param count the number of consumers
 */
public record ConsumerPlace(long index, long count) {
  public ConsumerPlace {
    if (count < 1 || index < 0 || index >= count) {
      throw StatusException.invalidArgument(
          "a consumer's index must be 0 or more and less than the number of consumers, got index"
              + " %d of %d consumers",
          index, count);
    }
  }

  /** INVALID_ARGUMENT for consumers that would read in step from workers of their own processes. */
  static void requireRemote(Optional<ConsumerPlace> consumer) {
    if (consumer.isPresent()) {
      throw StatusException.invalidArgument(
          "Coordinated reads require non-local workers, but `target_workers` is \"LOCAL\".");
    }
  }
}
