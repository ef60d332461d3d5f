/**
 * What requests come to. A decision reads the state and a request, changes nothing, and returns the
 * records that carry it out and the reply ({@link io.headrace.dispatcher.decide.Decision}). Begin
 * with {@link io.headrace.dispatcher.decide.JobDecisions}.
 */
@NullMarked
package io.headrace.dispatcher.decide;

import org.jspecify.annotations.NullMarked;
