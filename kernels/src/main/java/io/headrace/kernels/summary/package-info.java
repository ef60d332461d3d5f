/**
 * Summaries for TensorBoard: ops that return a serialized Summary ({@code ScalarSummaryOps} and its
 * neighbours), and ops that write one to an event file on the device's machine ({@code
 * WriteSummaryOps}). {@code EventFileWriter} writes the file; {@code Histogram} and {@code
 * ImageSummaries} build the values. Begin with {@code ScalarSummaryOps}.
 */
@NullMarked
package io.headrace.kernels.summary;

import org.jspecify.annotations.NullMarked;
