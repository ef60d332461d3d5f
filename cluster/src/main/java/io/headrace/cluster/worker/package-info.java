/**
 * The worker of a server: {@code WorkerGrpcService} serves the calls of masters and other workers,
 * {@code WorkerSession} keeps the registered graphs of a session, {@code StepTable} and {@code
 * StepRun} the running steps, and {@code StepRendezvous} the tensors that these exchange. {@code
 * ClusterDevices} runs pinned functions on devices of other tasks. Begin with {@link
 * io.headrace.cluster.worker.StepWorker}.
 */
@NullMarked
package io.headrace.cluster.worker;

import org.jspecify.annotations.NullMarked;
