package io.headrace.dataset.execute.pass;

import io.headrace.proto.headrace.CheckpointProto;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * How far one pass was taken by its user, for checkpoints and for those who must know what was
 * taken. Thread-safe.
 */
public final class PassProgress {
  /** Something that a pass reads from, and that can go on after a checkpoint. */
  public interface Resumable {
    /** The user has taken elements that were made of these records. */
    void taken(Origins origins);

    /**
     * Waits as long as the user may be given nothing, whatever has been read already. Called before
     * each element, until {@link PassProgress#end}.
     */
    default void awaitDelivery() {}

    /**
     * The checkpoint of a pass of which {@code taken} was taken, to be changed at will.
     *
     * @throws StatusException FAILED_PRECONDITION, saying why, if there can be none
     */
    CheckpointProto checkpoint(RecordSet taken);
  }

  private final RecordSet taken = new RecordSet();
  private final List<Resumable> resumables = new ArrayList<>();
  private volatile List<Resumable> underway = List.of();
  private volatile boolean uncounted;

  /** A part of the pass that can go on after a checkpoint begins to be read. */
  public synchronized void register(Resumable resumable) {
    resumables.add(resumable);
    underway = Stream.concat(underway.stream(), Stream.of(resumable)).toList();
  }

  /** A part of the pass is closed. */
  public synchronized void end(Resumable resumable) {
    underway = underway.stream().filter(other -> !other.equals(resumable)).toList();
  }

  /**
   * Waits as long as the user may be given nothing.
   *
   * @throws StatusException what the pass fails with meanwhile; CANCELLED once it is closed
   */
  public void awaitDelivery() {
    for (Resumable each : underway) {
      each.awaitDelivery();
    }
  }

  /** Rows were read beside a service's that do not say what they were made of. */
  public void readUncounted() {
    uncounted = true;
  }

  /** The user has taken elements that were made of {@code origins}. */
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
   * What was taken, and {@code more}, as a checkpoint.
   *
   * @throws StatusException FAILED_PRECONDITION, saying why, if there can be none
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
      if (uncounted) {
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
