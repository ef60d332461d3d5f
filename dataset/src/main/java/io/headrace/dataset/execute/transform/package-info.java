/**
 * Datasets made of other datasets: map, filter, batch, shuffle, interleave and the others. A record
 * declares the ops and is the {@link io.headrace.dataset.execute.pass.DatasetValue}; its iterator
 * is nested or, if large, a class of its own. Begin with {@code BatchDataset} and {@code
 * BatchIterator}; {@code DatasetConsumerOps} has the ops that consume a dataset inside a graph.
 */
@NullMarked
package io.headrace.dataset.execute.transform;

import org.jspecify.annotations.NullMarked;
