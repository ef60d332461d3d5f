package io.headrace.kernels.regex;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Named groups of code points, and those that differ in case only, in the Unicode version of
 * TensorFlow's RE2. The table is a resource, {@code unicode-groups.txt}: a line for each group,
 * with its name and, in hexadecimal, the code points where it begins and ends by turns, each
 * relative to the one before; and a line behind {@code =} for each set of code points that differ
 * in case only.
 */
final class UnicodeGroups {
  private static final int[] NOTHING = {};

  private static final Map<String, RuneSet> ASCII =
      Map.ofEntries(
          Map.entry("\\d", RuneSet.of('0', '9')),
          Map.entry("\\s", RuneSet.of('\t', '\n', '\f', '\r', ' ', ' ')),
          Map.entry("\\w", RuneSet.of('0', '9', 'A', 'Z', '_', '_', 'a', 'z')),
          Map.entry("[:alnum:]", RuneSet.of('0', '9', 'A', 'Z', 'a', 'z')),
          Map.entry("[:alpha:]", RuneSet.of('A', 'Z', 'a', 'z')),
          Map.entry("[:ascii:]", RuneSet.of(0, 0x7F)),
          Map.entry("[:blank:]", RuneSet.of('\t', '\t', ' ', ' ')),
          Map.entry("[:cntrl:]", RuneSet.of(0, 0x1F, 0x7F, 0x7F)),
          Map.entry("[:digit:]", RuneSet.of('0', '9')),
          Map.entry("[:graph:]", RuneSet.of('!', '~')),
          Map.entry("[:lower:]", RuneSet.of('a', 'z')),
          Map.entry("[:print:]", RuneSet.of(' ', '~')),
          Map.entry("[:punct:]", RuneSet.of('!', '/', ':', '@', '[', '`', '{', '~')),
          Map.entry("[:space:]", RuneSet.of('\t', '\r', ' ', ' ')),
          Map.entry("[:upper:]", RuneSet.of('A', 'Z')),
          Map.entry("[:word:]", RuneSet.of('0', '9', 'A', 'Z', '_', '_', 'a', 'z')),
          Map.entry("[:xdigit:]", RuneSet.of('0', '9', 'A', 'F', 'a', 'f')));

  private UnicodeGroups() {}

  /** The group of ASCII that {@code name}, as {@code \d} or {@code [:alpha:]}, stands for. */
  static @Nullable RuneSet ascii(String name) {
    return ASCII.get(name);
  }

  /** The category or script {@code name}. */
  static @Nullable RuneSet named(String name) {
    if (name.equals("Any")) {
      return RuneSet.of(0, RuneSet.MAX_RUNE);
    }
    String line = Table.GROUPS.get(name);
    return line == null ? null : parse(line);
  }

  /** The code points that {@code codePoint} equals regardless of case, itself among them. */
  static RuneSet folds(int codePoint) {
    RuneSet.Builder builder = new RuneSet.Builder().add(codePoint, codePoint);
    addFolds(codePoint, codePoint, builder);
    return builder.build();
  }

  /** Adds what code points of a range equal regardless of case. */
  static void addFolds(int first, int last, RuneSet.Builder builder) {
    for (int[] fold : Table.FOLDS.subMap(first, true, last, true).values()) {
      for (int codePoint : fold) {
        builder.add(codePoint, codePoint);
      }
    }
  }

  private static RuneSet parse(String line) {
    RuneSet.Builder builder = new RuneSet.Builder();
    int at = 0;
    int first = 0;
    boolean isLast = false;
    for (int delta : numbers(line)) {
      at += delta;
      if (isLast) {
        builder.add(first, at - 1);
      }
      first = at;
      isLast = !isLast;
    }
    return builder.build();
  }

  private static int[] numbers(String line) {
    return line.isEmpty()
        ? NOTHING
        : Arrays.stream(line.split(" ", -1)).mapToInt(n -> Integer.parseInt(n, 16)).toArray();
  }

  /** The table, read on first use. */
  private static final class Table {
    private static final Map<String, String> GROUPS = new HashMap<>();
    private static final TreeMap<Integer, int[]> FOLDS = new TreeMap<>();

    static {
      text().lines().forEach(Table::read);
    }

    private static void read(String line) {
      int space = line.indexOf(' ');
      String name = line.substring(0, space);
      String rest = line.substring(space + 1);
      if (!name.equals("=")) {
        GROUPS.put(name, rest);
        return;
      }
      int[] fold = numbers(rest);
      for (int codePoint : fold) {
        FOLDS.put(codePoint, fold);
      }
    }

    private static String text() {
      InputStream resource = UnicodeGroups.class.getResourceAsStream("unicode-groups.txt");
      try (InputStream in = Objects.requireNonNull(resource)) {
        return new String(in.readAllBytes(), US_ASCII);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
