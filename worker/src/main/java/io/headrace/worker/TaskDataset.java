package io.headrace.worker;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.proto.headrace.Guarantee;
import java.time.Duration;
import java.util.List;

/**
 * The loaded dataset of a task, before it is read.
 *
 * @param dataset the dataset to iterate, with uncompressed elements
 * @param compressed whether GetElement sends elements compressed
 * @param splits the split provider of each source; empty to read the whole dataset
 * @param guarantee the delivery guarantee of its elements
 * @param announces whether rows are announced before they are delivered
 * @param maxAhead how long the readers take for what is announced at a time or, without
 *     announcements, held ahead; zero for no bound
 */
record TaskDataset(
    DatasetValue dataset,
    boolean compressed,
    List<SplitProvider> splits,
    Guarantee guarantee,
    boolean announces,
    Duration maxAhead) {

  /** A dataset whose rows are held ahead without a bound, and delivered without announcements. */
  TaskDataset(
      DatasetValue dataset, boolean compressed, List<SplitProvider> splits, Guarantee guarantee) {
    this(dataset, compressed, splits, guarantee, false, Duration.ZERO);
  }
}
