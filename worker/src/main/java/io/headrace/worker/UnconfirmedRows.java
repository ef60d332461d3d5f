package io.headrace.worker;

import io.headrace.rpc.PeerConnection;
import io.headrace.rpc.StreamItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows that were sent in replies to GetElement and are not known to have been fetched. The next
 * request on the same connection confirms the earlier replies. Guarded by the queue's lock.
 */
final class UnconfirmedRows {
  private final Map<PeerConnection, List<StreamItem>> byConnection = new HashMap<>();

  void add(PeerConnection connection, StreamItem row) {
    byConnection.computeIfAbsent(connection, _ -> new ArrayList<>()).add(row);
  }

  /** Removes and returns all rows that were sent on {@code connection}. */
  List<StreamItem> take(PeerConnection connection) {
    @Nullable List<StreamItem> rows = byConnection.remove(connection);
    return rows == null ? List.of() : rows;
  }

  /** Removes and returns the row at {@code position}, if it was sent on {@code connection}. */
  List<StreamItem> take(PeerConnection connection, long position) {
    List<StreamItem> rows = byConnection.getOrDefault(connection, List.of());
    List<StreamItem> found = rows.stream().filter(row -> row.position() == position).toList();
    rows.removeAll(found);
    return found;
  }
}
