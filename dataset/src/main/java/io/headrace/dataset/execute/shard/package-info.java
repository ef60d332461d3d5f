/**
 * Static sharding: rewrites a dataset's graph so that it yields one worker's share, as TensorFlow
 * does. Begin with {@link io.headrace.dataset.execute.shard.AutoShard}.
 */
@NullMarked
package io.headrace.dataset.execute.shard;

import org.jspecify.annotations.NullMarked;
