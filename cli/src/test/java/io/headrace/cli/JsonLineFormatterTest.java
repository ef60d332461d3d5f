package io.headrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.headrace.runtime.status.StatusException;
import java.time.Instant;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class JsonLineFormatterTest {
  private final JsonLineFormatter formatter = new JsonLineFormatter();

  private static LogRecord event(String message) {
    LogRecord event = new LogRecord(Level.WARNING, message);
    event.setLoggerName("io.headrace.dispatcher.JobLog");
    event.setInstant(Instant.parse("2026-01-02T03:04:05.006789Z"));
    return event;
  }

  private JsonObject line(LogRecord event) {
    String line = formatter.format(event);
    assertThat(line).hasLineCount(1).endsWith("\n");
    return JsonParser.parseString(line).getAsJsonObject();
  }

  private static String text(JsonObject line, String field) {
    return line.get(field).getAsString();
  }

  @Test
  void event_hasItsFields_andNamesWhatItIsAbout() {
    JsonObject line =
        line(event("task 4000 of worker localhost:5051 is lost; job 5000 (training) misses it"));

    assertThat(text(line, "time")).isEqualTo("2026-01-02T03:04:05.006Z");
    assertThat(text(line, "level")).isEqualTo("WARNING");
    assertThat(text(line, "logger")).isEqualTo("JobLog");
    assertThat(text(line, "message")).startsWith("task 4000 of worker");
    assertThat(text(line, "task")).isEqualTo("4000");
    assertThat(text(line, "worker")).isEqualTo("localhost:5051");
    assertThat(text(line, "job")).isEqualTo("5000");
    assertThat(line.has("reader")).isFalse();
    assertThat(line.has("error")).isFalse();
  }

  @Test
  void eventAboutNothing_hasNoSubject() {
    assertThat(line(event("stopping in order")).keySet())
        .containsExactly("time", "level", "logger", "message");
  }

  @Test
  void lineBreaksAndQuotes_stayInTheirString() {
    assertThat(text(line(event("a\n{\"level\":\"INFO\"}")), "message"))
        .isEqualTo("a\n{\"level\":\"INFO\"}");
  }

  @Test
  void failure_isTold() {
    LogRecord event = event("heartbeat failed");
    event.setThrown(StatusException.invalidArgument("no such task: %d", 7));
    assertThat(text(line(event), "error")).isEqualTo("INVALID_ARGUMENT no such task: 7");

    event.setThrown(new IllegalStateException("outer"));
    assertThat(text(line(event), "error")).endsWith("IllegalStateException: outer");
    assertThat(text(line(event), "stack")).contains("JsonLineFormatterTest");
  }
}
