package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import java.util.function.Consumer;

/**
 * The delivered records of a task that are not reported to the dispatcher yet. Rows without origins
 * add nothing. Thread-safe.
 */
final class UnreportedDeliveries {
  private final Consumer<UnreportedDeliveries> onFirst;
  private RecordSet unreported = new RecordSet();

  /** Starts empty; {@code onFirst} is called whenever the set becomes non-empty. */
  UnreportedDeliveries(Consumer<UnreportedDeliveries> onFirst) {
    this.onFirst = onFirst;
  }

  /** Adds the records of {@code item}, which a reader has fetched. */
  void add(StreamItem item) {
    switch (item) {
      case StreamItem.Rows(var chunk) -> add(chunk.origins());
      case StreamItem.Dropped(long _, Origins origins) -> add(origins);
      case StreamItem.RowFailure _, StreamItem.End _ -> {}
    }
  }

  private void add(Origins origins) {
    if (origins.isEmpty()) {
      return;
    }
    boolean first;
    synchronized (this) {
      first = unreported.isEmpty();
      unreported.add(origins);
    }
    if (first) {
      onFirst.accept(this);
    }
  }

  /** Removes and returns all unreported records. */
  synchronized RecordSet take() {
    RecordSet taken = unreported;
    unreported = new RecordSet();
    return taken;
  }

  /** Adds back records whose report failed. */
  synchronized void putBack(RecordSet records) {
    unreported.addAll(records);
  }
}
