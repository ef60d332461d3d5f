package io.headrace.dataset.execute.pass;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records the calls of a pass's stages while it is set as the pass's recorder ({@link
 * Stage#record}). It keeps the last calls before {@link #keep}, and the first ones behind it, and
 * counts the others. Thread-safe.
 */
public final class StageRecorder {
  /** The most calls before {@link #keep}. */
  public static final int MAX_BEFORE = 2048;

  /** The most calls behind {@link #keep}. */
  public static final int MAX_BEHIND = 1024;

  @GuardedBy("this")
  private final Deque<Call> before = new ArrayDeque<>();

  @GuardedBy("this")
  private final List<Call> behind = new ArrayList<>();

  @GuardedBy("this")
  private boolean kept;

  @GuardedBy("this")
  private long leftOut;

  /** A recorder that has recorded nothing. */
  public StageRecorder() {}

  /** The kinds of calls. */
  public enum Kind {
    /** Its consumer is inside the {@code next} of one of its iterators. */
    NEXT,
    /** It waits, inside its {@code next}, for threads of its own. */
    WAIT,
    /** A thread of its own works. */
    WORK
  }

  /**
   * A call of a stage. A call that began before the recording has a begin that is late or early by
   * as much as the pass's {@link StageClock} was.
   *
   * @param stage the stage
   * @param kind what the thread did
   * @param thread the thread; null for a call without an end that began before the recording
   * @param begunNanos when it began
   * @param endedNanos when it ended; of one that has not, the time of asking
   * @param rows the rows that it returned
   * @param open whether it has not ended
   */
  public record Call(
      Stage stage,
      Kind kind,
      @Nullable Thread thread,
      long begunNanos,
      long endedNanos,
      int rows,
      boolean open) {}

  synchronized void add(Call call) {
    if (!kept) {
      before.addLast(call);
      if (before.size() > MAX_BEFORE) {
        before.removeFirst();
        leftOut++;
      }
    } else if (behind.size() < MAX_BEHIND) {
      behind.add(call);
    } else {
      leftOut++;
    }
  }

  /** The calls until now are those that matter: later ones no longer displace them. */
  public synchronized void keep() {
    kept = true;
  }

  /** The calls that have ended, in the order of their ends. */
  public synchronized List<Call> calls() {
    List<Call> all = new ArrayList<>(before);
    all.addAll(behind);
    return all;
  }

  /** How many calls it has dropped. */
  public synchronized long leftOut() {
    return leftOut;
  }
}
