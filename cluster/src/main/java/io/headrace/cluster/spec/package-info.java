/**
 * The shape of a cluster: its jobs, its tasks and their addresses, and how users write them down.
 * Begin with {@link io.headrace.cluster.spec.ClusterSpec}.
 */
@NullMarked
package io.headrace.cluster.spec;

import org.jspecify.annotations.NullMarked;
