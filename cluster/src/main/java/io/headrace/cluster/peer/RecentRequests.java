package io.headrace.cluster.peer;

import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * The ids of the most recent requests, to detect duplicates: a transport retransmits a request if
 * it does not know whether the first copy arrived, and the request must not run twice. Thread-safe.
 */
public final class RecentRequests {
  private final int capacity;
  private final Set<Long> ids = new HashSet<>();
  private final Deque<Long> order = new ArrayDeque<>();

  public RecentRequests(int capacity) {
    this.capacity = capacity;
  }

  /** Records {@code id}; ABORTED if it is a duplicate. An id of 0 is not checked. */
  public synchronized void check(long id, String method) {
    if (id == 0) {
      return;
    }
    if (!ids.add(id)) {
      throw StatusException.of(
          StatusCode.ABORTED, "The same %s request was received twice.", method);
    }
    order.add(id);
    if (order.size() > capacity) {
      ids.remove(order.remove());
    }
  }
}
