/**
 * Datasets made of other datasets: map, filter, batch, shuffle, interleave and the rest, each with
 * its iterator. Begin with {@code MapDataset}.
 */
@NullMarked
package io.headrace.dataset.execute.transform;

import org.jspecify.annotations.NullMarked;
