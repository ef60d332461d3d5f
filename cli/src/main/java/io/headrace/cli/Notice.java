package io.headrace.cli;

import java.time.Duration;

/** Something to be said once if work takes longer than a time; not said once it is closed. */
final class Notice implements AutoCloseable {
  private final Thread thread;

  private Notice(Thread thread) {
    this.thread = thread;
  }

  /** Runs {@code say} after {@code silence}, on a thread of its own, unless closed before. */
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

  /** Waits until what is being said was said. Idempotent. */
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
