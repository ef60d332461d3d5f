/**
 * Datasets without an input dataset: ranges, tensors, random numbers, files. Each declares its ops,
 * its iterator and the splits that workers can share. Begin with {@code RangeDataset}.
 */
@NullMarked
package io.headrace.dataset.execute.source;

import org.jspecify.annotations.NullMarked;
