package io.headrace.kernels.summary;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.time.Ticker;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;

/** Ops that make summaries, and that write them to event files. */
public final class SummaryFamily {
  private SummaryFamily() {}

  /**
   * The ops of this family.
   *
   * @param clock dates what is written
   * @param ticker the time by which event files are flushed
   */
  public static List<Op> ops(InstantSource clock, Ticker ticker) {
    return Stream.of(MakeSummaryOps.ops(), SummaryWriterOps.ops(ticker, clock))
        .flatMap(List::stream)
        .toList();
  }
}
