package io.headrace.runtime.tensor;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the rows of a chunk came from, as runs of consecutive records of one split; {@link #NONE}
 * where no splits are handed out. Immutable.
 */
public record Origins(List<Run> runs) {
  /**
   * {@code rows} rows that came from records {@code record}, {@code record} + 1, ... of a split.
   */
  public record Run(int rows, long split, long record) {}

  /** The origins of rows that no split accounts for. */
  public static final Origins NONE = new Origins(List.of());

  /** Origins made of {@code runs}, in the order of the rows. */
  public Origins {
    runs = List.copyOf(runs);
  }

  /** The origins of the rows {@code from} up to {@code to}. */
  public Origins slice(int from, int to) {
    if (runs.isEmpty()) {
      return NONE;
    }
    List<Run> result = new ArrayList<>();
    int start = 0;
    for (Run run : runs) {
      int begin = Math.max(from, start);
      int end = Math.min(to, start + run.rows);
      if (begin < end) {
        result.add(new Run(end - begin, run.split, run.record + begin - start));
      }
      start += run.rows;
    }
    return new Origins(result);
  }

  /** The origins of the rows of this and then those of {@code next}. */
  public Origins concat(Origins next) {
    if (runs.isEmpty() || next.runs.isEmpty()) {
      return runs.isEmpty() ? next : this;
    }
    List<Run> result = new ArrayList<>(runs);
    result.addAll(next.runs);
    return new Origins(result);
  }
}
