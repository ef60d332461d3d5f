package io.headrace.cli;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.headrace.runtime.status.StatusException;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Formats a log event as a JSON object on one line: {@code time} (UTC), {@code level}, {@code
 * logger}, {@code message}; {@code error} and {@code stack} of an exception; and {@code job},
 * {@code task}, {@code reader}, {@code worker} where the message names one, by the first that it
 * names. Thread-safe.
 */
final class JsonLineFormatter extends Formatter {
  /** The words by which messages name what they are about. */
  private static final Pattern SUBJECT =
      Pattern.compile("\\b(?:(job|task|reader) (\\d+)|(worker) ([^\\s,;:]+:\\d+))\\b");

  private final Gson gson = new Gson();

  @Override
  public String format(LogRecord event) {
    String message = formatMessage(event);
    JsonObject line = new JsonObject();
    line.addProperty("time", OneLineFormatter.time(event));
    line.addProperty("level", OneLineFormatter.level(event.getLevel()));
    line.addProperty("logger", OneLineFormatter.speaker(event.getLoggerName()));
    line.addProperty("message", message);
    SUBJECT.matcher(message).results().forEach(found -> addSubject(found, line));
    if (event.getThrown() instanceof StatusException failure) {
      line.addProperty("error", failure.code() + " " + failure.message());
    } else if (event.getThrown() != null) {
      line.addProperty("error", event.getThrown().toString());
      line.addProperty("stack", OneLineFormatter.innermostCalls(event.getThrown()));
    }
    return gson.toJson(line) + "\n";
  }

  private static void addSubject(MatchResult found, JsonObject line) {
    boolean worker = found.group(3) != null;
    String kind = found.group(worker ? 3 : 1);
    if (!line.has(kind)) {
      line.addProperty(kind, found.group(worker ? 4 : 2));
    }
  }
}
