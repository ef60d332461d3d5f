package io.headrace.cli;

import java.time.Duration;

/**
 * A message printed once if an operation takes too long; closing it first suppresses the message.
 */
final class DelayedNotice implements AutoCloseable {
  private final Thread thread;

  private DelayedNotice(Thread thread) {
    this.thread = thread;
  }

  /** Runs {@code say} on a new thread after {@code silence}, unless closed before. */
  static DelayedNotice after(Duration silence, Runnable say) {
    return new DelayedNotice(
        Thread.ofVirtual()
            .name("notice")
            .start(() -> {
              try {
                Thread.sleep(silence);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
              }
              say.run();
            }));
  }

  /** Suppresses the message; waits if it is being printed. Idempotent. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
