/**
 * Calls between the tasks of a cluster: the worker service of a task ({@link
 * io.headrace.cluster.peer.WorkerPeer}), its stub for another process ({@code RemoteWorker}) on a
 * connection with keep-alive probes ({@code TaskConnection}), and the helpers with which master and
 * worker serve calls ({@code CallExecutor}, {@code ShutdownGate}, {@code RecentRequests}). Begin
 * with {@link io.headrace.cluster.peer.Peers}.
 */
@NullMarked
package io.headrace.cluster.peer;

import org.jspecify.annotations.NullMarked;
