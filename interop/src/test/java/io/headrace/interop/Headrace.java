package io.headrace.interop;

import java.util.List;
import java.util.stream.Stream;

/** How Headrace's own servers are started: by the launcher, as a user would. */
final class Headrace {
  private Headrace() {}

  static String launcher() {
    return Place.root().resolve("headrace").toString();
  }

  static List<String> command(String command, String... flags) {
    return Stream.concat(Stream.of(launcher(), command), Stream.of(flags)).toList();
  }
}
