/**
 * The plan of a dataset before it runs, for people: {@link io.headrace.dataset.plan.PipelinePlan}
 * finds the stages of a graph, {@link io.headrace.dataset.plan.PlanText} writes them down, and
 * {@link io.headrace.dataset.plan.RemotePlans} tell what other processes run.
 */
@NullMarked
package io.headrace.dataset.plan;

import org.jspecify.annotations.NullMarked;
