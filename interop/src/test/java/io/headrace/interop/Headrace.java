package io.headrace.interop;

import java.util.List;
import java.util.stream.Stream;

/** How Headrace's own servers are started: by the launcher, as a user would. */
final class Headrace {
  private Headrace() {}

  static List<String> command(String command, String... flags) {
    String launcher = Place.root().resolve("headrace").toString();
    return Stream.concat(Stream.of(launcher, command), Stream.of(flags)).toList();
  }
}
