package io.headrace.worker;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.SplitProvider;
import io.headrace.proto.headrace.Guarantee;
import java.util.List;

/**
 * The dataset of a task, made and not yet read.
 *
 * @param dataset what is iterated; its elements are plain
 * @param compressed whether single elements are to be sent compressed
 * @param splits for each of its sources what hands out its splits; empty: all of it is read
 * @param guarantee how its elements are to be handed to readers
 */
record TaskDataset(
    DatasetValue dataset, boolean compressed, List<SplitProvider> splits, Guarantee guarantee) {}
