package io.headrace.kernels.regex;

import static io.headrace.kernels.regex.Assertions.BEGIN_LINE;
import static io.headrace.kernels.regex.Assertions.BEGIN_TEXT;
import static io.headrace.kernels.regex.Assertions.END_LINE;
import static io.headrace.kernels.regex.Assertions.END_TEXT;
import static io.headrace.kernels.regex.Assertions.NO_WORD_BOUNDARY;
import static io.headrace.kernels.regex.Assertions.WORD_BOUNDARY;

import io.headrace.kernels.regex.RegexNode.Alternation;
import io.headrace.kernels.regex.RegexNode.Assertion;
import io.headrace.kernels.regex.RegexNode.Concatenation;
import io.headrace.kernels.regex.RegexNode.Group;
import io.headrace.kernels.regex.RegexNode.Repetition;
import io.headrace.kernels.regex.RegexNode.Rune;
import io.headrace.kernels.regex.RegexNode.Runes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses RE2's syntax. Groups may nest to any depth: open ones are on a stack of the parser's own.
 * Fails with RE2's messages. Used once.
 */
final class RegexParser {
  /** RE2's bound on a repetition, and on the product of nested ones. */
  private static final int MAX_COPIES = 1000;

  /** The ranges of all sets; a program for more would be too large. */
  private static final int MAX_RANGES = 4 * RegexProgramBuilder.MAX_INSTRUCTIONS;

  private static final RuneSet ANY = RuneSet.of(0, RuneSet.MAX_RUNE);
  private static final RuneSet ANY_IN_LINE = RuneSet.of(0, '\n' - 1, '\n' + 1, RuneSet.MAX_RUNE);

  /** An open group: the alternatives before the last bar, and what follows that. */
  private static final class Open {
    private final RegexFlags outerFlags;
    private final int index;
    private final List<RegexNode> choices = new ArrayList<>();
    private List<RegexNode> parts = new ArrayList<>();

    Open(RegexFlags outerFlags, int index) {
      this.outerFlags = outerFlags;
      this.index = index;
    }

    void bar() {
      choices.add(Concatenation.of(parts));
      parts = new ArrayList<>();
    }

    RegexNode close() {
      bar();
      RegexNode body = Alternation.of(choices);
      return index == NOT_CAPTURED ? body : new Group(body, index, body.copies());
    }
  }

  /** A parsed expression and the number of its groups. */
  record Parsed(RegexNode node, int groups) {}

  private static final int NOT_CAPTURED = -1;

  private final RegexReader in;
  private final Deque<Open> outer = new ArrayDeque<>();
  private RegexFlags flags = RegexFlags.NONE;
  private Open open = new Open(flags, NOT_CAPTURED);
  private int groups;
  private int ranges;

  private RegexParser(byte[] pattern) {
    this.in = new RegexReader(pattern);
  }

  /**
   * Parses {@code pattern}; INVALID_ARGUMENT, as RE2 says it, if it is malformed. Throws {@link
   * RegexProgramBuilder.TooLargeException}.
   */
  static Parsed parse(byte[] pattern) {
    return new RegexParser(pattern).parse();
  }

  private Parsed parse() {
    int repeatedFrom = -1; // where the repetition that ends here begins
    while (!in.atEnd()) {
      int from = in.position();
      int min = in.repetitionMin();
      if (min >= 0) {
        repeat(from, repeatedFrom, min, in.repetitionMax());
        repeatedFrom = from;
        continue;
      }
      repeatedFrom = -1;
      item();
    }
    if (!outer.isEmpty()) {
      throw in.failure("missing ): ", in.all());
    }
    return new Parsed(open.close(), groups);
  }

  private void item() {
    switch (in.peek()) {
      case '(' -> openGroup();
      case ')' -> closeGroup();
      case '|' -> {
        in.skip(1);
        open.bar();
      }
      case '^' -> assertion(1, flags.multiLine() ? BEGIN_LINE : BEGIN_TEXT);
      case '$' -> assertion(1, flags.multiLine() ? END_LINE : END_TEXT);
      case '.' -> {
        in.skip(1);
        add(new Runes(flags.dotNewline() ? ANY : ANY_IN_LINE));
      }
      case '[' -> add(runes(RuneClassParser.bracketed(in, flags.foldCase())));
      case '\\' -> escape();
      default -> literal(in.rune());
    }
  }

  private void add(RegexNode node) {
    open.parts.add(node);
  }

  private void assertion(int skipped, int assertion) {
    in.skip(skipped);
    add(new Assertion(assertion));
  }

  private void literal(int codePoint) {
    add(flags.foldCase() ? runes(UnicodeGroups.folds(codePoint)) : new Rune(codePoint));
  }

  private RegexNode runes(RuneSet set) {
    ranges += set.ranges();
    if (ranges > MAX_RANGES) {
      throw new RegexProgramBuilder.TooLargeException();
    }
    boolean isOne = set.ranges() == 1 && set.first(0) == set.last(0);
    return isOne ? new Rune(set.first(0)) : new Runes(set);
  }

  private void repeat(int from, int repeatedFrom, int min, int max) {
    boolean lazy = in.accept('?');
    if (repeatedFrom >= 0) {
      throw in.failure("bad repetition operator: ", in.since(repeatedFrom));
    }
    boolean isCounted = in.byteAt(from) == '{';
    if (isCounted && ((max >= 0 && max < min) || Math.max(min, max) > MAX_COPIES)) {
      throw in.failure("invalid repetition size: ", in.since(from));
    }
    if (open.parts.isEmpty()) {
      throw in.failure("no argument for repetition operator: ", in.since(from));
    }
    RegexNode body = open.parts.removeLast();
    int copies = body.copies();
    if (isCounted) {
      copies *= Math.max(1, max == Repetition.UNBOUNDED ? min : max);
      if ((min > 1 || max > 1) && copies > MAX_COPIES) {
        throw in.failure("invalid repetition size: ", in.since(from));
      }
    }
    add(new Repetition(body, min, max, flags.swapGreed() == lazy, copies));
  }

  private void openGroup() {
    int from = in.position();
    if (!in.startsWith("(?")) {
      in.skip(1);
      push(flags, ++groups);
    } else if (in.startsWith("(?P<") && from + 4 < in.size()) {
      name(from);
      push(flags, ++groups);
    } else {
      in.skip(2);
      flags(from);
    }
  }

  private void push(RegexFlags outerFlags, int index) {
    outer.push(open);
    open = new Open(outerFlags, index);
  }

  private void name(int from) {
    in.skip(4);
    int begin = in.position();
    int end = in.indexOf('>');
    if (end < 0) {
      in.checkUtf8(from, in.size());
      throw in.failure("invalid named capture group: ", in.text(from, in.size()));
    }
    in.checkUtf8(begin, end);
    boolean isWord = end > begin;
    for (int i = begin; i < end; i++) {
      isWord &= Assertions.isWord(in.byteAt(i));
    }
    in.skip(end + 1 - begin);
    if (!isWord) {
      throw in.failure("invalid named capture group: ", in.since(from));
    }
  }

  /** Parses {@code i}, {@code m}, {@code s}, {@code U} and their negations, and opens a group. */
  private void flags(int from) {
    RegexFlags outerFlags = flags;
    RegexFlags changed = flags;
    boolean isOn = true;
    boolean isFlagNext = false; // a minus sign needs one
    while (!in.atEnd()) {
      int c = in.rune();
      if (c == ':' || c == ')') {
        if (isFlagNext) {
          break;
        }
        flags = changed;
        if (c == ':') {
          push(outerFlags, NOT_CAPTURED);
        }
        return;
      }
      RegexFlags next = c == '-' && isOn ? changed : changed.with(c, isOn);
      if (next == null) {
        break;
      }
      isFlagNext = c == '-' && isOn;
      isOn &= c != '-';
      changed = next;
    }
    throw in.failure("invalid perl operator: ", in.since(from));
  }

  private void closeGroup() {
    if (outer.isEmpty()) {
      throw in.failure("unexpected ): ", in.all());
    }
    in.skip(1);
    RegexNode node = open.close();
    flags = open.outerFlags;
    open = outer.pop();
    add(node);
  }

  private void escape() {
    switch (in.byteAt(in.position() + 1)) {
      case 'b' -> assertion(2, WORD_BOUNDARY);
      case 'B' -> assertion(2, NO_WORD_BOUNDARY);
      case 'A' -> assertion(2, BEGIN_TEXT);
      case 'z' -> assertion(2, END_TEXT);
      case 'C' -> {
        in.skip(2);
        add(new RegexNode.AnyByte());
      }
      case 'Q' -> quoted();
      default -> {
        @Nullable RuneSet named = RuneClassParser.named(in, flags.foldCase());
        if (named != null) {
          add(runes(named));
        } else {
          literal(in.escape());
        }
      }
    }
  }

  private void quoted() {
    in.skip(2);
    while (!in.atEnd()) {
      if (in.startsWith("\\E")) {
        in.skip(2);
        return;
      }
      literal(in.rune());
    }
  }
}
