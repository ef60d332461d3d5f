package io.headrace.cli;

import io.headrace.runtime.status.StatusException;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Formats a log event as one line: time (UTC), level, logger, message. An exception follows on the
 * same line: a {@link StatusException} as code and message, any other with its innermost stack
 * frames. Control characters are escaped, so that input cannot forge log lines. Thread-safe.
 */
final class OneLineFormatter extends Formatter {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final int CALLS_SHOWN = 12;

  @Override
  public String format(LogRecord event) {
    return "%s %-7s %s: %s%s%n"
        .formatted(
            time(event),
            level(event.getLevel()),
            speaker(event.getLoggerName()),
            escape(formatMessage(event)),
            failure(event.getThrown()));
  }

  /** The time of an event, in UTC. */
  static String time(LogRecord event) {
    return TIME.format(event.getInstant());
  }

  /** Our own name of a level. */
  static String level(Level level) {
    return Arrays.stream(LogLevel.values())
        .filter(candidate -> level.intValue() >= candidate.level().intValue())
        .findFirst()
        .orElse(LogLevel.TRACE)
        .name();
  }

  /** The name of the class that reports. */
  static String speaker(@Nullable String logger) {
    return logger == null ? "headrace" : logger.substring(logger.lastIndexOf('.') + 1);
  }

  private static String failure(@Nullable Throwable failure) {
    return switch (failure) {
      case null -> "";
      case StatusException e -> ": " + e.code() + " " + escape(String.valueOf(e.getMessage()));
      default ->
          ": "
              + escape(failure.toString())
              + " ["
              + escape(rootCause(failure).toString())
              + " at "
              + innermostCalls(failure)
              + "]";
    };
  }

  /** The calls in which the root cause of a failure was thrown, the innermost first. */
  static String innermostCalls(Throwable failure) {
    return Arrays.stream(rootCause(failure).getStackTrace())
        .limit(CALLS_SHOWN)
        .map(StackTraceElement::toString)
        .collect(Collectors.joining(" < "));
  }

  private static Throwable rootCause(Throwable failure) {
    Throwable cause = failure.getCause();
    return cause == null ? failure : rootCause(cause);
  }

  /** {@code text} with control characters written as {@code \\uXXXX}. */
  static String escape(String text) {
    return text.codePoints()
        .mapToObj(c ->
            Character.isISOControl(c)
                ? String.format(Locale.ROOT, "\\u%04x", c)
                : Character.toString(c))
        .collect(Collectors.joining());
  }
}
