package io.headrace.cli.drill;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The running read, as the scenario sees it: waits for progress, and records steps and faults. */
final class DrillProgress {
  /** The read is over or stalled, so no further fault can be injected. */
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
  private int killedReaders;

  DrillProgress(DrillReader reader, Timeline timeline, Duration limit) {
    this.reader = reader;
    this.timeline = timeline;
    this.limit = limit;
  }

  /** Waits until the fraction {@code part}, from 0 to 1, of the elements was delivered. */
  void awaitFraction(double part) throws InterruptedException, Over {
    if (!reader.awaitFraction(part, limit)) {
      throw new Over(
          reader.isAtEnd()
              ? "the read ended before all was done; with a larger --read-seconds it lasts longer"
              : "the read does not go on");
    }
  }

  /** Sleeps for the duration of a fault. */
  void hold(double seconds) throws InterruptedException {
    Thread.sleep((long) (seconds * 1000));
  }

  /** Records an action or observation. */
  void step(String what) {
    timeline.step(what);
  }

  /** Records a fault that is about to be injected. */
  void fault(String what) {
    timeline.fault(what);
  }

  /** Kills the reader, and lets another one go on. */
  void replaceReader() throws IOException, InterruptedException {
    killedReaders++;
    reader.replaceClient(this);
  }

  /** The number of readers that were killed. */
  int killedReaders() {
    return killedReaders;
  }

  /** Records a violation of a guarantee. */
  void breach(String what) {
    timeline.step(what);
    breaches.add(what);
  }

  List<String> breaches() {
    return breaches;
  }
}
