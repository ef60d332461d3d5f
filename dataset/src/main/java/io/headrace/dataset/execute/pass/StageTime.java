package io.headrace.dataset.execute.pass;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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

  private final @Nullable StageClock clock;
  private final Stage.@Nullable Times times;

  @SuppressWarnings("FieldCanBeFinal") // by BEGUN
  private long begunNanos = OUTSIDE;

  private long nanos;
  private long rows;
  private long fills;
  private long fillPermille;

  /** A time of a stage that is not measured: it stays 0. */
  StageTime() {
    clock = null;
    times = null;
  }

  StageTime(StageClock clock, Stage.Times times) {
    this.clock = clock;
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
    if (clock != null) {
      BEGUN.setRelease(this, clock.nanos());
    }
  }

  /** The owner leaves the state. */
  public void end() {
    end(0);
  }

  /** The owner leaves the state with {@code more} rows. */
  public void end(int more) {
    if (clock == null) {
      return;
    }
    long since = clock.nanos() - begunNanos;
    if (since > 0) {
      NANOS.setRelease(this, nanos + since);
    }
    ROWS.setRelease(this, rows + more);
    BEGUN.setRelease(this, OUTSIDE);
  }

  /** The owner has come to a buffer that was full to this degree, from 0 to 1. */
  public void foundFull(double degree) {
    if (clock != null) {
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
