package io.headrace.kernels.summary;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.time.Ticker;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

/** Ops that return serialized summaries, and ops that write them to event files. */
public final class SummaryFamily {
  private SummaryFamily() {}

  /**
   * The ops of this family.
   *
   * @param clock dates events
   * @param ticker measures the time between flushes of event files
   */
  public static List<Op> ops(InstantSource clock, Ticker ticker) {
    return Stream.of(
            ScalarSummaryOps.ops(),
            HistogramSummaryOps.ops(),
            MergeSummaryOps.ops(),
            ImageSummaryOps.ops(),
            AudioSummaryOps.ops(),
            TensorSummaryOps.ops(),
            SummaryWriterOps.ops(ticker, clock),
            WriteSummaryOps.ops(clock))
        .flatMap(List::stream)
        .toList();
  }
}
