package io.headrace.kernels.regex;

import org.jspecify.annotations.Nullable;

/**
 * The flags at a place of a pattern, which {@code (?i)} and its like change.
 *
 * @param foldCase {@code i}: case is ignored
 * @param multiLine {@code m}: anchors match at lines
 * @param dotNewline {@code s}: a dot matches a newline
 * @param swapGreed {@code U}: repetitions are lazy, and greedy with a question mark
 */
record RegexFlags(boolean foldCase, boolean multiLine, boolean dotNewline, boolean swapGreed) {
  static final RegexFlags NONE = new RegexFlags(false, false, false, false);

  /** These flags with the one that {@code letter} names set to {@code on}; null if none is. */
  @Nullable RegexFlags with(int letter, boolean on) {
    return switch (letter) {
      case 'i' -> new RegexFlags(on, multiLine, dotNewline, swapGreed);
      case 'm' -> new RegexFlags(foldCase, on, dotNewline, swapGreed);
      case 's' -> new RegexFlags(foldCase, multiLine, on, swapGreed);
      case 'U' -> new RegexFlags(foldCase, multiLine, dotNewline, on);
      default -> null;
    };
  }
}
