package io.headrace.cli;

import java.time.Duration;

/**
 * A message printed once if an operation takes too long; closing it first suppresses the message.
 */
final class Notice implements AutoCloseable {
  private final Thread thread;

  private Notice(Thread thread) {
    this.thread = thread;
  }

  /** Runs {@code say} on a new thread after {@code silence}, unless closed before. */
  static Notice after(Duration silence, Runnable say) {
    return new Notice(
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
