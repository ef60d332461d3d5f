package io.headrace.kernels.regex;

import java.util.List;

/** A parsed regular expression. */
sealed interface RegexNode {
  /** The most copies of a part that the counted repetitions within this node make. */
  int copies();

  /** One code point. */
  record Rune(int codePoint) implements RegexNode {
    @Override
    public int copies() {
      return 1;
    }
  }

  /** One code point of a set; nothing if the set is empty. */
  record Runes(RuneSet set) implements RegexNode {
    @Override
    public int copies() {
      return 1;
    }
  }

  /** Any byte. */
  record AnyByte() implements RegexNode {
    @Override
    public int copies() {
      return 1;
    }
  }

  /**
   * An empty match where all of {@code flags} hold.
   *
   * @param flags of {@link Assertions}
   */
  record Assertion(int flags) implements RegexNode {
    @Override
    public int copies() {
      return 1;
    }
  }

  /** One after the other; an empty match if there is none. */
  record Concatenation(List<RegexNode> parts, int copies) implements RegexNode {
    static RegexNode of(List<RegexNode> parts) {
      return parts.size() == 1
          ? parts.getFirst()
          : new Concatenation(List.copyOf(parts), mostCopies(parts));
    }
  }

  /** One of several, the first preferred. */
  record Alternation(List<RegexNode> choices, int copies) implements RegexNode {
    static RegexNode of(List<RegexNode> choices) {
      return choices.size() == 1
          ? choices.getFirst()
          : new Alternation(List.copyOf(choices), mostCopies(choices));
    }
  }

  /** A group whose extent is kept. */
  record Group(RegexNode body, int index, int copies) implements RegexNode {}

  /** From {@code min} to {@code max} times, or more if {@code max} is {@link #UNBOUNDED}. */
  record Repetition(RegexNode body, int min, int max, boolean greedy, int copies)
      implements RegexNode {
    static final int UNBOUNDED = -1;

    /** The number of copies of the body that a program has. */
    int bodies() {
      return max == UNBOUNDED ? Math.max(1, min) : max;
    }
  }

  private static int mostCopies(List<RegexNode> nodes) {
    int most = 1;
    for (RegexNode node : nodes) {
      most = Math.max(most, node.copies());
    }
    return most;
  }
}
