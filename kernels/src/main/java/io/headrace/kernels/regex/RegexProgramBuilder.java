package io.headrace.kernels.regex;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Collects instructions and sets of bytes, and numbers them anew without joins. Used once. */
final class RegexProgramBuilder {
  /** RE2 accepts about as many instructions. */
  static final int MAX_INSTRUCTIONS = 698_000;

  private static final int WORDS = 4;

  private byte[] op = new byte[64];
  private int[] out = new int[64];
  private int[] arg = new int[64];
  private int size;
  private int joins;
  private final List<long[]> sets = new ArrayList<>();
  private final Map<List<Long>, Integer> setIndex = new HashMap<>();

  /** Thrown if a program becomes too large. */
  static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  int size() {
    return size;
  }

  int emit(byte code, int next, int argument) {
    joins += code == RegexProgram.JOIN ? 1 : 0;
    if (size - joins >= MAX_INSTRUCTIONS || joins > 4 * MAX_INSTRUCTIONS) {
      throw new TooLargeException();
    }
    if (size == op.length) {
      op = Arrays.copyOf(op, 2 * size);
      out = Arrays.copyOf(out, 2 * size);
      arg = Arrays.copyOf(arg, 2 * size);
    }
    op[size] = code;
    out[size] = next;
    arg[size] = argument;
    return size++;
  }

  int join() {
    return emit(RegexProgram.JOIN, 0, 0);
  }

  void setOut(int pc, int next) {
    out[pc] = next;
  }

  int bytes(long[] set, int next) {
    List<Long> key = List.of(set[0], set[1], set[2], set[3]);
    Integer index = setIndex.get(key);
    if (index == null) {
      index = sets.size();
      sets.add(set.clone());
      setIndex.put(key, index);
    }
    return emit(RegexProgram.BYTES, next, index);
  }

  static long[] emptySet() {
    return new long[WORDS];
  }

  static long[] setOf(int first, int last) {
    long[] set = emptySet();
    addRange(set, first, last);
    return set;
  }

  static void addRange(long[] set, int first, int last) {
    for (int b = first; b <= last; b++) {
      set[b >> 6] |= 1L << b;
    }
  }

  RegexProgram build(int start, int search, int groups, RegexProgram.Traits traits) {
    int[] number = new int[size];
    int count = 0;
    for (int pc = 0; pc < size; pc++) {
      number[pc] = count;
      count += op[pc] == RegexProgram.JOIN ? 0 : 1;
    }
    byte[] ops = new byte[count];
    int[] outs = new int[count];
    int[] args = new int[count];
    for (int pc = 0; pc < size; pc++) {
      if (op[pc] != RegexProgram.JOIN) {
        int to = number[pc];
        ops[to] = op[pc];
        outs[to] = number[joined(out[pc])];
        args[to] = op[pc] == RegexProgram.CHOICE ? number[joined(arg[pc])] : arg[pc];
      }
    }
    int[] classOf = classOf(traits.asserts());
    int[] byteOf = byteOf(classOf);
    return new RegexProgram(
        ops,
        outs,
        args,
        classSets(byteOf),
        classOf,
        byteOf,
        number[joined(start)],
        number[joined(search)],
        groups,
        traits);
  }

  /** The instruction behind joins; each join on the way then leads there at once. */
  private int joined(int pc) {
    int end = pc;
    while (op[end] == RegexProgram.JOIN) {
      end = out[end];
    }
    for (int at = pc; op[at] == RegexProgram.JOIN; ) {
      int next = out[at];
      out[at] = end;
      at = next;
    }
    return end;
  }

  /** Splits the bytes into classes whose bytes are in the same sets. */
  private int[] classOf(boolean asserts) {
    int[] classOf = new int[256];
    int classes = 1;
    for (long[] set : sets) {
      classes = split(classOf, classes, set);
    }
    if (asserts) {
      long[] words = emptySet();
      for (int b = 0; b < 256; b++) {
        if (Assertions.isWord(b)) {
          addRange(words, b, b);
        }
      }
      classes = split(classOf, classes, words);
      classes = split(classOf, classes, setOf('\n', '\n'));
    }
    return classOf;
  }

  private static int split(int[] classOf, int classes, long[] set) {
    int[] within = new int[classes];
    int[] outside = new int[classes];
    for (int b = 0; b < 256; b++) {
      (has(set, b) ? within : outside)[classOf[b]]++;
    }
    int[] fresh = new int[classes];
    int next = classes;
    for (int c = 0; c < classes; c++) {
      fresh[c] = within[c] > 0 && outside[c] > 0 ? next++ : c;
    }
    for (int b = 0; b < 256; b++) {
      classOf[b] = has(set, b) ? fresh[classOf[b]] : classOf[b];
    }
    return next;
  }

  private static boolean has(long[] set, int b) {
    return (set[b >> 6] >>> b & 1) != 0;
  }

  private static int[] byteOf(int[] classOf) {
    int classes = Arrays.stream(classOf).max().orElse(0) + 1;
    int[] byteOf = new int[classes];
    for (int b = 0; b < 256; b++) {
      byteOf[classOf[b]] = b;
    }
    return byteOf;
  }

  private long[][] classSets(int[] byteOf) {
    long[][] result = new long[sets.size()][(byteOf.length >> 6) + 1];
    for (int i = 0; i < result.length; i++) {
      for (int c = 0; c < byteOf.length; c++) {
        if (has(sets.get(i), byteOf[c])) {
          result[i][c >> 6] |= 1L << c;
        }
      }
    }
    return result;
  }
}
