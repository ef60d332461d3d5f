/**
 * Queues, barriers, accumulators, stacks, staging areas, tensor arrays and mutexes: state that
 * steps share by handle. An op that cannot proceed waits in an {@code AsyncMonitor} and holds no
 * thread. Begin with {@code QueueOps}.
 */
@NullMarked
package io.headrace.kernels.resource;

import org.jspecify.annotations.NullMarked;
