package io.headrace.interop;

import java.util.List;
import java.util.stream.Stream;

/**
 * The command lines of Headrace's servers, through the launcher.
 *
 * <p>Their JVMs compile by C1 only: they live for seconds, in which C2 takes as much of the
 * processors as all the rest of them.
 */
final class HeadraceLauncher {
  private static final List<String> OPTIONS =
      List.of("env", "HEADRACE_JAVA_OPTS=-XX:TieredStopAtLevel=1");

  private HeadraceLauncher() {}

  static String launcher() {
    return TestPaths.root().resolve("headrace").toString();
  }

  static List<String> command(String command, String... flags) {
    Stream<String> named = Stream.of(launcher(), command);
    return Stream.of(OPTIONS.stream(), named, Stream.of(flags)).flatMap(part -> part).toList();
  }
}
