package io.headrace.dataset.execute.pass;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The time that one owner spends in some state of a stage, and the rows that came of it. {@link
 * #begin} and {@link #end} are called in turn, by one thread at a time; a report may read the sums
 * at any moment, with the part of a call that is under way.
 */
public final class StageTime {
  /*
   * The owner writes plain sums with release, never with a read-modify-write: it is the only
   * writer. It adds a call's time before it marks the call as ended, and a reader that saw the sum
   * change around the mark reads again, so no call counts twice.
   */

  private static final VarHandle BEGUN = handle("begunNanos");
  private static final VarHandle NANOS = handle("nanos");
  private static final VarHandle ROWS = handle("rows");
  private static final VarHandle FILLS = handle("fills");
  private static final VarHandle FILL_PERMILLE = handle("fillPermille");
  private static final long OUTSIDE = Long.MIN_VALUE;

  private final Stage.@Nullable Pass pass;
  private final Stage.@Nullable Times times;

  /** The call under way, or the last one, of those that began during a recording. */
  private volatile @Nullable Recorded recorded;

  @SuppressWarnings("FieldCanBeFinal") // by BEGUN
  private long begunNanos = OUTSIDE;

  private long nanos;
  private long rows;
  private long fills;
  private long fillPermille;

  /** The begin of a call, and for whom it was read. */
  private record Recorded(StageRecorder by, Thread thread, long begunNanos) {}

  /** A time of a stage that is not measured: it stays 0. */
  StageTime() {
    pass = null;
    times = null;
  }

  StageTime(Stage.Pass pass, Stage.Times times) {
    this.pass = pass;
    this.times = times;
  }

  private static VarHandle handle(String field) {
    try {
      return MethodHandles.lookup().findVarHandle(StageTime.class, field, long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The owner enters the state. */
  public void begin() {
    if (pass == null) {
      return;
    }
    StageRecorder recorder = pass.recorder();
    if (recorder != null) {
      recorded = new Recorded(recorder, Thread.currentThread(), pass.clock().exactNanos());
    }
    BEGUN.setRelease(this, pass.clock().nanos());
  }

  /** The owner leaves the state. */
  public void end() {
    end(0);
  }

  /** The owner leaves the state with {@code more} rows. */
  public void end(int more) {
    if (pass == null || times == null) {
      return;
    }
    StageRecorder recorder = pass.recorder();
    if (recorder != null) {
      recorder.add(
          new StageRecorder.Call(
              times.stage(),
              times.kind(),
              Thread.currentThread(),
              begun(recorder),
              pass.clock().exactNanos(),
              more,
              false));
    }
    long since = pass.clock().nanos() - begunNanos;
    if (since > 0) {
      NANOS.setRelease(this, nanos + since);
    }
    ROWS.setRelease(this, rows + more);
    BEGUN.setRelease(this, OUTSIDE);
  }

  /** When the call under way began: exactly, if {@code recorder} was there. */
  private long begun(StageRecorder recorder) {
    Recorded of = recorded;
    return of != null && of.by == recorder ? of.begunNanos : (long) BEGUN.getAcquire(this);
  }

  /** The call that is under way; empty without one. For any thread. */
  Optional<StageRecorder.Call> openCall(StageRecorder recorder, long nowNanos) {
    long begun = (long) BEGUN.getAcquire(this);
    if (pass == null || times == null || begun == OUTSIDE) {
      return Optional.empty();
    }
    Recorded of = recorded;
    boolean isRecorded = of != null && of.by == recorder;
    return Optional.of(
        new StageRecorder.Call(
            times.stage(),
            times.kind(),
            of != null && isRecorded ? of.thread : null,
            of != null && isRecorded ? of.begunNanos : begun,
            nowNanos,
            0,
            true));
  }

  /** The owner has come to a buffer that was full to this degree, from 0 to 1. */
  public void foundFull(double degree) {
    if (pass != null) {
      FILLS.setRelease(this, fills + 1);
      FILL_PERMILLE.setRelease(this, fillPermille + (long) (1000 * degree));
    }
  }

  /** Ends the measurement; its sums remain in those of the stage. Idempotent. */
  public void close() {
    if (times != null) {
      times.close(this);
    }
  }

  /** The time spent in the state until {@code now}. */
  long nanos(long now) {
    while (true) {
      long before = (long) NANOS.getAcquire(this);
      long begun = (long) BEGUN.getAcquire(this);
      if (before == (long) NANOS.getAcquire(this)) {
        return begun == OUTSIDE ? before : before + Math.max(0, now - begun);
      }
    }
  }

  /** The time spent in the state, without the part of a call that is under way. */
  long endedNanos() {
    return (long) NANOS.getAcquire(this);
  }

  long rows() {
    return (long) ROWS.getAcquire(this);
  }

  /** How often {@link #foundFull} was called. */
  long fills() {
    return (long) FILLS.getAcquire(this);
  }

  /** The sum of the degrees of {@link #foundFull}, in thousandths. */
  long fillPermille() {
    return (long) FILL_PERMILLE.getAcquire(this);
  }
}
