/**
 * What the dispatcher must not forget: datasets, jobs, iterations, tasks and workers. {@link
 * io.headrace.dispatcher.state.DispatcherState#apply} is the only way to change any of it; the
 * tables' mutators are package-private, so that the compiler keeps decisions from changing state.
 * {@link io.headrace.dispatcher.state.Records} makes the records that the journal keeps. Begin with
 * {@link io.headrace.dispatcher.state.DispatcherState}.
 */
@NullMarked
package io.headrace.dispatcher.state;

import org.jspecify.annotations.NullMarked;
