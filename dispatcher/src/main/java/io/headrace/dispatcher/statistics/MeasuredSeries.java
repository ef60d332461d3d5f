package io.headrace.dispatcher.statistics;

import java.util.List;

/**
 * Two quantities for each of the last seconds, and how long they were measured in each: a second
 * that nobody measured has no value, which differs from 0. Not thread-safe.
 */
final class MeasuredSeries {
  /** Stands for the value of a second that nobody measured. */
  static final float UNKNOWN = -1;

  private final List<SecondSeries> quantities;

  /** The seconds of all peers that measured, in each second. */
  private final SecondSeries measured;

  private MeasuredSeries(List<SecondSeries> quantities, SecondSeries measured) {
    this.quantities = quantities;
    this.measured = measured;
  }

  /** Series of two quantities, without values. */
  static MeasuredSeries ofTwo() {
    return new MeasuredSeries(List.of(new SecondSeries(), new SecondSeries()), new SecondSeries());
  }

  /** The same amounts; what is added to one is not in the other. */
  MeasuredSeries copy() {
    return new MeasuredSeries(
        quantities.stream().map(SecondSeries::copy).toList(), measured.copy());
  }

  /** Adds an amount of each quantity, which one peer measured between two times. */
  void add(long fromNanos, long toNanos, double first, double second) {
    quantities.get(0).add(fromNanos, toNanos, first);
    quantities.get(1).add(fromNanos, toNanos, second);
    measured.add(fromNanos, toNanos, (toNanos - fromNanos) / 1e9);
  }

  /** The amount of a quantity in {@code second}, over all peers; unknown if nobody measured. */
  float amount(int quantity, long second) {
    return measured.at(second) > 0 ? (float) quantities.get(quantity).at(second) : UNKNOWN;
  }

  /**
   * The amount of a quantity, in seconds, as a share of the time in which peers measured it;
   * unknown if nobody did.
   */
  float share(int quantity, long second) {
    double of = measured.at(second);
    return of > 0 ? (float) Math.clamp(quantities.get(quantity).at(second) / of, 0, 1) : UNKNOWN;
  }

  /** Whether anybody measured in {@code second}. */
  boolean has(long second) {
    return measured.at(second) > 0;
  }

  /** The last second that somebody measured; the least value before the first. */
  long last() {
    return measured.last();
  }
}
