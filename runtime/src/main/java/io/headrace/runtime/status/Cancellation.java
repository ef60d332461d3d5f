package io.headrace.runtime.status;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A cancellation signal. Loops poll it, and waits register an action that wakes them. Once
 * cancelled, it stays cancelled. Thread-safe.
 */
public final class Cancellation {
  private final Set<Runnable> actions = new LinkedHashSet<>();
  private volatile boolean cancelled;

  /** Cancels: runs every registered action once, on this thread. Idempotent. */
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

  /** Whether actions are registered. */
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
   * Registers {@code action} to run on cancellation; runs it at once if already cancelled. Closing
   * the registration removes the action, which may still be running.
   */
  public Registration onCancel(Runnable action) {
    // A wrapper, so that registering one action twice yields two registrations.
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

  /** A child: cancelled with this one, and cancellable alone. */
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

  /** A registered action; closing removes it. */
  @FunctionalInterface
  public interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
