package io.headrace.cli;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Handles SIGTERM and SIGINT: the first asks for an orderly stop, the second ends the process at
 * once.
 *
 * <p>A shutdown hook can neither choose the exit status nor see a second signal, so this class uses
 * {@code sun.misc.Signal}, which every JDK has; by reflection, because javac warns of it without a
 * way to suppress that under {@code -Werror}.
 */
final class StopSignals {
  private static final Logger LOGGER = System.getLogger(StopSignals.class.getName());
  private static final int TERMINATED = 128 + 15;

  private final AtomicBoolean asked = new AtomicBoolean();
  private final Runnable stop;

  private StopSignals(Runnable stop) {
    this.stop = stop;
  }

  /** Installs handlers; the first signal runs {@code stop} on a new thread. */
  static StopSignals handle(Runnable stop) {
    var signals = new StopSignals(stop);
    signals.handle("TERM");
    signals.handle("INT");
    return signals;
  }

  /** Whether a signal has arrived. */
  boolean asked() {
    return asked.get();
  }

  private void onSignal() {
    if (asked.compareAndSet(false, true)) {
      LOGGER.log(Level.INFO, "stopping in order; a second signal stops at once");
      Thread.ofPlatform().name("stop").start(stop);
    } else {
      Runtime.getRuntime().halt(TERMINATED);
    }
  }

  private void handle(String name) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy(handler));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("this JVM has no sun.misc.Signal", e);
    }
  }

  private Object proxy(Class<?> handler) {
    return Proxy.newProxyInstance(
        StopSignals.class.getClassLoader(),
        new Class<?>[] {handler},
        (_, method, _) -> {
          if (method.getName().equals("handle")) {
            onSignal();
          }
          return null;
        });
  }
}
