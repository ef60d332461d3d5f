package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.status.StatusException;
import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class OneLineFormatterTest {
  private final OneLineFormatter formatter = new OneLineFormatter();

  @Test
  void format_event_saysWhenHowGraveWhoAndWhat() {
    assertThat(formatter.format(event(Level.WARNING, "worker lost")))
        .isEqualTo("2026-01-02T03:04:05.006Z WARNING Dispatcher: worker lost\n");
  }

  @Test
  void format_debugEvent_hasOurName() {
    assertThat(formatter.format(event(Level.FINE, "x"))).contains(" DEBUG ");
  }

  @Test
  void format_lineBreakInMessage_staysOneLine() {
    assertThat(formatter.format(event(Level.INFO, "a\nb"))).hasLineCount(1).contains("a\\u000ab");
  }

  @Test
  void format_statusException_saysCodeAndMessage() {
    LogRecord event = event(Level.INFO, "heartbeat failed");
    event.setThrown(StatusException.invalidArgument("no such task: %d", 7));

    assertThat(formatter.format(event))
        .endsWith("heartbeat failed: INVALID_ARGUMENT no such task: 7\n");
  }

  @Test
  void format_bug_saysWhereItIs_inOneLine() {
    LogRecord event = event(Level.SEVERE, "failed");
    event.setThrown(new IllegalStateException("outer", new ArithmeticException("/ by zero")));

    assertThat(formatter.format(event))
        .hasLineCount(1)
        .contains("IllegalStateException: outer")
        .contains("ArithmeticException: / by zero at io.headrace.cli.OneLineFormatterTest");
  }

  private static LogRecord event(Level level, String message) {
    var event = new LogRecord(level, message);
    event.setLoggerName("io.headrace.dispatcher.Dispatcher");
    event.setInstant(Instant.parse("2026-01-02T03:04:05.006789Z"));
    return event;
  }
}
