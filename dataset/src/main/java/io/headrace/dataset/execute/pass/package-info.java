/**
 * What a pass over a dataset is made of. A {@link io.headrace.dataset.execute.pass.DatasetValue} is
 * the recipe, a {@link io.headrace.dataset.execute.pass.ChunkIterator} one pass, an {@link
 * io.headrace.dataset.execute.pass.IteratorContext} what surrounds it: splits, seeds, functions,
 * budgets. Begin with {@link io.headrace.dataset.execute.pass.ChunkIterator}.
 */
@NullMarked
package io.headrace.dataset.execute.pass;

import org.jspecify.annotations.NullMarked;
