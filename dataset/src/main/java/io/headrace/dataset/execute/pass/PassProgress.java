package io.headrace.dataset.execute.pass;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.Ticker;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one pass: the records its user has taken, kept for checkpoints and reported to
 * the sources of the pass. Thread-safe.
 */
public final class PassProgress {
  /** A source of a pass that can resume from a checkpoint. */
  public interface Resumable {
    /** Reports that the user has taken elements made of {@code origins}. */
    void taken(Origins origins);

    /**
     * Blocks while elements already read must not be delivered to the user. Called before each
     * element, until {@link PassProgress#end}.
     */
    default void awaitDelivery() {}

    /**
     * A new checkpoint of a pass whose user has taken {@code taken}.
     *
     * @throws StatusException FAILED_PRECONDITION, with the reason, if the pass can't be resumed
     */
    CheckpointProto checkpoint(RecordSet taken);
  }

  /**
   * The elements that failed in one pass and that ignore_errors left out: their number, and
   * warnings of them where the dataset asks for these. The first {@link #FIRST} have a line each;
   * the others are summed up, at most once in a {@link #PERIOD}. Thread-safe.
   */
  public static final class IgnoredErrors {
    /** How many elements have a line of their own. */
    static final int FIRST = 10;

    /** The shortest time between sums. */
    static final Duration PERIOD = Duration.ofSeconds(10);

    private static final Logger LOGGER = System.getLogger(PassProgress.class.getName());

    @GuardedBy("this")
    private long count;

    @GuardedBy("this")
    private int lines;

    /** The elements that no line tells of yet, since when, and the error of the last one. */
    @GuardedBy("this")
    private long untold;

    @GuardedBy("this")
    private long untoldSinceNanos;

    @GuardedBy("this")
    private @Nullable StatusException lastUntold;

    /** None yet. */
    public IgnoredErrors() {}

    /**
     * Counts an element that is left out.
     *
     * @param error its error
     * @param logs whether the log is to tell of it
     * @param ticker the clock of the pass
     */
    public synchronized void add(StatusException error, boolean logs, Ticker ticker) {
      count++;
      if (!logs) {
        return;
      }
      if (lines < FIRST) {
        lines++;
        LOGGER.log(Level.WARNING, () -> "an element is left out: " + error.message());
        untoldSinceNanos = ticker.nanoTime();
        return;
      }
      untold++;
      lastUntold = error;
      if (ticker.nanoTime() - untoldSinceNanos >= PERIOD.toNanos()) {
        tell(ticker);
      }
    }

    /**
     * Tells the log of the elements that it has not been told of: the pass has ended. Idempotent.
     */
    public synchronized void end(Ticker ticker) {
      if (untold > 0) {
        tell(ticker);
      }
    }

    @GuardedBy("this")
    private void tell(Ticker ticker) {
      long now = ticker.nanoTime();
      long seconds = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(now - untoldSinceNanos));
      String last = lastUntold == null ? "" : lastUntold.message();
      LOGGER.log(
          Level.WARNING,
          "%d more elements were left out in the last %d s, %d in all; the last one: %s"
              .formatted(untold, seconds, count, last));
      untold = 0;
      untoldSinceNanos = now;
    }

    /** How many elements were left out, logged or not. */
    public synchronized long count() {
      return count;
    }
  }

  private final RecordSet taken = new RecordSet();
  private final List<Resumable> resumables = new ArrayList<>();
  private volatile List<Resumable> active = List.of();
  private volatile boolean readWithoutOrigins;
  private volatile boolean fromWorkers;
  private final IgnoredErrors ignoredErrors = new IgnoredErrors();
  private final LongAdder ignoredElsewhere = new LongAdder();

  /** The elements that ignore_errors left out in this process. */
  public IgnoredErrors ignoredErrors() {
    return ignoredErrors;
  }

  /** Records that {@code more} elements were left out by the workers of a service. */
  public void ignoredElsewhere(long more) {
    ignoredElsewhere.add(more);
  }

  /** How many elements ignore_errors left out, here and elsewhere. */
  public long elementsIgnored() {
    return ignoredErrors.count() + ignoredElsewhere.sum();
  }

  /** Records that workers of a service make elements for the pass. */
  public void readsFromWorkers() {
    fromWorkers = true;
  }

  /** Whether workers of a service make elements for the pass. */
  public boolean isFromWorkers() {
    return fromWorkers;
  }

  /** Adds a resumable source at the start of its pass. */
  public synchronized void register(Resumable resumable) {
    resumables.add(resumable);
    active = Stream.concat(active.stream(), Stream.of(resumable)).toList();
  }

  /** Removes a source from {@link #awaitDelivery} at the end of its pass. */
  public synchronized void end(Resumable resumable) {
    active = active.stream().filter(other -> !other.equals(resumable)).toList();
  }

  /**
   * Blocks while elements must not be delivered to the user.
   *
   * @throws StatusException the pass's failure, if it fails meanwhile; CANCELLED once it is closed
   */
  public void awaitDelivery() {
    for (Resumable each : active) {
      each.awaitDelivery();
    }
  }

  /**
   * Records that the pass has read rows without origins besides a service's, which rules out
   * checkpoints.
   */
  public void readUncounted() {
    readWithoutOrigins = true;
  }

  /** Records that the user has taken elements made of {@code origins}. */
  public void took(Origins origins) {
    if (origins.isEmpty()) {
      return;
    }
    List<Resumable> toTell;
    synchronized (this) {
      taken.add(origins);
      toTell = List.copyOf(resumables);
    }
    toTell.forEach(resumable -> resumable.taken(origins));
  }

  /**
   * A checkpoint of the records taken, and {@code more}.
   *
   * @throws StatusException FAILED_PRECONDITION, with the reason, if the pass can't be resumed
   */
  public CheckpointProto checkpoint(Origins more) {
    RecordSet all;
    Resumable resumable;
    synchronized (this) {
      if (resumables.isEmpty()) {
        throw new StatusException(
            StatusCode.FAILED_PRECONDITION,
            "nothing was read from a service yet, and only that can be resumed");
      }
      if (resumables.size() > 1) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "the iterator has read %d passes over services, and a checkpoint holds one: open an"
                + " iterator for each pass instead of a repeat behind distribute",
            resumables.size());
      }
      if (readWithoutOrigins) {
        throw new StatusException(
            StatusCode.FAILED_PRECONDITION,
            "the iterator has read elements of its own process beside a service's, and a"
                + " checkpoint can't hold how far: concatenate before distribute, or read them by"
                + " an iterator of their own");
      }
      all = taken.copy();
      resumable = resumables.getFirst();
    }
    all.add(more);
    return resumable.checkpoint(all);
  }
}
