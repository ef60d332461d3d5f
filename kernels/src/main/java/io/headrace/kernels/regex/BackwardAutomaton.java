package io.headrace.kernels.regex;

import java.util.Arrays;

/**
 * Reads a text backward from the end of a match. Its state at a place holds the instructions that
 * consume the byte there on a way to that end. A transition reports that a match may begin at the
 * place before whose byte it reads. The beginning of a text has a class of its own.
 */
final class BackwardAutomaton extends LazyAutomaton {
  private static final int BEFORE_WORD = 1;
  private static final int BEFORE_NEWLINE = 2;
  private static final int BEFORE_END = 4;

  private final InstructionQueue now;
  private final InstructionQueue then;

  /** Instructions that lead to instruction i: {@code from[begin[i]]} and on. */
  private final int[] begin;

  private final int[] from;

  BackwardAutomaton(RegexProgram program) {
    super(program);
    this.now = new InstructionQueue(program);
    this.then = new InstructionQueue(program);
    this.begin = new int[program.size() + 2];
    boolean[] isReached = reached(program);
    for (int pc = 0; pc < program.size(); pc++) {
      if (isReached[pc] && leads(pc)) {
        begin[program.out()[pc] + 2]++;
        if (program.op()[pc] == RegexProgram.CHOICE) {
          begin[program.arg()[pc] + 2]++;
        }
      }
    }
    for (int i = 2; i < begin.length; i++) {
      begin[i] += begin[i - 1];
    }
    this.from = new int[begin[begin.length - 1]];
    for (int pc = 0; pc < program.size(); pc++) {
      if (isReached[pc] && leads(pc)) {
        from[begin[program.out()[pc] + 1]++] = pc;
        if (program.op()[pc] == RegexProgram.CHOICE) {
          from[begin[program.arg()[pc] + 1]++] = pc;
        }
      }
    }
  }

  private boolean leads(int pc) {
    return program.op()[pc] != RegexProgram.MATCH && program.op()[pc] != RegexProgram.FAIL;
  }

  /** The instructions of a match, without those that search for its beginning. */
  private static boolean[] reached(RegexProgram program) {
    boolean[] reached = new boolean[program.size()];
    int[] stack = new int[program.size() + 1];
    int depth = 0;
    stack[depth++] = program.start();
    reached[program.start()] = true;
    while (depth > 0) {
      int pc = stack[--depth];
      byte op = program.op()[pc];
      if (op != RegexProgram.MATCH && op != RegexProgram.FAIL) {
        depth = push(program.out()[pc], reached, stack, depth);
      }
      if (op == RegexProgram.CHOICE) {
        depth = push(program.arg()[pc], reached, stack, depth);
      }
    }
    return reached;
  }

  private static int push(int pc, boolean[] reached, int[] stack, int depth) {
    if (reached[pc]) {
      return depth;
    }
    reached[pc] = true;
    stack[depth] = pc;
    return depth + 1;
  }

  /** The kind of start for a match that ends at {@code end}. */
  int startAt(byte[] text, int end) {
    return program.traits().asserts()
        ? context(end == text.length ? Assertions.NO_BYTE : text[end] & 0xff)
        : 0;
  }

  private static int context(int after) {
    return after == Assertions.NO_BYTE
        ? BEFORE_END
        : after == '\n' ? BEFORE_NEWLINE : Assertions.isWord(after) ? BEFORE_WORD : 0;
  }

  private static int byteAfter(int context) {
    return switch (context) {
      case BEFORE_END -> Assertions.NO_BYTE;
      case BEFORE_NEWLINE -> '\n';
      case BEFORE_WORD -> 'a';
      default -> ' ';
    };
  }

  @Override
  boolean keepsBits() {
    return true;
  }

  @Override
  Content start(int start) {
    for (int pc = 0; pc < program.size(); pc++) {
      if (program.op()[pc] == RegexProgram.MATCH) {
        return new Content(new int[] {pc}, start, false);
      }
    }
    throw new IllegalStateException("a program without a match");
  }

  @Override
  Content step(State state, int cls) {
    int b = program.byteOfClass(cls);
    int flags = Assertions.between(b, byteAfter(state.context()));
    now.clear();
    for (int pc : state.instructions()) {
      now.add(pc);
    }
    then.clear();
    // The queue grows while it is read: instructions that lead here without a byte join it.
    for (int i = 0; i < now.size(); i++) {
      int pc = now.get(i);
      for (int j = begin[pc]; j < begin[pc + 1]; j++) {
        lead(from[j], cls, flags);
      }
    }
    int[] instructions = then.toArray();
    Arrays.sort(instructions);
    return new Content(
        instructions, program.traits().asserts() ? context(b) : 0, now.contains(program.start()));
  }

  private void lead(int pc, int cls, int flags) {
    byte op = program.op()[pc];
    if (op == RegexProgram.BYTES) {
      if (cls < program.classes() && program.consumes(pc, cls)) {
        then.add(pc);
      }
    } else if (op != RegexProgram.ASSERT || (program.arg()[pc] & ~flags) == 0) {
      now.add(pc);
    }
  }
}
