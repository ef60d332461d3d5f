package io.headrace.cli.drill;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A read that goes on, and what is done to it: where drills wait, and say what they do. */
final class Stage {
  /** The read is over, or stands still: there is nothing left to drill. */
  static final class Over extends Exception {
    private static final long serialVersionUID = 1L;

    Over(String message) {
      super(message);
    }
  }

  private final DrillReader reader;
  private final Timeline timeline;
  private final Duration limit;
  private final List<String> breaches = new ArrayList<>();

  Stage(DrillReader reader, Timeline timeline, Duration limit) {
    this.reader = reader;
    this.timeline = timeline;
    this.limit = limit;
  }

  /** Waits until so large a part of the elements, from 0 to 1, was delivered. */
  void awaitPart(double part) throws InterruptedException, Over {
    if (!reader.awaitPart(part, limit)) {
      throw new Over(
          reader.isAtEnd()
              ? "the read ended before all was done; with a larger --read-seconds it lasts longer"
              : "the read does not go on");
    }
  }

  /** Lets a fault last. */
  void hold(double seconds) throws InterruptedException {
    Thread.sleep((long) (seconds * 1000));
  }

  /** Something was done or seen. */
  void step(String what) {
    timeline.step(what);
  }

  /** A fault is about to be made. */
  void fault(String what) {
    timeline.fault(what);
  }

  /** Something is not as it was promised. */
  void breach(String what) {
    timeline.step(what);
    breaches.add(what);
  }

  List<String> breaches() {
    return breaches;
  }
}
