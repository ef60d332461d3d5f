package io.headrace.cli.drill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The log of a drill's dispatcher, in which it says what a stock client can't be told.
 *
 * @param path the file
 */
record DispatcherLog(Path path) {
  private static final Pattern LOST_TASK =
      Pattern.compile("task \\d+ of iteration \\d+ of job \\d+ \\(.*?\\) ended with its worker");
  private static final Pattern MISSING =
      Pattern.compile("at most (\\d+) elements that it had announced are missing");

  /**
   * The losses that a dispatcher has logged.
   *
   * @param tasks the number of lost tasks
   * @param elements the most elements that can be missing with them
   */
  record Losses(int tasks, long elements) {}

  /** The log of the dispatcher of {@link DrillCluster}, which is in {@code folder}. */
  static DispatcherLog in(Path folder) {
    return new DispatcherLog(folder.resolve(DrillCluster.DISPATCHER + ".log"));
  }

  /** The losses so far, of all lives of the dispatcher. */
  Losses losses() {
    String text;
    try {
      // A killed process may leave half a character.
      text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Matcher missing = MISSING.matcher(text);
    long elements = 0;
    while (missing.find()) {
      elements += Long.parseLong(missing.group(1));
    }
    return new Losses((int) LOST_TASK.matcher(text).results().count(), elements);
  }
}
