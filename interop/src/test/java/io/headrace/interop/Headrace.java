package io.headrace.interop;

import java.util.List;
import java.util.stream.Stream;

/** The command lines of Headrace's servers, through the launcher. */
final class Headrace {
  private Headrace() {}

  static String launcher() {
    return Place.root().resolve("headrace").toString();
  }

  static List<String> command(String command, String... flags) {
    return Stream.concat(Stream.of(launcher(), command), Stream.of(flags)).toList();
  }
}
