/**
 * Decisions: the dispatcher's logic as functions of its state. A decision reads the state and a
 * request, changes nothing, and returns the journal records that carry the request out, with the
 * reply ({@link io.headrace.dispatcher.decide.Decision}). {@code *Decisions} classes each handle
 * one kind of request; {@link io.headrace.dispatcher.decide.SettlementDecisions} follows from the
 * state alone. Begin with {@link io.headrace.dispatcher.decide.JobDecisions}.
 */
@NullMarked
package io.headrace.dispatcher.decide;

import org.jspecify.annotations.NullMarked;
