/**
 * Summaries, and the event files in which TensorBoard reads them: ops that return a serialized
 * Summary ({@code MakeSummaryOps}) and ops that write to an event file where they run ({@code
 * SummaryWriterOps}, {@code EventWriter}). Begin with {@code MakeSummaryOps}.
 */
@NullMarked
package io.headrace.kernels.summary;

import org.jspecify.annotations.NullMarked;
