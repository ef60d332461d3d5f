package io.headrace.journal;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of a journal's objects under its path. Numbers have 19 digits, so names sort by number.
 */
final class GcsObjectNames {
  /** Marks the path as a journal's. */
  static final String HEADER = "headrace-journal";

  /** The hint of the acknowledged end. */
  static final String ACKNOWLEDGED = "acknowledged";

  private static final Pattern LOG = Pattern.compile("log/(\\d{19})");
  private static final Pattern PART = Pattern.compile("snapshot/(\\d{19})-\\d{19}");

  private GcsObjectNames() {}

  /** The log object {@code number}. */
  static String log(long number) {
    return "log/%019d".formatted(number);
  }

  /** The snapshot part {@code number} written in {@code epoch}. */
  static String part(long epoch, long number) {
    return "snapshot/%019d-%019d".formatted(epoch, number);
  }

  /** The number of a log object; empty for other names. */
  static OptionalLong logNumber(String name) {
    return number(LOG, name);
  }

  /** The epoch of a snapshot part; empty for other names. */
  static OptionalLong partEpoch(String name) {
    return number(PART, name);
  }

  static boolean isOurs(String name) {
    return name.equals(HEADER)
        || name.equals(ACKNOWLEDGED)
        || logNumber(name).isPresent()
        || partEpoch(name).isPresent();
  }

  private static OptionalLong number(Pattern pattern, String name) {
    Matcher matcher = pattern.matcher(name);
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(matcher.group(1)));
    } catch (NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
