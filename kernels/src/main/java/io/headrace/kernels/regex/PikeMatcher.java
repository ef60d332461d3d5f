package io.headrace.kernels.regex;

import io.headrace.runtime.status.Cancellation;
import java.util.Arrays;

/**
 * Simulates a program on a text: all ways of matching at once, in order of preference, each with
 * its slots. Takes time linear in the text and in the program, and memory linear in the program.
 * Not thread-safe.
 */
final class PikeMatcher {
  /** The steps between two looks at the cancellation. */
  private static final int STEPS_PER_CHECK = 1 << 16;

  private static final int NO_SLOT = -1;

  private final RegexProgram program;
  private final Cancellation cancellation;
  private final int slots;
  private Threads now;
  private Threads then;

  /** Instructions that wait to be followed, and slots to put back before them. */
  private int[] stack = new int[64];

  private int depth;
  private int steps;

  /** The ways of matching at one place: their instructions, in order, and their slots. */
  private static final class Threads {
    private final int[] dense;
    private final int[] sparse;
    private final int[] kept;
    private int size;

    Threads(int instructions, int slots) {
      this.dense = new int[instructions];
      this.sparse = new int[instructions];
      this.kept = new int[Math.multiplyExact(instructions, slots)];
    }

    boolean add(int pc) {
      int index = sparse[pc];
      if (index < size && dense[index] == pc) {
        return false;
      }
      sparse[pc] = size;
      dense[size++] = pc;
      return true;
    }
  }

  /**
   * Makes a matcher.
   *
   * @param slots the number of slots to keep, even; 0 if it matters only whether there is a match
   */
  PikeMatcher(RegexProgram program, int slots, Cancellation cancellation) {
    this.program = program;
    this.cancellation = cancellation;
    this.slots = slots;
    this.now = new Threads(program.size(), slots);
    this.then = new Threads(program.size(), slots);
  }

  /**
   * Finds the preferred match from {@code from} on, anywhere if {@code search}, or, if {@code
   * whole}, any match up to the end of the text. Fills {@code result}, with -1 for a group without
   * part in the match.
   */
  boolean find(byte[] text, int from, boolean search, boolean whole, int[] result) {
    int[] current = new int[slots];
    now.size = 0;
    boolean isFound = false;
    for (int at = from; ; at++) {
      int flags = Assertions.at(text, at);
      if (!isFound && (search || at == from)) {
        Arrays.fill(current, -1);
        if (slots > 0) {
          current[0] = at;
        }
        follow(now, program.start(), flags, at, current);
      }
      then.size = 0;
      int nextFlags = at < text.length ? Assertions.at(text, at + 1) : 0;
      isFound |= step(text, at, nextFlags, whole, current, result);
      Threads swap = now;
      now = then;
      then = swap;
      if (at == text.length || (now.size == 0 && (isFound || !search))) {
        return isFound;
      }
    }
  }

  /** Consumes the byte at {@code at}; returns whether there is a match before it. */
  private boolean step(
      byte[] text, int at, int nextFlags, boolean whole, int[] current, int[] result) {
    int cls = at < text.length ? program.classOf()[text[at] & 0xff] : program.classes();
    boolean isMatch = false;
    for (int i = 0; i < now.size; i++) {
      checkCancelled();
      int pc = now.dense[i];
      byte op = program.op()[pc];
      if (op == RegexProgram.MATCH && (!whole || at == text.length)) {
        System.arraycopy(now.kept, i * slots, result, 0, Math.min(slots, result.length));
        if (slots > 0) {
          result[1] = at;
        }
        isMatch = true;
        break;
      }
      if (op == RegexProgram.BYTES && cls < program.classes() && program.consumes(pc, cls)) {
        System.arraycopy(now.kept, i * slots, current, 0, slots);
        follow(then, program.out()[pc], nextFlags, at + 1, current);
      }
    }
    return isMatch;
  }

  private void checkCancelled() {
    if (++steps == STEPS_PER_CHECK) {
      steps = 0;
      cancellation.check();
    }
  }

  /** Adds to {@code threads} what follows from {@code from} without a byte, in preferred order. */
  private void follow(Threads threads, int from, int flags, int at, int[] current) {
    depth = 0;
    push(from, NO_SLOT, 0);
    while (depth > 0) {
      depth -= 3;
      int pc = stack[depth];
      if (stack[depth + 1] != NO_SLOT) {
        current[stack[depth + 1]] = stack[depth + 2];
        continue;
      }
      while (threads.add(pc)) {
        checkCancelled();
        byte op = program.op()[pc];
        int arg = program.arg()[pc];
        if (op == RegexProgram.CHOICE) {
          push(arg, NO_SLOT, 0);
        } else if (op == RegexProgram.GROUP) {
          if (arg < slots) {
            push(0, arg, current[arg]);
            current[arg] = at;
          }
        } else if (op != RegexProgram.ASSERT || (arg & ~flags) != 0) {
          System.arraycopy(current, 0, threads.kept, (threads.size - 1) * slots, slots);
          break;
        }
        pc = program.out()[pc];
      }
    }
  }

  private void push(int pc, int slot, int value) {
    if (depth + 3 > stack.length) {
      stack = Arrays.copyOf(stack, 2 * stack.length);
    }
    stack[depth++] = pc;
    stack[depth++] = slot;
    stack[depth++] = value;
  }
}
