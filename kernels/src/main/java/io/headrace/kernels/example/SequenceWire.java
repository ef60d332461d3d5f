package io.headrace.kernels.example;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import java.util.Arrays;

/**
 * Finds the wanted features and feature lists of a serialized tf.SequenceExample. Where one is
 * there twice, the last one counts. Not thread-safe.
 */
final class SequenceWire {
  private static final int DELIMITED_1 = 1 << 3 | 2;
  private static final int DELIMITED_2 = 2 << 3 | 2;

  /** Where a feature or feature list lies; not there if {@code start} is -1. */
  record Place(int start, int size) {
    static final Place MISSING = new Place(-1, 0);

    boolean isThere() {
      return start >= 0;
    }
  }

  private final byte[] data;
  private final String example;
  private int at;
  private int limit;

  /** A reader of {@code data}; messages call it {@code example}. */
  SequenceWire(byte[] data, String example) {
    this.data = data;
    this.example = example;
    this.limit = data.length;
  }

  /** Sets {@code context} and {@code lists} to where what the indices name lies. */
  void find(ExampleIndex contextIndex, Place[] context, ExampleIndex listIndex, Place[] lists) {
    Arrays.fill(context, Place.MISSING);
    Arrays.fill(lists, Place.MISSING);
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

  private void entries(ExampleIndex index, Place[] places) {
    int outer = push();
    while (at < limit) {
      require(tag() == DELIMITED_1);
      int entries = push();
      require(tag() == DELIMITED_1);
      Place name = bytes();
      require(tag() == DELIMITED_2);
      Place value = bytes();
      require(at == limit);
      limit = entries;
      int found = index.find(data, name.start(), name.size());
      if (found >= 0) {
        places[found] = value;
      }
    }
    limit = outer;
  }

  private Place bytes() {
    int size = length();
    Place place = new Place(at, size);
    at += size;
    return place;
  }

  /** Reads a length and makes its end the limit; returns the old one. */
  private int push() {
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
