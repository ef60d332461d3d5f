package io.headrace.worker;

import io.headrace.rpc.StreamItem;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import java.util.function.Consumer;

/**
 * Which records of a task's rows were delivered, as far as it was not reported yet. Rows that do
 * not say what they were made of leave nothing in it. Thread-safe.
 */
final class Deliveries {
  private final Consumer<Deliveries> onFirst;
  private RecordSet unreported = new RecordSet();

  /** None yet; {@code onFirst} is told when there are some that are to be reported. */
  Deliveries(Consumer<Deliveries> onFirst) {
    this.onFirst = onFirst;
  }

  /** A reader has fetched {@code item}. */
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

  /** Takes all that is to be reported. */
  synchronized RecordSet take() {
    RecordSet taken = unreported;
    unreported = new RecordSet();
    return taken;
  }

  /** What was taken could not be reported. */
  synchronized void putBack(RecordSet records) {
    unreported.addAll(records);
  }
}
