package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first line of a dispatcher's log, which says whether its state survives it. */
final class DispatchServerLogTest {
  private static final Logger LOGGER = Logger.getLogger(DispatchServer.class.getName());

  private final List<String> lines = new ArrayList<>();

  @TempDir Path folder;

  @BeforeEach
  void listen() {
    // Other tests of this process turn the package's log off.
    LOGGER.setLevel(Level.INFO);
    LOGGER.setFilter(this::note);
  }

  @AfterEach
  void stopListening() {
    LOGGER.setFilter(null);
    LOGGER.setLevel(null);
  }

  /** Keeps a line, and out of the log of the tests. */
  private boolean note(LogRecord line) {
    lines.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
    return false;
  }

  private String firstLine(DispatcherConfig config) {
    DispatchServer.start(config).close();
    return lines.getFirst();
  }

  @Test
  void dispatcherWithAWorkDir_saysThatItsStateSurvives() {
    assertThat(firstLine(DispatcherConfig.builder().workDir(folder.toString()).build()))
        .isEqualTo("INFO the state survives restarts, in work_dir " + folder);
  }

  @Test
  void dispatcherWithAWorkDirThatItDoesNotUse_saysSo() {
    assertThat(
            firstLine(
                DispatcherConfig.builder()
                    .workDir(folder.toString())
                    .faultTolerantMode(false)
                    .build()))
        .isEqualTo(
            "INFO the state ends with this process: fault-tolerant mode is off, and work_dir "
                + folder
                + " is not used");
  }

  @Test
  void dispatcherWithoutAWorkDir_saysThatItsStateEnds() {
    assertThat(firstLine(DispatcherConfig.defaults()))
        .isEqualTo("INFO the state ends with this process: there is no work_dir");
  }
}
