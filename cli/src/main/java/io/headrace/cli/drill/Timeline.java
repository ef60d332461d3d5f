package io.headrace.cli.drill;

import io.headrace.runtime.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The steps and faults of a drill, with their times. Used by one thread. */
final class Timeline {
  private static final double NANOS_PER_SECOND = 1e9;

  private record Mark(long nanos, String what) {}

  private final Ticker ticker;
  private final Consumer<Step> listener;
  private final long begunNanos;
  private final List<Step> steps = new ArrayList<>();
  private final List<Mark> faults = new ArrayList<>();

  /** Starts now; {@code listener} receives each step. */
  Timeline(Ticker ticker, Consumer<Step> listener) {
    this.ticker = ticker;
    this.listener = listener;
    this.begunNanos = ticker.nanoTime();
  }

  /** Records an action or observation. */
  void step(String what) {
    add(ticker.nanoTime(), what);
  }

  /** Records a fault that is about to be injected. */
  void fault(String what) {
    long now = ticker.nanoTime();
    faults.add(new Mark(now, what));
    add(now, what);
  }

  private void add(long nanos, String what) {
    Step step = new Step(seconds(nanos - begunNanos), what);
    steps.add(step);
    listener.accept(step);
  }

  boolean hasFaults() {
    return !faults.isEmpty();
  }

  List<Step> steps() {
    return steps;
  }

  /** The faults, with the recovery times from {@code waits}. */
  List<FaultReport> faults(ReadWaits waits) {
    List<FaultReport> reports = new ArrayList<>();
    for (int i = 0; i < faults.size(); i++) {
      Mark fault = faults.get(i);
      long until = i + 1 < faults.size() ? faults.get(i + 1).nanos() : ticker.nanoTime();
      reports.add(
          new FaultReport(
              seconds(fault.nanos() - begunNanos),
              fault.what(),
              seconds(waits.recoveryNanos(fault.nanos(), until))));
    }
    return reports;
  }

  static double seconds(long nanos) {
    return Math.round(nanos / NANOS_PER_SECOND * 1000) / 1000.0;
  }
}
