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
      int tag = tag();
      if (tag == DELIMITED_1) {
        entries(contextIndex, context);
      } else if (tag == DELIMITED_2) {
        entries(listIndex, lists);
      } else {
        skip(tag);
      }
    }
  }

  private void entries(FeatureNameIndex index, Span[] spans) {
    int outer = pushLimit();
    while (at < limit) {
      require(tag() == DELIMITED_1);
      int entries = pushLimit();
      require(tag() == DELIMITED_1);
      Span name = bytes();
      require(tag() == DELIMITED_2);
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
    int size = length();
    Span span = new Span(at, size);
    at += size;
    return span;
  }

  /** Reads a length and sets the limit to its end; returns the old limit. */
  private int pushLimit() {
    int size = length();
    int outer = limit;
    limit = at + size;
    return outer;
  }

  private int length() {
    long size = varint();
    require(size >= 0 && size <= limit - at);
    return (int) size;
  }

  private int tag() {
    return (int) varint();
  }

  private void skip(int tag) {
    switch (tag & 7) {
      case 0 -> varint();
      case 1 -> skipBytes(Long.BYTES);
      case 2 -> bytes();
      case 5 -> skipBytes(Integer.BYTES);
      default -> require(false);
    }
  }

  private void skipBytes(int count) {
    require(count <= limit - at);
    at += count;
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
