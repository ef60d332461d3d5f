package io.headrace.dispatcher.statistics;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The last times that workers and TensorFlow's readers told: how long an element takes a task, and
 * how long it may take for its reader never to wait. A part of the dispatcher's soft state. Not
 * thread-safe.
 */
public final class ProcessingTimes {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Map<Long, Double> ofTasks = new HashMap<>();
  private final Map<Long, Double> ofReaders = new HashMap<>();

  /** Notes how long an element takes a task; a time that is not positive says nothing. */
  public void told(long task, double nanos) {
    if (isTime(nanos)) {
      ofTasks.put(task, nanos);
    }
  }

  /** Notes how long an element may take for a reader; a time that is not positive says nothing. */
  public void wanted(long reader, double nanos) {
    if (isTime(nanos)) {
      ofReaders.put(reader, nanos);
    }
  }

  private static boolean isTime(double nanos) {
    return nanos > 0 && Double.isFinite(nanos) && Double.isFinite(NANOS_PER_SECOND / nanos);
  }

  /** Whether no task has told a time. */
  public boolean isEmpty() {
    return ofTasks.isEmpty();
  }

  /** The elements that a task makes in a second. */
  public OptionalDouble madePerSecond(long task) {
    return rate(ofTasks.get(task));
  }

  /** The elements that a reader takes in a second where it never waits. */
  public OptionalDouble takenPerSecond(long reader) {
    return rate(ofReaders.get(reader));
  }

  private static OptionalDouble rate(@Nullable Double nanos) {
    return nanos == null ? OptionalDouble.empty() : OptionalDouble.of(NANOS_PER_SECOND / nanos);
  }

  /** Forgets a task. */
  public void forgetTask(long task) {
    ofTasks.remove(task);
  }

  /** Forgets a reader. */
  public void forgetReader(long reader) {
    ofReaders.remove(reader);
  }

  /** Forgets the tasks and the readers that the arguments hold for. */
  public void forgetIf(LongPredicate endedTask, LongPredicate goneReader) {
    ofTasks.keySet().removeIf(endedTask::test);
    ofReaders.keySet().removeIf(goneReader::test);
  }
}
