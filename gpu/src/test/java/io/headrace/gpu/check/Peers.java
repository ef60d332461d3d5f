package io.headrace.gpu.check;

import io.headrace.gpu.check.ChildProcess.Ended;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The times of other libraries for the same work, where they are installed.
 *
 * @param found by the name of a measurement, the milliseconds, or why there are none
 */
record Peers(Map<String, String> found) {
  private static final Duration LIMIT = Duration.ofMinutes(6);

  /** Copies the map. */
  Peers {
    found = Map.copyOf(found);
  }

  /** Lets the program {@link CheckedMachine#peers} measure them all. */
  static Peers measure(CheckedMachine machine) {
    CheckScale scale = machine.scale();
    Map<String, String> found = new HashMap<>();
    try {
      Ended ended =
          ChildProcess.output(
              List.of(
                  machine.python(),
                  machine.peers().toString(),
                  String.valueOf(scale.chain()),
                  String.valueOf(scale.images()),
                  String.valueOf(scale.edge()),
                  String.valueOf(scale.repeats())),
              LIMIT);
      for (String line : ended.output().lines().toList()) {
        String[] fields = line.split("\t", 3);
        if (fields.length == 3 && fields[0].equals("peer")) {
          found.put(fields[1], fields[2]);
        }
      }
    } catch (UncheckedIOException e) {
      return new Peers(Map.of());
    }
    return new Peers(found);
  }

  /** The milliseconds of a measurement; nothing if there are none. */
  OptionalDouble millis(String name) {
    try {
      return OptionalDouble.of(Double.parseDouble(reason(name)));
    } catch (NumberFormatException _) {
      return OptionalDouble.empty();
    }
  }

  /** Why there is no measurement. */
  String reason(String name) {
    return found.getOrDefault(name, "there is no python3, or it failed");
  }
}
