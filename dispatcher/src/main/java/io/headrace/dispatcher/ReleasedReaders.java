package io.headrace.dispatcher;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The readers that operators released, or whose places others took, with what these are told when
 * they call again: a part of {@link SoftState}. Of very many, the latest are remembered.
 */
final class ReleasedReaders {
  private static final int MOST = 10_000;

  private final Map<Long, String> reasons =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, String> eldest) {
          return size() > MOST;
        }
      };

  void add(long client, String reason) {
    reasons.put(client, reason);
  }

  /**
   * Fails the call of a client that was released for a reason.
   *
   * @throws StatusException FAILED_PRECONDITION, with the reason. Clients of TensorFlow's would
   *     repeat a call that was CANCELLED or ABORTED
   */
  void check(long client) {
    @Nullable String reason = reasons.get(client);
    if (reason != null) {
      throw refusal(reason);
    }
  }

  static StatusException refusal(String reason) {
    return new StatusException(StatusCode.FAILED_PRECONDITION, reason);
  }
}
