/**
 * The worker of a server: registered graphs, the steps that run them, and the rendezvous where a
 * step's parts meet. Begin with {@link io.headrace.cluster.worker.StepWorker}.
 */
@NullMarked
package io.headrace.cluster.worker;

import org.jspecify.annotations.NullMarked;
