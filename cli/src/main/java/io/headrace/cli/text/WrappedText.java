package io.headrace.cli.text;

import java.util.ArrayList;
import java.util.List;

/** Text in lines of a width, broken between words. */
final class WrappedText {
  private WrappedText() {}

  /**
   * The lines of {@code text}, the first behind {@code title} and the others below its beginning. A
   * word that is too long for a line has one of its own.
   */
  static List<String> lines(String title, String text, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(title);
    boolean first = true;
    for (String word : text.split(" ", -1)) {
      if (!first && line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line = new StringBuilder(" ".repeat(title.length()));
        first = true;
      }
      line.append(first ? "" : " ").append(word);
      first = false;
    }
    lines.add(line.toString());
    return lines;
  }
}
