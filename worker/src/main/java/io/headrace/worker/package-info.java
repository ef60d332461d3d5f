/**
 * The tf.data service's worker. A {@link io.headrace.worker.WorkerServer} registers with the
 * dispatcher and sends heartbeats ({@code HeartbeatLoop}). Each task ({@code RunningTask}) loads
 * its dataset ({@code TaskLoader}) and produces rows into a bounded {@code RowQueue}, from which
 * GetElement ({@code GetElementHandler}) and streams ({@code TaskStream}) take them. {@code
 * CompletionReporter} and {@code DeliveryReporter} report progress to the dispatcher. Begin with
 * {@code DataWorker} and {@code RunningTask}.
 */
@NullMarked
package io.headrace.worker;

import org.jspecify.annotations.NullMarked;
