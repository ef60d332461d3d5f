package io.headrace.rpc;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.headrace.runtime.status.Cancellation.Registration;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Calls registered actions once a second: streams send heartbeats and check for missing ones with
 * it. The creator closes it. Thread-safe.
 */
public final class HeartbeatTimer implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(HeartbeatTimer.class.getName());

  private final Set<Beat> beats = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService timer;

  private HeartbeatTimer(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  /** A running metronome. */
  public static HeartbeatTimer start() {
    HeartbeatTimer metronome = stopped();
    var _ = metronome.timer.scheduleAtFixedRate(metronome::beat, 1, 1, SECONDS);
    return metronome;
  }

  /** A metronome without a timer, which {@link #beat} drives. */
  public static HeartbeatTimer stopped() {
    return new HeartbeatTimer(
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("metronome").factory()));
  }

  /** Calls {@code action}, which must not block, once a second until the registration is closed. */
  public Registration register(Runnable action) {
    Beat beat = new Beat(action);
    beats.add(beat);
    return () -> beats.remove(beat);
  }

  /** Calls all registered actions once. */
  public void beat() {
    beats.forEach(Beat::run);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    beats.clear();
  }

  /** An action, compared by identity. */
  private static final class Beat {
    private final Runnable action;

    Beat(Runnable action) {
      this.action = action;
    }

    void run() {
      try {
        action.run();
      } catch (RuntimeException e) {
        LOGGER.log(Level.ERROR, "a registered action failed", e);
      }
    }
  }
}
