package io.headrace.cluster.plan;

import java.util.function.Consumer;

/**
 * A plan that steps share: after it was retired, and the last of them is over, its tasks are told
 * to forget its graphs. Thread-safe.
 */
public final class SharedPlan {
  private final StepPlan plan;
  private final Consumer<StepPlan> forget;
  private volatile long usedAt;
  private int users;
  private boolean retired;

  public SharedPlan(StepPlan plan, Consumer<StepPlan> forget) {
    this.plan = plan;
    this.forget = forget;
  }

  public StepPlan plan() {
    return plan;
  }

  /** When it was used last, in the numbers that {@link #use} is given. */
  public long usedAt() {
    return usedAt;
  }

  /** Begins a use, the one of number {@code now}; false if it was retired. */
  public synchronized boolean use(long now) {
    if (retired) {
      return false;
    }
    usedAt = now;
    users++;
    return true;
  }

  /** Ends a use. */
  public void release() {
    boolean isLast;
    synchronized (this) {
      users--;
      isLast = retired && users == 0;
    }
    if (isLast) {
      forget.accept(plan);
    }
  }

  /** Allows no more uses. */
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
      forget.accept(plan);
    }
  }
}
