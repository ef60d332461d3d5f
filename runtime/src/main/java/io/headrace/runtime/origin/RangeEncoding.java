package io.headrace.runtime.origin;

import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;

/** Delta encoding of ranges as small numbers: the gap after the previous range, and the length. */
public final class RangeEncoding {
  private RangeEncoding() {}

  /** Encodes the ranges of {@code set}. */
  public static List<Long> write(LongSet set) {
    List<Long> code = new ArrayList<>();
    long[] ranges = set.ranges();
    long at = 0;
    for (int i = 0; i < ranges.length; i += 2) {
      code.add(ranges[i] - at);
      code.add(ranges[i + 1] - ranges[i]);
      at = ranges[i + 1];
    }
    return code;
  }

  /**
   * Decodes a set.
   *
   * @throws StatusException INVALID_ARGUMENT if {@code code} is malformed
   */
  public static LongSet read(List<Long> code) {
    LongSet set = new LongSet();
    read(code, set::addRange);
    return set;
  }

  static void read(List<Long> code, LongSet.RangeConsumer consumer) {
    if (code.size() % 2 != 0) {
      throw StatusException.invalidArgument("ranges come in pairs, and %d are given", code.size());
    }
    long at = 0;
    for (int i = 0; i < code.size(); i += 2) {
      long gap = code.get(i);
      long length = code.get(i + 1);
      if (gap < 0 || length <= 0 || at + gap < 0 || at + gap + length < 0) {
        throw StatusException.invalidArgument(
            "a range of %d numbers, %d behind %d, is none", length, gap, at);
      }
      consumer.accept(at + gap, at + gap + length);
      at += gap + length;
    }
  }
}
