package io.headrace.cli.metrics;

import java.util.List;
import java.util.Map;

/**
 * A metric.
 *
 * @param name its name in OpenTelemetry
 * @param kind how its values behave
 * @param unit the unit of its values, by OpenTelemetry's conventions: "s", "By", "1" for a share,
 *     or a word in braces
 * @param labels the names of its attributes
 * @param meaning a sentence for the documentation
 */
public record Instrument(String name, Kind kind, String unit, List<String> labels, String meaning) {
  private static final Map<String, String> UNITS = Map.of("s", "_seconds", "By", "_bytes");

  /** The kinds of metrics. */
  public enum Kind {
    /** A sum that only grows while its process runs. */
    COUNTER,
    /** A value that goes up and down; those of several series add up. */
    AMOUNT,
    /** A value that goes up and down. */
    GAUGE,
    /** The distribution of values. */
    HISTOGRAM
  }

  /** Copies the list. */
  public Instrument {
    labels = List.copyOf(labels);
  }

  /** The name in Prometheus' text, of a histogram without the endings of its series. */
  String prometheusName() {
    return name.replace('.', '_')
        + UNITS.getOrDefault(unit, "")
        + (kind == Kind.COUNTER ? "_total" : "");
  }

  /** The names of its labels in Prometheus' text. */
  List<String> prometheusLabels() {
    return labels.stream().map(label -> label.replace('.', '_')).toList();
  }

  /** The type in Prometheus' text. */
  String prometheusType() {
    return switch (kind) {
      case COUNTER -> "counter";
      case AMOUNT, GAUGE -> "gauge";
      case HISTOGRAM -> "histogram";
    };
  }
}
