package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** The warnings of readers that wait for elements, kept out of the log of the tests. */
final class WaitLog implements AutoCloseable {
  private static final Logger LOGGER = Logger.getLogger(ServiceIterator.class.getName());

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  WaitLog() {
    LOGGER.setFilter(this::note);
  }

  private boolean note(LogRecord line) {
    lines.add(new SimpleFormatter().formatMessage(line));
    return false;
  }

  /** The next warning. */
  String next() throws InterruptedException {
    String line = lines.poll(1, TimeUnit.MINUTES);
    assertThat(line).as("a warning").isNotNull();
    return String.valueOf(line);
  }

  @Override
  public void close() {
    LOGGER.setFilter(null);
  }
}
