/**
 * The other tasks of a cluster: the worker of a task as masters and workers see it ({@link
 * io.headrace.cluster.peer.WorkerPeer}), connections with signs of life, and what both services
 * share in serving calls. Begin with {@link io.headrace.cluster.peer.Peers}.
 */
@NullMarked
package io.headrace.cluster.peer;

import org.jspecify.annotations.NullMarked;
