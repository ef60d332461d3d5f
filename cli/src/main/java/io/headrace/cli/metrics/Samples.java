package io.headrace.cli.metrics;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import java.util.ArrayList;
import java.util.List;

/**
 * The values of metrics at one moment, at most {@link #MAX} of them: those that are added later are
 * left out and counted. Not thread-safe while it is filled.
 */
public final class Samples {
  static final int MAX = 10_000;

  private final List<Sample> all = new ArrayList<>();
  private long leftOut;

  /** A value of a metric. */
  record Sample(Instrument instrument, Attributes attributes, double value) {}

  /**
   * Adds a value.
   *
   * @param instrument its metric, which is no histogram
   * @param value the value
   * @param labels the values of the metric's labels, in their order
   */
  void add(Instrument instrument, double value, String... labels) {
    if (labels.length != instrument.labels().size()) {
      throw new IllegalArgumentException(
          instrument.name() + " has the labels " + instrument.labels());
    }
    if (all.size() >= MAX) {
      leftOut++;
      return;
    }
    AttributesBuilder attributes = Attributes.builder();
    for (int i = 0; i < labels.length; i++) {
      attributes.put(instrument.labels().get(i), labels[i]);
    }
    all.add(new Sample(instrument, attributes.build(), value));
  }

  /** Adds a whole number, as the other method does. */
  void add(Instrument instrument, long value, String... labels) {
    add(instrument, (double) value, labels);
  }

  /** Counts values that were left out before they came here. */
  void leaveOut(long more) {
    leftOut += more;
  }

  /** The values, and the number of those that were left out. */
  List<Sample> all() {
    List<Sample> samples = new ArrayList<>(all);
    samples.add(new Sample(Instruments.LEFT_OUT, Attributes.empty(), (double) leftOut));
    return samples;
  }
}
