package io.headrace.dispatcher;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Calls back when time is told to go by, and never on its own. */
final class FakeTimer implements Timer {
  private final FakeTicker ticker;
  private final List<Periodic> tasks = new ArrayList<>();

  private static final class Periodic {
    private final Duration period;
    private final Runnable task;
    private Duration untilNext = Duration.ZERO;

    Periodic(Duration period, Runnable task) {
      this.period = period;
      this.task = task;
    }

    void advance(Duration step) {
      untilNext = untilNext.minus(step);
      if (!untilNext.isPositive()) {
        untilNext = period;
        task.run();
      }
    }
  }

  FakeTimer(FakeTicker ticker) {
    this.ticker = ticker;
  }

  @Override
  public void every(Duration period, Runnable task) {
    tasks.add(new Periodic(period, task));
  }

  @Override
  public void close() {
    tasks.clear();
  }

  /** Lets {@code duration} go by, in steps of a second. */
  void advance(Duration duration) {
    for (long second = 0; second < duration.toSeconds(); second++) {
      ticker.advance(Duration.ofSeconds(1));
      List.copyOf(tasks).forEach(task -> task.advance(Duration.ofSeconds(1)));
    }
  }
}
