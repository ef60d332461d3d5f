package io.headrace.interop;

import java.util.List;
import java.util.stream.Stream;

/** The command lines of Headrace's servers, through the launcher. */
final class HeadraceLauncher {
  private HeadraceLauncher() {}

  static String launcher() {
    return TestPaths.root().resolve("headrace").toString();
  }

  static List<String> command(String command, String... flags) {
    return Stream.concat(Stream.of(launcher(), command), Stream.of(flags)).toList();
  }
}
