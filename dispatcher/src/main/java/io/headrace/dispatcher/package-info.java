/**
 * The dispatcher of the tf.data service.
 *
 * <p>A request's way: {@code *GrpcService} hands it to {@link io.headrace.dispatcher.Dispatcher},
 * which checks it and submits it to the {@code CommitLoop}. In its turn a {@code *Decisions} class
 * decides what it comes to, from the state alone; the loop applies the records to the {@code
 * DispatcherState}, journals them, and lets the reply go when they are durable. {@code SoftState}
 * is what need not be remembered; the {@code WorkerMonitor} asks the workers for signs of life.
 */
@NullMarked
package io.headrace.dispatcher;

import org.jspecify.annotations.NullMarked;
