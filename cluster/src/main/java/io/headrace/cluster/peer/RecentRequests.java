package io.headrace.cluster.peer;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * The ids of the last requests: one that comes again was sent again by a transport that did not
 * know whether it had arrived, and must not run twice. Thread-safe.
 */
public final class RecentRequests {
  private final int remembered;
  private final Set<Long> ids = new HashSet<>();
  private final Deque<Long> order = new ArrayDeque<>();

  public RecentRequests(int remembered) {
    this.remembered = remembered;
  }

  /** Remembers {@code id}, unless it is 0; ABORTED if it is known. */
  public synchronized void check(long id, String method) {
    if (id == 0) {
      return;
    }
    if (!ids.add(id)) {
      throw StatusException.of(
          StatusCode.ABORTED, "The same %s request was received twice.", method);
    }
    order.add(id);
    if (order.size() > remembered) {
      ids.remove(order.remove());
    }
  }
}
