package io.headrace.runtime.status;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Says that work is no longer wanted. Whoever loops or waits asks it, or registers what wakes the
 * wait. Thread-safe; once cancelled, it stays so.
 */
public final class Cancellation {
  private final Set<Runnable> actions = new LinkedHashSet<>();
  private volatile boolean cancelled;

  /** Cancels: runs every registered action once, on this thread. Further calls do nothing. */
  public void cancel() {
    List<Runnable> toRun;
    synchronized (actions) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      toRun = List.copyOf(actions);
      actions.clear();
    }
    toRun.forEach(Runnable::run);
  }

  /** Whether {@link #cancel} was called. */
  public boolean isCancelled() {
    return cancelled;
  }

  /** Whether something is to be done when it is cancelled. */
  public boolean hasActions() {
    synchronized (actions) {
      return !actions.isEmpty();
    }
  }

  /** Throws CANCELLED if {@link #cancel} was called. */
  public void check() {
    if (cancelled) {
      throw new StatusException(StatusCode.CANCELLED, "the operation was cancelled");
    }
  }

  /**
   * Runs {@code action} when cancelled, at once if that was before. Closing the registration takes
   * it back; the action may still be running then.
   */
  public Registration onCancel(Runnable action) {
    // A wrapper, so that one action registered twice is two registrations.
    Runnable registered = () -> action.run();
    synchronized (actions) {
      if (!cancelled) {
        actions.add(registered);
        return () -> remove(registered);
      }
    }
    action.run();
    return () -> {};
  }

  /** A cancellation that is cancelled with this one, and can be cancelled alone. */
  public Cancellation child() {
    Cancellation child = new Cancellation();
    Registration registration = onCancel(child::cancel);
    child.onCancel(registration::close);
    return child;
  }

  private void remove(Runnable registered) {
    synchronized (actions) {
      actions.remove(registered);
    }
  }

  /** Takes an action back when closed. */
  @FunctionalInterface
  public interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
