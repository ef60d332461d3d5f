package io.headrace.fakecuda.driver;

import java.util.ArrayList;
import java.util.List;

/** Work on a stream: a launch, a copy, or the mark of an event. Used under the driver's lock. */
final class StreamWork {
  /** The number of the operation in its timeline, above 0. */
  final int number;

  final String description;
  private final Runnable work;
  private final List<StreamWork> after = new ArrayList<>();
  private boolean isDone;

  StreamWork(int number, String description, Runnable work) {
    this.number = number;
    this.description = description;
    this.work = work;
  }

  /** Lets this operation wait for {@code other}. */
  void waitFor(StreamWork other) {
    after.add(other);
  }

  boolean isDone() {
    return isDone;
  }

  boolean isReady() {
    return !isDone && after.stream().allMatch(StreamWork::isDone);
  }

  /** Runs the work, and is done even if it fails. */
  void run() {
    isDone = true;
    after.clear();
    work.run();
  }

  /** Ends the operation without its work: the context is lost. */
  void drop() {
    isDone = true;
    after.clear();
  }
}
