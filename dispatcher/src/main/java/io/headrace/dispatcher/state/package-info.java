/**
 * The dispatcher's hard state: datasets, jobs, iterations, tasks and workers. {@link
 * io.headrace.dispatcher.state.DispatcherState#apply} replays one journal record and is the only
 * mutator; the tables' mutators are package-private, so the compiler keeps decisions from changing
 * state. {@link io.headrace.dispatcher.state.JournalRecords} makes the records. Begin with {@link
 * io.headrace.dispatcher.state.DispatcherState}.
 */
@NullMarked
package io.headrace.dispatcher.state;

import org.jspecify.annotations.NullMarked;
