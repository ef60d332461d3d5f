package io.headrace.kernels.regex;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A set of code points, as sorted ranges that do not touch. Immutable. */
final class RuneSet {
  static final int MAX_RUNE = 0x10FFFF;

  /** First and last code point of each range. */
  private final int[] bounds;

  private RuneSet(int[] bounds) {
    this.bounds = bounds;
  }

  static RuneSet of(int... firstsAndLasts) {
    Builder builder = new Builder();
    for (int i = 0; i < firstsAndLasts.length; i += 2) {
      builder.add(firstsAndLasts[i], firstsAndLasts[i + 1]);
    }
    return builder.build();
  }

  /** The number of ranges. */
  int ranges() {
    return bounds.length / 2;
  }

  int first(int range) {
    return bounds[2 * range];
  }

  int last(int range) {
    return bounds[2 * range + 1];
  }

  /** The code points that are not in this set. */
  RuneSet negated() {
    Builder builder = new Builder();
    int next = 0;
    for (int i = 0; i < ranges(); i++) {
      builder.add(next, first(i) - 1);
      next = last(i) + 1;
    }
    return builder.add(next, MAX_RUNE).build();
  }

  /** This set and what equals one of its code points regardless of case. */
  RuneSet folded() {
    Builder builder = new Builder().addAll(this);
    for (int i = 0; i < ranges(); i++) {
      UnicodeGroups.addFolds(first(i), last(i), builder);
    }
    return builder.build();
  }

  /** Collects ranges in any order. */
  static final class Builder {
    private final List<int[]> ranges = new ArrayList<>();

    /** Adds a range, or nothing if {@code last} is before {@code first}. */
    Builder add(int first, int last) {
      if (first <= last) {
        ranges.add(new int[] {first, last});
      }
      return this;
    }

    Builder addAll(RuneSet set) {
      for (int i = 0; i < set.ranges(); i++) {
        add(set.first(i), set.last(i));
      }
      return this;
    }

    RuneSet build() {
      ranges.sort((a, b) -> Integer.compare(a[0], b[0]));
      int[] merged = new int[2 * ranges.size()];
      int size = 0;
      for (int[] range : ranges) {
        if (size > 0 && range[0] <= merged[size - 1] + 1) {
          merged[size - 1] = Math.max(merged[size - 1], range[1]);
        } else {
          merged[size++] = range[0];
          merged[size++] = range[1];
        }
      }
      return new RuneSet(Arrays.copyOf(merged, size));
    }
  }
}
