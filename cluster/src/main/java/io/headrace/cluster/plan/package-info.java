/**
 * How a session's graph becomes graphs for tasks: functions are lowered ({@link
 * io.headrace.cluster.plan.Lowering}), nodes placed ({@link io.headrace.cluster.plan.Placer}), a
 * step's nodes chosen by its signature ({@link io.headrace.cluster.plan.StepGraph}) and cut by task
 * ({@link io.headrace.cluster.plan.Partitioner}). Pure: nothing here talks to a task. Begin with
 * {@link io.headrace.cluster.plan.SessionGraph}.
 */
@NullMarked
package io.headrace.cluster.plan;

import org.jspecify.annotations.NullMarked;
