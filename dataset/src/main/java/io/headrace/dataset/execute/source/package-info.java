/**
 * Datasets that read no other dataset: ranges, tensors, random numbers, files. Each says what its
 * splits are. Begin with {@code RangeDataset}.
 */
@NullMarked
package io.headrace.dataset.execute.source;

import org.jspecify.annotations.NullMarked;
