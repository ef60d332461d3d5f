package io.headrace.runtime.origin;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of non-negative longs: a bitmap per page of 4,096 numbers while a page is incomplete, and
 * ranges of complete pages, so that it is compact whether numbers arrive in order or shuffled. Not
 * thread-safe.
 */
public final class LongSet {
  /** The empty set; must not be modified. */
  public static final LongSet EMPTY = new LongSet();

  private static final int PAGE_BITS = 12;
  private static final int PAGE = 1 << PAGE_BITS;

  private final TreeMap<Long, Page> partial = new TreeMap<>();

  /** Ranges of complete pages, from the first page to the one after the last. */
  private final TreeMap<Long, Long> complete = new TreeMap<>();

  private @Nullable Page last;
  private long lastNumber = -1;
  private long size;

  private static final class Page {
    private final long[] words = new long[PAGE / Long.SIZE];
    private int size;

    /** Adds the numbers {@code from} up to {@code to} of the page; returns how many are new. */
    int add(int from, int to) {
      int before = size;
      for (int word = from >> 6; word <= (to - 1) >> 6; word++) {
        long mask = -1L << Math.max(0, from - (word << 6));
        int end = to - (word << 6);
        if (end < Long.SIZE) {
          mask &= (1L << end) - 1;
        }
        size += Long.bitCount(mask & ~words[word]);
        words[word] |= mask;
      }
      return size - before;
    }

    boolean contains(int number) {
      return (words[number >> 6] >>> (number & 63) & 1) != 0;
    }
  }

  /** Receives the ranges of a set. */
  @FunctionalInterface
  public interface RangeConsumer {
    /** The numbers {@code from} up to {@code to}. */
    void accept(long from, long to);
  }

  /** The number of elements. */
  public long size() {
    return size;
  }

  /** Whether the set is empty. */
  public boolean isEmpty() {
    return size == 0;
  }

  /** Adds {@code number}. */
  public void add(long number) {
    addRange(number, number + 1);
  }

  /**
   * Adds the numbers {@code from} up to {@code to}, not below 0.
   *
   * @throws IllegalArgumentException if {@code from} is negative
   */
  public void addRange(long from, long to) {
    if (from < 0) {
      throw new IllegalArgumentException("a set of numbers from 0 on can't hold " + from);
    }
    long at = from;
    while (at < to) {
      long number = at >> PAGE_BITS;
      int offset = (int) (at & (PAGE - 1));
      if (offset == 0 && to - at >= PAGE) {
        long end = to >> PAGE_BITS;
        addPages(number, end);
        at = end << PAGE_BITS;
        continue;
      }
      int end = (int) Math.min(PAGE, offset + (to - at));
      addToPage(number, offset, end);
      at += end - offset;
    }
  }

  private void addToPage(long number, int from, int to) {
    if (isComplete(number)) {
      return;
    }
    Page page = page(number);
    size += page.add(from, to);
    if (page.size == PAGE) {
      addPages(number, number + 1);
    }
  }

  private Page page(long number) {
    Page found = last;
    if (found == null || lastNumber != number) {
      found = partial.computeIfAbsent(number, _ -> new Page());
      last = found;
      lastNumber = number;
    }
    return found;
  }

  private boolean isComplete(long number) {
    if (last != null && lastNumber == number) {
      return false;
    }
    Map.Entry<Long, Long> range = complete.floorEntry(number);
    return range != null && range.getValue() > number;
  }

  private void addPages(long from, long to) {
    last = null;
    lastNumber = -1;
    Map<Long, Page> within = partial.subMap(from, to);
    for (Page page : within.values()) {
      size -= page.size;
    }
    within.clear();
    long start = from;
    long end = to;
    Map.Entry<Long, Long> before = complete.floorEntry(start);
    if (before != null && before.getValue() >= start) {
      start = before.getKey();
      end = Math.max(end, before.getValue());
    }
    Map.Entry<Long, Long> after = complete.ceilingEntry(start);
    while (after != null && after.getKey() <= end) {
      end = Math.max(end, after.getValue());
      complete.remove(after.getKey());
      size -= (after.getValue() - after.getKey()) << PAGE_BITS;
      after = complete.ceilingEntry(start);
    }
    complete.put(start, end);
    size += (end - start) << PAGE_BITS;
  }

  /** The length of the gapless prefix from 0. */
  public long leading() {
    long[] ranges = ranges();
    return ranges.length > 0 && ranges[0] == 0 ? ranges[1] : 0;
  }

  /** Adds all of {@code other}. */
  public void addAll(LongSet other) {
    other.forEachRange(this::addRange);
  }

  /** Whether {@code number} is in it. */
  public boolean contains(long number) {
    long pageNumber = number >> PAGE_BITS;
    if (number < 0 || isComplete(pageNumber)) {
      return number >= 0;
    }
    Page page = partial.get(pageNumber);
    return page != null && page.contains((int) (number & (PAGE - 1)));
  }

  /** Passes the ranges to {@code consumer} in order; no two of them touch. */
  public void forEachRange(RangeConsumer consumer) {
    Joining joining = new Joining(consumer);
    var pages = partial.entrySet().iterator();
    Map.@Nullable Entry<Long, Page> page = pages.hasNext() ? pages.next() : null;
    for (Map.Entry<Long, Long> range : complete.entrySet()) {
      while (page != null && page.getKey() < range.getKey()) {
        forEachRange(page.getKey(), page.getValue(), joining);
        page = pages.hasNext() ? pages.next() : null;
      }
      joining.accept(range.getKey() << PAGE_BITS, range.getValue() << PAGE_BITS);
    }
    while (page != null) {
      forEachRange(page.getKey(), page.getValue(), joining);
      page = pages.hasNext() ? pages.next() : null;
    }
    joining.flush();
  }

  private static void forEachRange(long number, Page page, Joining joining) {
    long base = number << PAGE_BITS;
    for (int word = 0; word < page.words.length; word++) {
      long bits = page.words[word];
      while (bits != 0) {
        int from = Long.numberOfTrailingZeros(bits);
        int length = Long.numberOfTrailingZeros(~(bits >>> from));
        long start = base + word * (long) Long.SIZE + from;
        joining.accept(start, start + length);
        bits = from + length >= Long.SIZE ? 0 : bits & (-1L << (from + length));
      }
    }
  }

  /** Forwards ranges, merging adjacent ones. */
  private static final class Joining {
    private final RangeConsumer consumer;
    private long from = -1;
    private long to = -1;

    Joining(RangeConsumer consumer) {
      this.consumer = consumer;
    }

    void accept(long start, long end) {
      if (start == to) {
        to = end;
        return;
      }
      flush();
      from = start;
      to = end;
    }

    void flush() {
      if (from < to) {
        consumer.accept(from, to);
      }
    }
  }

  /** The ranges in order, as pairs: first number, last number plus one. */
  public long[] ranges() {
    Collected collected = new Collected();
    forEachRange(collected);
    return collected.toArray();
  }

  /** Collects ranges as pairs. */
  private static final class Collected implements RangeConsumer {
    private long[] pairs = new long[8];
    private int size;

    @Override
    public void accept(long from, long to) {
      if (size == pairs.length) {
        pairs = Arrays.copyOf(pairs, 2 * size);
      }
      pairs[size++] = from;
      pairs[size++] = to;
    }

    long[] toArray() {
      return Arrays.copyOf(pairs, size);
    }
  }

  /** The difference: the numbers that are not in {@code other}. */
  public LongSet minus(LongSet other) {
    LongSet result = new LongSet();
    long[] out = other.ranges();
    int[] at = {0};
    forEachRange((from, to) -> {
      long start = from;
      while (at[0] < out.length && out[at[0] + 1] <= start) {
        at[0] += 2;
      }
      for (int i = at[0]; i < out.length && out[i] < to; i += 2) {
        result.addRange(start, Math.max(start, out[i]));
        start = Math.max(start, out[i + 1]);
      }
      result.addRange(start, Math.max(start, to));
    });
    return result;
  }

  /** The intersection with {@code other}. */
  public LongSet and(LongSet other) {
    return minus(minus(other));
  }

  /** A copy. */
  public LongSet copy() {
    LongSet copy = new LongSet();
    copy.addAll(this);
    return copy;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LongSet set && Arrays.equals(ranges(), set.ranges());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(ranges());
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("{");
    forEachRange((from, to) ->
        text.append(text.length() == 1 ? "" : ", ")
            .append(to - from == 1 ? Long.toString(from) : from + "-" + (to - 1)));
    return text.append('}').toString();
  }
}
