package io.headrace.kernels.example;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import java.util.Arrays;

/**
 * Locates the requested context features and feature lists in the bytes of a tf.SequenceExample. Of
 * duplicates, the last one counts. Malformed input is INVALID_ARGUMENT. Not thread-safe.
 */
final class SequenceExampleWire {
  private static final int DELIMITED_1 = 1 << 3 | 2;
  private static final int DELIMITED_2 = 2 << 3 | 2;

  /** The bytes of a feature or feature list; missing if {@code start} is -1. */
  record Span(int start, int size) {
    static final Span MISSING = new Span(-1, 0);

    boolean isPresent() {
      return start >= 0;
    }
  }

  private final byte[] data;
  private final String example;
  private int at;
  private int limit;

  /** A reader of {@code data}, which error messages call {@code example}. */
  SequenceExampleWire(byte[] data, String example) {
    this.data = data;
    this.example = example;
    this.limit = data.length;
  }

  /** Sets {@code context} and {@code lists} to the bytes of the features in the indices. */
  void find(
      FeatureNameIndex contextIndex, Span[] context, FeatureNameIndex listIndex, Span[] lists) {
    Arrays.fill(context, Span.MISSING);
    Arrays.fill(lists, Span.MISSING);
    while (at < limit) {
      if (expect(DELIMITED_1)) {
        entries(contextIndex, context);
      } else if (expect(DELIMITED_2)) {
        entries(listIndex, lists);
      } else {
        skip((int) varint());
      }
    }
  }

  private void entries(FeatureNameIndex index, Span[] spans) {
    int outer = pushLimit();
    while (at < limit) {
      require(expect(DELIMITED_1));
      int entries = pushLimit();
      require(expect(DELIMITED_1));
      Span name = bytes();
      require(expect(DELIMITED_2));
      Span value = bytes();
      require(at == limit);
      limit = entries;
      int found = index.find(data, name.start(), name.size());
      if (found >= 0) {
        spans[found] = value;
      }
    }
    limit = outer;
  }

  private Span bytes() {
    int size = (int) varint();
    require(size >= 0 && size <= limit - at);
    Span span = new Span(at, size);
    at += size;
    return span;
  }

  /** Reads a length and sets the limit to its end, if that is nearer; returns the old limit. */
  private int pushLimit() {
    int size = (int) varint();
    int outer = limit;
    limit = size >= 0 && size < limit - at ? at + size : limit;
    return outer;
  }

  /** Whether the next byte is {@code tag}, which is then read. */
  private boolean expect(int tag) {
    boolean isNext = at < limit && data[at] == tag;
    at += isNext ? 1 : 0;
    return isNext;
  }

  private void skip(int tag) {
    switch (tag & 7) {
      case 0 -> varint();
      case 1 -> skipBytes(Long.BYTES);
      case 2 -> skipAtMost((int) varint());
      case 5 -> skipBytes(Integer.BYTES);
      default -> require(false);
    }
  }

  private void skipBytes(int count) {
    require(count <= limit - at);
    at += count;
  }

  /** Skips {@code count} bytes, or what there is, as TensorFlow does; none if it is negative. */
  private void skipAtMost(int count) {
    at += Math.clamp(count, 0, limit - at);
  }

  private long varint() {
    long result = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      require(at < limit);
      byte b = data[at++];
      result |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return result;
      }
    }
    require(false);
    return result;
  }

  private void require(boolean holds) {
    if (!holds) {
      throw invalidArgument("Invalid protocol message input, example id: %s", example);
    }
  }
}
