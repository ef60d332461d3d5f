package io.headrace.worker;

import io.headrace.rpc.PeerConnection;
import io.headrace.rpc.StreamItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rows that were answered to single requests, and are not known to have been fetched: that is known
 * of them when the next request comes by the same connection. Their queue's lock guards it.
 */
final class AnsweredRows {
  private final Map<PeerConnection, List<StreamItem>> byConnection = new HashMap<>();

  void add(PeerConnection connection, StreamItem row) {
    byConnection.computeIfAbsent(connection, _ -> new ArrayList<>()).add(row);
  }

  /** Takes all that were answered by {@code connection}. */
  List<StreamItem> take(PeerConnection connection) {
    @Nullable List<StreamItem> rows = byConnection.remove(connection);
    return rows == null ? List.of() : rows;
  }

  /** Takes the row at {@code position}, if it was answered by {@code connection}. */
  List<StreamItem> take(PeerConnection connection, long position) {
    List<StreamItem> rows = byConnection.getOrDefault(connection, List.of());
    List<StreamItem> found = rows.stream().filter(row -> row.position() == position).toList();
    rows.removeAll(found);
    return found;
  }
}
