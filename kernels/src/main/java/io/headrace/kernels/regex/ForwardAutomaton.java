package io.headrace.kernels.regex;

import java.util.Arrays;

/**
 * Finds where a match ends. It reports a match one byte late, as the byte behind it decides its
 * assertions; a text ends with a class of its own.
 */
final class ForwardAutomaton extends LazyAutomaton {
  /** Not preferring a match to another keeps every way of matching alive. */
  enum Preference {
    /** The match that RE2 prefers: leftmost, then by the order of choices. */
    FIRST,
    /** Any match: for whole texts, where the end decides. */
    ANY
  }

  private static final int AFTER_WORD = 1 << 6;
  private static final int BEFORE = Assertions.BEGIN_LINE | Assertions.BEGIN_TEXT;

  private static final int SEARCH = 1;
  private static final int AT_TEXT = 0;
  private static final int AT_LINE = 2;
  private static final int AT_WORD = 4;
  private static final int AT_OTHER = 6;

  private final Preference preference;
  private final InstructionQueue now;
  private final InstructionQueue then;

  ForwardAutomaton(RegexProgram program, Preference preference) {
    super(program);
    this.preference = preference;
    this.now = new InstructionQueue(program);
    this.then = new InstructionQueue(program);
  }

  /** The kind of start at {@code at}; a {@code search} may begin a match later. */
  static int startAt(byte[] text, int at, boolean search) {
    int before = Assertions.before(text, at);
    int place =
        before == Assertions.NO_BYTE
            ? AT_TEXT
            : before == '\n' ? AT_LINE : Assertions.isWord(before) ? AT_WORD : AT_OTHER;
    return place | (search ? SEARCH : 0);
  }

  @Override
  boolean keepsBits() {
    return false;
  }

  @Override
  Content start(int start) {
    int place = start & ~SEARCH;
    int flags = place == AT_TEXT ? BEFORE : place == AT_LINE ? Assertions.BEGIN_LINE : 0;
    then.clear();
    then.addAll((start & SEARCH) != 0 ? program.search() : program.start(), flags);
    return content(flags | (place == AT_WORD ? AFTER_WORD : 0), false);
  }

  @Override
  Content step(State state, int cls) {
    int b = program.byteOfClass(cls);
    boolean wasWord = (state.context() & AFTER_WORD) != 0;
    int flags = (state.context() & BEFORE) | (Assertions.between(wasWord ? 'a' : ' ', b) & ~BEFORE);
    int after = b == '\n' ? Assertions.BEGIN_LINE : 0;
    int[] instructions = resolved(state, flags);
    then.clear();
    boolean isMatch = false;
    for (int pc : instructions) {
      byte op = program.op()[pc];
      if (op == RegexProgram.BYTES && b != Assertions.NO_BYTE && program.consumes(pc, cls)) {
        then.addAll(program.out()[pc], after);
      } else if (op == RegexProgram.MATCH) {
        isMatch = true;
        if (preference == Preference.FIRST) {
          break;
        }
      }
    }
    return content(after | (Assertions.isWord(b) ? AFTER_WORD : 0), isMatch);
  }

  /** The instructions of {@code state}, with its assertions decided by {@code flags}. */
  private int[] resolved(State state, int flags) {
    if (!program.traits().asserts()) {
      return state.instructions();
    }
    now.clear();
    for (int pc : state.instructions()) {
      now.addAll(pc, flags);
    }
    return now.toArray();
  }

  /** The state that {@code then} holds. */
  private Content content(int context, boolean isMatch) {
    int[] kept = new int[then.size()];
    int size = 0;
    boolean asserts = false;
    for (int i = 0; i < then.size(); i++) {
      int pc = then.get(i);
      byte op = program.op()[pc];
      boolean isOpen = op == RegexProgram.ASSERT && (program.arg()[pc] & ~context) != 0;
      asserts |= isOpen;
      if (op == RegexProgram.BYTES || op == RegexProgram.MATCH || isOpen) {
        kept[size++] = pc;
      }
      if (op == RegexProgram.MATCH && preference == Preference.FIRST) {
        break;
      }
    }
    int[] instructions = Arrays.copyOf(kept, size);
    if (preference == Preference.ANY) {
      Arrays.sort(instructions);
    }
    return new Content(instructions, asserts ? context : 0, isMatch);
  }
}
