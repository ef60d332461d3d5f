/**
 * The master of a server: {@code MasterGrpcService} serves the calls of clients, {@code Master}
 * keeps the sessions, {@code StepPlans} and {@code StepPlanner} make and cache the plans of a
 * session's steps, and a {@code MasterStep} runs a plan at all its tasks. Begin with {@link
 * io.headrace.cluster.master.MasterSession}.
 */
@NullMarked
package io.headrace.cluster.master;

import org.jspecify.annotations.NullMarked;
