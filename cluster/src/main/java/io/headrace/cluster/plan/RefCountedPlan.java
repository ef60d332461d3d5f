package io.headrace.cluster.plan;

import java.util.function.Consumer;

/**
 * A reference-counted plan that steps share. Once it is retired and its last step has ended, its
 * graphs are deregistered at their tasks. Thread-safe.
 */
public final class RefCountedPlan {
  private final StepPlan plan;
  private final Consumer<StepPlan> deregister;
  private volatile long usedAt;
  private int users;
  private boolean retired;

  public RefCountedPlan(StepPlan plan, Consumer<StepPlan> deregister) {
    this.plan = plan;
    this.deregister = deregister;
  }

  public StepPlan plan() {
    return plan;
  }

  /** The logical time of the last use, as passed to {@link #use}. */
  public long usedAt() {
    return usedAt;
  }

  /** Acquires the plan at the logical time {@code now}; false if it is retired. */
  public synchronized boolean use(long now) {
    if (retired) {
      return false;
    }
    usedAt = now;
    users++;
    return true;
  }

  /** Releases the plan. */
  public void release() {
    boolean isLast;
    synchronized (this) {
      users--;
      isLast = retired && users == 0;
    }
    if (isLast) {
      deregister.accept(plan);
    }
  }

  /** Refuses further uses. */
  public void retire() {
    boolean isUnused;
    synchronized (this) {
      if (retired) {
        return;
      }
      retired = true;
      isUnused = users == 0;
    }
    if (isUnused) {
      deregister.accept(plan);
    }
  }
}
