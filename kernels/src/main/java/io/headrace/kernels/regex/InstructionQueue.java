package io.headrace.kernels.regex;

import java.util.Arrays;

/**
 * A set of instructions in the order in which they were added, and the walk that adds what follows
 * from one without consuming a byte. Not thread-safe.
 */
final class InstructionQueue {
  private final RegexProgram program;
  private final int[] dense;
  private final int[] sparse;
  private final int[] stack;
  private int size;

  InstructionQueue(RegexProgram program) {
    this.program = program;
    this.dense = new int[program.size()];
    this.sparse = new int[program.size()];
    this.stack = new int[program.size() + 1];
  }

  void clear() {
    size = 0;
  }

  int size() {
    return size;
  }

  int get(int index) {
    return dense[index];
  }

  boolean contains(int pc) {
    int index = sparse[pc];
    return index < size && dense[index] == pc;
  }

  boolean add(int pc) {
    if (contains(pc)) {
      return false;
    }
    sparse[pc] = size;
    dense[size++] = pc;
    return true;
  }

  /**
   * Adds {@code from} and what follows from it where {@code flags} hold, in order of preference.
   */
  void addAll(int from, int flags) {
    int depth = 0;
    stack[depth++] = from;
    while (depth > 0) {
      int pc = stack[--depth];
      // Follows the preferred way at once; a way that was refused waits on the stack.
      while (add(pc)) {
        byte op = program.op()[pc];
        if (op == RegexProgram.CHOICE) {
          stack[depth++] = program.arg()[pc];
        } else if (op == RegexProgram.ASSERT && (program.arg()[pc] & ~flags) != 0) {
          break;
        } else if (op != RegexProgram.GROUP && op != RegexProgram.ASSERT) {
          break;
        }
        pc = program.out()[pc];
      }
    }
  }

  int[] toArray() {
    return Arrays.copyOf(dense, size);
  }
}
