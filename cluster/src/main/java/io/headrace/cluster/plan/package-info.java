/**
 * From a session's graph to a graph for each task: functions are lowered ({@link
 * io.headrace.cluster.plan.Lowering}), nodes placed ({@link io.headrace.cluster.plan.Placer}), the
 * nodes of a step chosen by its signature ({@link io.headrace.cluster.plan.StepGraph}) and
 * partitioned by task ({@link io.headrace.cluster.plan.Partitioner}). The result is a {@link
 * io.headrace.cluster.plan.StepPlan}. Nothing here calls a task. Begin with {@link
 * io.headrace.cluster.plan.SessionGraph}.
 */
@NullMarked
package io.headrace.cluster.plan;

import org.jspecify.annotations.NullMarked;
