/**
 * The contract of a pass over a dataset, and the parts that dataset ops share. Begin with {@link
 * io.headrace.dataset.execute.pass.ChunkIterator}, one pass over a {@link
 * io.headrace.dataset.execute.pass.DatasetValue}; its {@link
 * io.headrace.dataset.execute.pass.IteratorContext} carries splits ({@link
 * io.headrace.dataset.execute.pass.SplitProvider}), stateful functions, buffer budgets and
 * progress. {@link io.headrace.dataset.execute.pass.DatasetOp} declares ops, {@link
 * io.headrace.dataset.execute.pass.RowMapper} calls functions, {@link
 * io.headrace.dataset.execute.pass.PrefetchProducer} reads ahead, and {@link
 * io.headrace.dataset.execute.pass.Lineage} tells whether rows report their origins, on which
 * exactly-once delivery rests.
 */
@NullMarked
package io.headrace.dataset.execute.pass;

import org.jspecify.annotations.NullMarked;
