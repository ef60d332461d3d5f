/**
 * From a registered graph to a dataset: {@link io.headrace.dataset.execute.DatasetGraph} finds the
 * dataset in a graph and loads it through the kernels that {@link
 * io.headrace.dataset.execute.DatasetOps} contributes. The ops live in {@code source} and {@code
 * transform}, TensorFlow 1's file readers in {@code reader}, automatic sharding in {@code shard},
 * JSON in {@code json}; {@code pass} holds the iterators' contract and what a pass shares.
 */
@NullMarked
package io.headrace.dataset.execute;

import org.jspecify.annotations.NullMarked;
