/**
 * The dispatcher of the tf.data service.
 *
 * <p>The path of a request: a {@code *GrpcService} passes it to {@code Dispatcher}, which validates
 * it and submits it to the {@code CommitLoop}. On the loop, a class of {@link
 * io.headrace.dispatcher.decide} turns it into journal records and a reply, from the state alone.
 * The loop applies the records to the hard state ({@link io.headrace.dispatcher.state}), journals
 * them, and releases the reply once they are durable. {@code SoftState} is the state that is not
 * journaled; the {@code WorkerMonitor} probes the workers. Begin with {@link
 * io.headrace.dispatcher.DispatchServer} for the use, and with {@code CommitLoop} for the
 * guarantees.
 */
@NullMarked
package io.headrace.dispatcher;

import org.jspecify.annotations.NullMarked;
