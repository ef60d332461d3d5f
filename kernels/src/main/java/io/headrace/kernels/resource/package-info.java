/**
 * Queues, barriers, accumulators, stacks, staging areas, tensor arrays and mutexes: state behind
 * resource handles. An op that cannot proceed waits in an {@code AsyncMonitor} without blocking a
 * thread. {@code SharedResource} looks resources up by name. Begin with {@code QueueOps} and {@code
 * TensorQueue}.
 */
@NullMarked
package io.headrace.kernels.resource;

import org.jspecify.annotations.NullMarked;
