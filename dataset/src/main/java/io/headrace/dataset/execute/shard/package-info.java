/**
 * Static sharding: rewrites a dataset's graph to yield one worker's shard, as TensorFlow's
 * auto-shard rewrite does. Begin with {@link io.headrace.dataset.execute.shard.AutoShard}, which
 * chooses between {@code FileSharding}, {@code DataSharding} and {@code HintSharding}; they edit
 * the graph through {@code GraphRewrite}.
 */
@NullMarked
package io.headrace.dataset.execute.shard;

import org.jspecify.annotations.NullMarked;
