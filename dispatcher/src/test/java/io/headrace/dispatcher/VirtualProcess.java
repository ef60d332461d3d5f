package io.headrace.dispatcher;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A process in {@link VirtualTime}: its actions stop when it is killed. */
final class VirtualProcess implements Timer {
  private final VirtualTime time;
  private final Set<Runnable> atDeath = new LinkedHashSet<>();
  private boolean alive = true;

  VirtualProcess(VirtualTime time) {
    this.time = time;
  }

  boolean isAlive() {
    return alive;
  }

  /** Schedules {@code action} in {@code nanos} nanoseconds, if the process lives then. */
  void after(long nanos, Runnable action) {
    time.after(
        nanos,
        () -> {
          if (alive) {
            action.run();
          }
        });
  }

  /** Registers {@code action} for the process's death, as its peers notice it. */
  void atDeath(Runnable action) {
    atDeath.add(action);
  }

  void notAtDeath(Runnable action) {
    atDeath.remove(action);
  }

  void kill() {
    alive = false;
    List.copyOf(atDeath).forEach(Runnable::run);
    atDeath.clear();
  }

  @Override
  public void every(Duration period, Runnable task) {
    after(
        period.toNanos(),
        () -> {
          task.run();
          every(period, task);
        });
  }

  @Override
  public void close() {
    kill();
  }
}
