package io.headrace.kernels.regex;

import io.headrace.kernels.regex.LazyAutomaton.Run;
import org.jspecify.annotations.Nullable;

/**
 * Skips the bytes with which no match begins: to the literal that every match begins with, or over
 * bytes that leave a search in its first state. Immutable.
 */
final class StartSkip {
  static final StartSkip NONE = new StartSkip(new byte[0], null);

  /** Beyond this, trying each byte costs more than it saves. */
  private static final int MAX_INSTRUCTIONS = 1000;

  private static final int STARTS = 8;

  private final byte[] prefix;
  private final boolean @Nullable [] stays;

  private StartSkip(byte[] prefix, boolean @Nullable [] stays) {
    this.prefix = prefix;
    this.stays = stays;
  }

  /** The skip of a search by {@code automaton}; {@link #NONE} if its start depends on its place. */
  static StartSkip of(ForwardAutomaton automaton) {
    RegexProgram program = automaton.program;
    Run run = new Run(automaton);
    int row = automaton.startRow(run, 1);
    for (int start = 3; start < STARTS; start += 2) {
      if (automaton.startRow(run, start) != row) {
        return NONE;
      }
    }
    if (program.traits().prefix().length > 0) {
      return new StartSkip(program.traits().prefix(), null);
    }
    if (program.size() > MAX_INSTRUCTIONS) {
      return NONE;
    }
    boolean[] stays = new boolean[256];
    boolean isUseful = false;
    for (int b = 0; b < stays.length; b++) {
      int to = automaton.transition(run, row, program.classOf()[b], b);
      stays[b] = to == row;
      isUseful |= stays[b];
    }
    return isUseful ? new StartSkip(new byte[0], stays) : NONE;
  }

  boolean isUseful() {
    return stays != null || prefix.length > 0;
  }

  /** The first place from {@code at} on where a match may begin, or the end of the text. */
  int next(byte[] text, int at) {
    if (stays == null) {
      int found = ByteSearch.indexOf(text, prefix, at);
      return found < 0 ? text.length : found;
    }
    int i = at;
    while (i < text.length && stays[text[i] & 0xff]) {
      i++;
    }
    return i;
  }
}
