/**
 * TensorFlow's core server: a {@link io.headrace.cluster.Server} is a task of a cluster and ties
 * together the packages below this one: its cluster ({@code spec}), the other tasks ({@code peer}),
 * the master, which plans steps ({@code master}, {@code plan}), and the worker, which runs them
 * ({@code worker}). Clients build a {@link io.headrace.cluster.Graph} and run it in a {@link
 * io.headrace.cluster.Session}, on a server of this process or of another. Begin with {@code
 * Server} and {@code Session}.
 */
@NullMarked
package io.headrace.cluster;

import org.jspecify.annotations.NullMarked;
