/**
 * The plan of a dataset before it runs, for people: {@link io.headrace.dataset.plan.PipelinePlan}
 * finds the stages of a graph, and {@link io.headrace.dataset.plan.PlanText} writes them down.
 */
@NullMarked
package io.headrace.dataset.plan;

import org.jspecify.annotations.NullMarked;
