package io.headrace.gpu.ptx;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The math functions of {@code math.ptx}, which {@code math.cu} compiles to. A module is given
 * those that it calls, with what they use in turn.
 */
final class MathModule {
  private static final Pattern WORD = Pattern.compile("[A-Za-z_$][\\w$]*");
  private static final Pattern FUNCTION =
      Pattern.compile("\\.func\\s+(?:\\([^)]*\\)\\s*)?([A-Za-z_$][\\w$]*)");
  private static final Pattern VARIABLE = Pattern.compile("\\.b8\\s+([A-Za-z_$][\\w$]*)");
  private static final List<Item> ITEMS = items();

  private MathModule() {}

  /** A function or a table. */
  private record Item(String name, String text) {
    Set<String> words() {
      Set<String> words = new HashSet<>();
      Matcher matcher = WORD.matcher(text);
      while (matcher.find()) {
        words.add(matcher.group());
      }
      return words;
    }
  }

  /** The text of these functions and of what they use. */
  static String text(List<String> functions) {
    Set<String> needed = new HashSet<>();
    Deque<String> pending = new ArrayDeque<>(functions);
    while (!pending.isEmpty()) {
      String name = pending.pop();
      List<Item> named = ITEMS.stream().filter(item -> item.name().equals(name)).toList();
      if (!named.isEmpty() && needed.add(name)) {
        named.forEach(item -> pending.addAll(item.words()));
      }
    }
    if (!needed.containsAll(functions)) {
      throw new IllegalArgumentException("math.ptx lacks one of " + functions);
    }
    StringBuilder text = new StringBuilder();
    ITEMS.stream().filter(item -> needed.contains(item.name())).forEach(i -> text.append(i.text()));
    return text.toString();
  }

  /** The items of the resource: each ends with a line that is a brace, or ends with a semicolon. */
  private static List<Item> items() {
    List<Item> items = new ArrayList<>();
    StringBuilder item = new StringBuilder();
    boolean inBody = false;
    for (String line : PtxResource.MATH.text().lines().toList()) {
      boolean isHeader =
          line.startsWith("//")
              || line.startsWith(".version")
              || line.startsWith(".target")
              || line.startsWith(".address_size");
      if (isHeader || line.isBlank()) {
        continue;
      }
      item.append(line).append('\n');
      inBody |= line.startsWith("{");
      if (line.startsWith("}") || (!inBody && line.endsWith(";"))) {
        items.add(new Item(name(item.toString()), item.toString()));
        item.setLength(0);
        inBody = false;
      }
    }
    return List.copyOf(items);
  }

  private static String name(String item) {
    Matcher function = FUNCTION.matcher(item);
    Matcher variable = VARIABLE.matcher(item);
    if (function.find()) {
      return function.group(1);
    }
    if (variable.find()) {
      return variable.group(1);
    }
    throw new IllegalStateException("neither a function nor a table: " + item);
  }
}
