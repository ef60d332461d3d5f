package io.headrace.cli.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * A table for a terminal: a line of headings, then a line for each row, none longer than {@link
 * #MAX_WIDTH} or another width. Columns of numbers stand to the right. Where the lines would be too
 * long, the columns that may be cut are, from the longest on. Not thread-safe.
 */
final class TextTable {
  static final int MAX_WIDTH = 100;

  private static final String GAP = "  ";
  private static final int LEAST_CUT = 6;

  private final List<String> headings;
  private final Set<Integer> numbers;
  private final Set<Integer> cuttable;
  private final int maxWidth;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * A table without rows.
   *
   * @param headings the columns' headings
   * @param numbers the columns that stand to the right
   * @param cuttable the columns whose texts may be cut
   */
  TextTable(List<String> headings, Set<Integer> numbers, Set<Integer> cuttable) {
    this(headings, numbers, cuttable, MAX_WIDTH);
  }

  /** A table without rows whose lines have at most {@code maxWidth} characters. */
  TextTable(List<String> headings, Set<Integer> numbers, Set<Integer> cuttable, int maxWidth) {
    this.headings = headings;
    this.numbers = numbers;
    this.cuttable = cuttable;
    this.maxWidth = maxWidth;
  }

  /** Adds a row of as many cells as there are headings. */
  void add(String... cells) {
    rows.add(List.of(cells));
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** The lines of the table. */
  List<String> lines() {
    int[] widths = widths();
    List<String> lines = new ArrayList<>();
    lines.add(line(headings, widths));
    rows.forEach(row -> lines.add(line(row, widths)));
    return lines;
  }

  private int[] widths() {
    int[] widths = new int[headings.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      widths[i] =
          Math.max(
              headings.get(i).length(),
              rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0));
    }
    int total = GAP.length() * (widths.length - 1);
    for (int width : widths) {
      total += width;
    }
    for (int excess = total - maxWidth; excess > 0; excess--) {
      int longest = longestCuttable(widths);
      if (longest < 0) {
        break;
      }
      widths[longest]--;
    }
    return widths;
  }

  private int longestCuttable(int[] widths) {
    int longest = -1;
    for (int column : cuttable) {
      if (widths[column] > LEAST_CUT && (longest < 0 || widths[column] > widths[longest])) {
        longest = column;
      }
    }
    return longest;
  }

  private String line(List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cut(cells.get(i), widths[i]);
      String space = " ".repeat(widths[i] - cell.length());
      line.append(i == 0 ? "" : GAP).append(numbers.contains(i) ? space + cell : cell + space);
    }
    return cut(line.toString().stripTrailing(), maxWidth);
  }

  private static String cut(String text, int width) {
    return text.length() <= width ? text : text.substring(0, width - 1) + "~";
  }
}
