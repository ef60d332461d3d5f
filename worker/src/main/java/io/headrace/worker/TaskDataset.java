package io.headrace.worker;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.proto.headrace.Guarantee;
import java.util.List;

/**
 * The loaded dataset of a task, before it is read.
 *
 * @param dataset the dataset to iterate, with uncompressed elements
 * @param compressed whether GetElement sends elements compressed
 * @param splits the split provider of each source; empty to read the whole dataset
 * @param guarantee the delivery guarantee of its elements
 */
record TaskDataset(
    DatasetValue dataset, boolean compressed, List<SplitProvider> splits, Guarantee guarantee) {}
