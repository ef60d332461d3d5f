/**
 * Drills inject faults into real processes while a job is read, and judge the result by the job's
 * guarantee. {@code DrillRun} runs a {@code FaultInjection}: a {@code Scenario} on its own cluster
 * ({@code ScenarioInjection}), or a user's command on an existing one ({@code CommandInjection}). A
 * {@code DrillReader} reads and counts records, {@code GuaranteeCheck} compares the counts with the
 * guarantee. Begin with {@link io.headrace.cli.drill.DrillRun}.
 */
@NullMarked
package io.headrace.cli.drill;

import org.jspecify.annotations.NullMarked;
