package io.headrace.kernels.regex;

import io.headrace.kernels.regex.LazyAutomaton.Cache;
import io.headrace.kernels.regex.LazyAutomaton.Run;
import io.headrace.kernels.regex.LazyAutomaton.State;
import io.headrace.runtime.status.Cancellation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Matches a pattern against one text after another. The forward automaton finds the end of a match,
 * the backward one its beginning and, on the same way, what {@link GroupWalk} needs for its groups.
 * Not thread-safe.
 */
final class RegexMatcher {
  private static final int NO_MATCH = -1;

  /** The automaton made too many states to be worth it. */
  private static final int GIVEN_UP = -2;

  private final RegexPattern pattern;
  private final RegexProgram program;
  private final RegexProgram.Traits traits;
  private final Cancellation cancellation;
  private final int[] slots;
  private @Nullable PikeMatcher pike;
  private @Nullable GroupWalk walk;
  private int[] rows = new int[64];

  /**
   * Makes a matcher.
   *
   * @param groups the number of groups that will be asked for
   */
  RegexMatcher(RegexPattern pattern, int groups, Cancellation cancellation) {
    this.pattern = pattern;
    this.program = pattern.program();
    this.traits = program.traits();
    this.cancellation = cancellation;
    this.slots = new int[2 + 2 * groups];
  }

  /** The beginning of group {@code group} of the last match, 0 for all of it; -1 for none. */
  int start(int group) {
    return slots[2 * group];
  }

  /** The end of a group of the last match. */
  int end(int group) {
    return slots[2 * group + 1];
  }

  /** Whether {@code text} matches as a whole. */
  boolean matches(byte[] text) {
    if (traits.isLiteral()) {
      return Arrays.equals(text, traits.prefix());
    }
    int end = pattern.usesAutomata() ? wholeEnd(text) : GIVEN_UP;
    return end == GIVEN_UP
        ? new PikeMatcher(program, 0, cancellation).find(text, 0, false, true, slots)
        : end == text.length;
  }

  private int wholeEnd(byte[] text) {
    ForwardAutomaton automaton = pattern.whole();
    Run run = new Run(automaton);
    int row = automaton.startRow(run, ForwardAutomaton.startAt(text, 0, false));
    int[] next = run.next();
    int[] classOf = program.classOf();
    for (int i = 0; row != LazyAutomaton.DEAD; i++) {
      int cls = i < text.length ? classOf[text[i] & 0xff] : program.classes();
      int to = next[row + cls];
      if (to == 0) {
        to = automaton.transition(run, row, cls, i);
        next = run.next();
        if (run.isThrashing()) {
          return GIVEN_UP;
        }
      }
      if (i == text.length) {
        return to < 0 && to != LazyAutomaton.DEAD ? i : NO_MATCH;
      }
      if (to == LazyAutomaton.DEAD_MATCH) {
        return NO_MATCH;
      }
      row = to < 0 && to != LazyAutomaton.DEAD ? -to : to;
    }
    return NO_MATCH;
  }

  /** Finds the first match that begins at {@code from} or later. */
  boolean find(byte[] text, int from) {
    if (traits.begins() && from > 0) {
      return false;
    }
    if (traits.isLiteral() && slots.length == 2) {
      int start = ByteSearch.indexOf(text, traits.prefix(), from);
      set(start, start + traits.bytes());
      return start >= 0;
    }
    if (!pattern.usesAutomata()) {
      return simulate(text, from);
    }
    int end = traits.ends() && !traits.begins() ? text.length : findEnd(text, from);
    if (end < 0) {
      return end == GIVEN_UP && simulate(text, from);
    }
    return findStart(text, from, end);
  }

  private void set(int start, int end) {
    slots[0] = start;
    slots[1] = end;
  }

  private boolean simulate(byte[] text, int from) {
    if (pike == null) {
      pike = new PikeMatcher(program, slots.length, cancellation);
    }
    return pike.find(text, from, !traits.begins(), false, slots);
  }

  /** The end of the first match, {@link #NO_MATCH} or {@link #GIVEN_UP}. */
  private int findEnd(byte[] text, int from) {
    boolean search = !traits.begins();
    ForwardAutomaton automaton = pattern.forward();
    Run run = new Run(automaton);
    int start = ForwardAutomaton.startAt(text, from, search);
    int row = automaton.startRow(run, start);
    if (row == LazyAutomaton.DEAD) {
      return NO_MATCH;
    }
    StartSkip skip = search ? pattern.skip() : StartSkip.NONE;
    int skipRow = skip.isUseful() ? row : NO_MATCH;
    int[] next = run.next();
    int[] classOf = program.classOf();
    int last = NO_MATCH;
    int i = from;
    while (true) {
      if (row == skipRow) {
        i = skip.next(text, i);
      }
      int cls = i < text.length ? classOf[text[i] & 0xff] : program.classes();
      int to = next[row + cls];
      if (to <= 0) {
        if (to == 0) {
          to = automaton.transition(run, row, cls, (long) i - from);
          if (run.isThrashing()) {
            return GIVEN_UP;
          }
          skipRow = skipRow == NO_MATCH ? NO_MATCH : automaton.startRow(run, start);
          next = run.next();
        }
        if (to < 0) {
          last = to == LazyAutomaton.DEAD ? last : i;
          if (to <= LazyAutomaton.DEAD_MATCH) {
            return last;
          }
          to = -to;
        }
      }
      if (i == text.length) {
        return last;
      }
      row = to;
      i++;
    }
  }

  /** Finds the beginning of the match that ends at {@code end}, and its groups. */
  private boolean findStart(byte[] text, int from, int end) {
    boolean hasGroups = slots.length > 2;
    boolean isWhole = traits.isOneGroup();
    if (!hasGroups || isWhole) {
      int known = traits.begins() ? 0 : traits.bytes() >= 0 ? end - traits.bytes() : NO_MATCH;
      if (known >= from && !traits.ends()) {
        set(known, end);
        copyWhole(isWhole && hasGroups);
        return true;
      }
    }
    boolean keeps = hasGroups && !isWhole;
    int start = back(text, from, end, keeps);
    if (start < 0) {
      return start == GIVEN_UP && simulate(text, from);
    }
    set(start, end);
    copyWhole(isWhole && hasGroups);
    return true;
  }

  private void copyWhole(boolean isNeeded) {
    if (isNeeded) {
      slots[2] = slots[0];
      slots[3] = slots[1];
    }
  }

  /** The beginning of the longest match up to {@code end}; {@code keeps} finds its groups, too. */
  private int back(byte[] text, int from, int end, boolean keeps) {
    BackwardAutomaton automaton = pattern.backward();
    Run run = new Run(automaton);
    int row = automaton.startRow(run, automaton.startAt(text, end));
    Cache cache = run.cache();
    int[] next = run.next();
    int[] classOf = program.classOf();
    int start = NO_MATCH;
    for (int i = end; ; i--) {
      if (keeps) {
        keep(end - i, row);
      }
      int cls = i > 0 ? classOf[text[i - 1] & 0xff] : program.classes();
      int to = next[row + cls];
      if (to == 0) {
        to = automaton.transition(run, row, cls, (long) end - i);
        next = run.next();
        if (run.isThrashing() || (keeps && run.cache() != cache)) {
          return GIVEN_UP;
        }
      }
      if (to < 0 && to != LazyAutomaton.DEAD) {
        start = i;
      }
      if (i == from || to <= LazyAutomaton.DEAD_MATCH) {
        break;
      }
      row = Math.abs(to);
    }
    if (keeps && start >= 0) {
      fillGroups(text, start, end, automaton.statesByNumber(cache), automaton.stride);
    }
    return start;
  }

  private void keep(int index, int row) {
    if (index == rows.length) {
      rows = Arrays.copyOf(rows, 2 * index);
    }
    rows[index] = row;
  }

  private void fillGroups(byte[] text, int start, int end, State[] states, int stride) {
    if (walk == null) {
      walk = new GroupWalk(program);
    }
    walk.fill(text, start, end, states, rows, stride, slots);
  }
}
