package io.headrace.cli.metrics;

import java.util.List;

/** The metrics of a server. Thread-safe. */
public sealed interface MetricsSource permits DispatcherMetrics, WorkerMetrics {
  /** The metrics that it may have. */
  List<Instrument> instruments();

  /** Adds their present values; may block for a limited time. */
  void sample(Samples samples);
}
