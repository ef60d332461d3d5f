package io.headrace.dataset.execute.pass;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records the calls of a pass's stages while it is set as the pass's recorder ({@link
 * Stage#record}). It keeps the last calls before {@link #keep}, and the first ones behind it, and
 * counts the others; those before have their times summed up. Thread-safe.
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

  /** The calls that were dropped since {@link #sinceNanos}. */
  @GuardedBy("this")
  private final Map<Stage, LeftOut> sums = new HashMap<>();

  @GuardedBy("this")
  private long sinceNanos = Long.MIN_VALUE;

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

  /**
   * The calls of a stage that were dropped.
   *
   * @param calls those of {@link Kind#NEXT}
   * @param rows the rows that they returned
   * @param nextNanos the time inside them
   * @param workNanos the time inside those of {@link Kind#WORK}
   * @param waitNanos the time inside those of {@link Kind#WAIT}
   */
  public record LeftOut(long calls, long rows, long nextNanos, long workNanos, long waitNanos) {
    /** None. */
    public static final LeftOut NONE = new LeftOut(0, 0, 0, 0, 0);

    private LeftOut and(Call call) {
      long nanos = call.endedNanos() - call.begunNanos();
      return switch (call.kind()) {
        case NEXT ->
            new LeftOut(calls + 1, rows + call.rows(), nextNanos + nanos, workNanos, waitNanos);
        case WORK -> new LeftOut(calls, rows, nextNanos, workNanos + nanos, waitNanos);
        case WAIT -> new LeftOut(calls, rows, nextNanos, workNanos, waitNanos + nanos);
      };
    }
  }

  /** Calls that ended until now do not matter; of those that end later, none is forgotten. */
  public synchronized void begin(long nowNanos) {
    sums.clear();
    sinceNanos = nowNanos;
  }

  synchronized void add(Call call) {
    if (!kept) {
      before.addLast(call);
      if (before.size() > MAX_BEFORE) {
        Call dropped = before.removeFirst();
        leftOut++;
        if (dropped.endedNanos() > sinceNanos) {
          sums.merge(dropped.stage(), LeftOut.NONE.and(dropped), (sum, _) -> sum.and(dropped));
        }
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

  /** The dropped calls of {@code stage} since {@link #begin}, and before {@link #keep}. */
  public synchronized LeftOut leftOut(Stage stage) {
    return sums.getOrDefault(stage, LeftOut.NONE);
  }

  /** How many calls it has dropped. */
  public synchronized long leftOut() {
    return leftOut;
  }
}
