package io.headrace.kernels.regex;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compiles a set of code points to instructions that consume their UTF-8. All of U+0080 to U+10FFFF
 * together are, as in RE2, any sequence of a lead byte and its number of trail bytes.
 */
final class Utf8Compiler {
  private static final int TRAIL_FIRST = 0x80;
  private static final int TRAIL_LAST = 0xBF;

  /** The first and last byte at each place of a sequence. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Sequence(int[] first, int[] last) {
    static Sequence of(int leadFirst, int leadLast, int trails) {
      int[] first = new int[1 + trails];
      int[] last = new int[1 + trails];
      Arrays.fill(first, TRAIL_FIRST);
      Arrays.fill(last, TRAIL_LAST);
      first[0] = leadFirst;
      last[0] = leadLast;
      return new Sequence(first, last);
    }
  }

  private final RegexProgramBuilder builder;
  private final int end;
  private final List<Sequence> sequences = new ArrayList<>();
  private final Map<List<Long>, Integer> nodes = new HashMap<>();

  private Utf8Compiler(RegexProgramBuilder builder, int end) {
    this.builder = builder;
    this.end = end;
  }

  /** Emits instructions that consume a code point of {@code set} and go on at {@code end}. */
  static int compile(RuneSet set, RegexProgramBuilder builder, int end) {
    Utf8Compiler compiler = new Utf8Compiler(builder, end);
    for (int i = 0; i < set.ranges(); i++) {
      compiler.add(set.first(i), set.last(i));
    }
    return compiler.node(compiler.sequences, 0);
  }

  /** Splits a range until its sequences differ at their ends only. */
  private void add(int first, int last) {
    if (first == 0x80 && last == RuneSet.MAX_RUNE) {
      sequences.add(Sequence.of(0xC2, 0xDF, 1));
      sequences.add(Sequence.of(0xE0, 0xEF, 2));
      sequences.add(Sequence.of(0xF0, 0xF4, 3));
      return;
    }
    for (int max : new int[] {0x7F, 0x7FF, 0xFFFF}) {
      if (first <= max && max < last) {
        add(first, max);
        add(max + 1, last);
        return;
      }
    }
    int size = Utf8.size(first);
    for (int i = 1; i < size; i++) {
      int mask = (1 << (6 * i)) - 1;
      if ((first & ~mask) != (last & ~mask)) {
        int cut =
            (first & mask) != 0 ? first | mask : (last & mask) != mask ? (last & ~mask) - 1 : last;
        if (cut < last) {
          add(first, cut);
          add(cut + 1, last);
          return;
        }
      }
    }
    int[] firsts = new int[size];
    int[] lasts = new int[size];
    for (int i = 0; i < size; i++) {
      firsts[i] = Utf8.byteOf(first, size, i);
      lasts[i] = Utf8.byteOf(last, size, i);
    }
    sequences.add(new Sequence(firsts, lasts));
  }

  /** The instruction that consumes the bytes of {@code within}, from place {@code at} on. */
  private int node(List<Sequence> within, int at) {
    Map<Integer, long[]> byNext = new TreeMap<>();
    for (int i = 0; i < within.size(); ) {
      Sequence sequence = within.get(i);
      int first = sequence.first[at];
      int last = sequence.last[at];
      int to = i + 1;
      while (to < within.size()
          && within.get(to).first[at] == first
          && within.get(to).last[at] == last) {
        to++;
      }
      boolean isLast = sequence.first.length == at + 1;
      int next = isLast ? end : node(within.subList(i, to), at + 1);
      long[] set = byNext.computeIfAbsent(next, _ -> RegexProgramBuilder.emptySet());
      RegexProgramBuilder.addRange(set, first, last);
      i = to;
    }
    return nodes.computeIfAbsent(key(byNext), _ -> emit(byNext));
  }

  private int emit(Map<Integer, long[]> byNext) {
    int node = -1;
    for (Map.Entry<Integer, long[]> choice : byNext.entrySet()) {
      int bytes = builder.bytes(choice.getValue(), choice.getKey());
      node = node < 0 ? bytes : builder.emit(RegexProgram.CHOICE, bytes, node);
    }
    return node < 0 ? builder.emit(RegexProgram.FAIL, 0, 0) : node;
  }

  private static List<Long> key(Map<Integer, long[]> byNext) {
    List<Long> key = new ArrayList<>();
    byNext.forEach((next, set) -> {
      key.add((long) next);
      for (long word : set) {
        key.add(word);
      }
    });
    return key;
  }
}
