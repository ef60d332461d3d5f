package io.headrace.kernels.regex;

import io.headrace.kernels.regex.LazyAutomaton.State;
import java.util.Arrays;

/**
 * Finds the groups of a match whose beginning and end are known. At each place it takes the most
 * preferred way that the backward automaton has seen lead to the end, so that it never turns back
 * beyond a place. Not thread-safe.
 */
final class GroupWalk {
  private final RegexProgram program;
  private final int[] stack;
  private final int[] reachedFrom;
  private final int[] seenAt;
  private int turn;

  GroupWalk(RegexProgram program) {
    this.program = program;
    this.stack = new int[program.size() + 1];
    this.reachedFrom = new int[program.size()];
    this.seenAt = new int[program.size()];
  }

  /**
   * Fills {@code slots} with the match and its groups.
   *
   * @param states the states of the backward automaton, by number
   * @param rows the row of its state at each place, the end first
   * @param stride the size of a row
   */
  void fill(byte[] text, int start, int end, State[] states, int[] rows, int stride, int[] slots) {
    Arrays.fill(slots, -1);
    slots[0] = start;
    slots[1] = end;
    byte[] ops = program.op();
    int pc = program.start();
    for (int at = start; ; at++) {
      if (ops[pc] != RegexProgram.BYTES) {
        pc = follow(pc, text, at, states[rows[end - at] / stride], slots);
      }
      if (ops[pc] == RegexProgram.MATCH) {
        return;
      }
      pc = program.out()[pc];
    }
  }

  /** The first instruction of {@code state} that {@code from} leads to; sets slots on the way. */
  private int follow(int from, byte[] text, int at, State state, int[] slots) {
    int flags = program.traits().asserts() ? Assertions.at(text, at) : 0;
    int mark = ++turn;
    int depth = 0;
    stack[depth++] = from;
    reachedFrom[from] = -1;
    while (depth > 0) {
      int pc = stack[--depth];
      while (seenAt[pc] != mark) {
        seenAt[pc] = mark;
        byte op = program.op()[pc];
        if (op == RegexProgram.BYTES || op == RegexProgram.MATCH) {
          if (state.contains(pc)) {
            set(pc, at, slots);
            return pc;
          }
          break;
        }
        if (op == RegexProgram.FAIL
            || (op == RegexProgram.ASSERT && (program.arg()[pc] & ~flags) != 0)) {
          break;
        }
        if (op == RegexProgram.CHOICE) {
          int second = program.arg()[pc];
          if (seenAt[second] != mark) {
            stack[depth++] = second;
            reachedFrom[second] = pc;
          }
        }
        int next = program.out()[pc];
        if (seenAt[next] != mark) {
          reachedFrom[next] = pc;
        }
        pc = next;
      }
    }
    throw new IllegalStateException("a match without a way through the program");
  }

  /** Sets the slots on the way to {@code leaf}; the last instruction for a slot decides. */
  private void set(int leaf, int at, int[] slots) {
    for (int pc = reachedFrom[leaf]; pc >= 0; pc = reachedFrom[pc]) {
      if (program.op()[pc] == RegexProgram.GROUP && program.arg()[pc] < slots.length) {
        slots[program.arg()[pc]] = at;
      }
    }
  }
}
