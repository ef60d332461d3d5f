package io.headrace.kernels.example;

import io.headrace.kernels.kit.ByteStrings;
import io.headrace.runtime.status.StatusException;
import java.util.Arrays;
import java.util.List;

/**
 * A hash table from feature names to their indices, probed with a range of a byte array, so that
 * lookups copy nothing. Immutable.
 */
final class FeatureNameIndex {
  private final byte[][] names;
  private final int[] slots;

  /** An index of {@code names}; INVALID_ARGUMENT for a duplicate. */
  FeatureNameIndex(List<byte[]> names) {
    this.names = names.toArray(byte[][]::new);
    this.slots = new int[Integer.highestOneBit(Math.max(1, this.names.length)) * 4];
    for (int i = 0; i < this.names.length; i++) {
      byte[] name = this.names[i];
      int slot = slot(name, 0, name.length);
      if (slots[slot] != 0) {
        throw StatusException.invalidArgument(
            "the feature %s is asked for twice", ByteStrings.text(name));
      }
      slots[slot] = i + 1;
    }
  }

  byte[] name(int index) {
    return names[index];
  }

  /** The index of the name in {@code data} at {@code start}, of {@code size} bytes; -1 if none. */
  int find(byte[] data, int start, int size) {
    return slots[slot(data, start, size)] - 1;
  }

  /** The slot of that name, or the free slot for it. */
  private int slot(byte[] data, int start, int size) {
    int hash = size;
    for (int i = start; i < start + size; i++) {
      hash = hash * 31 + data[i];
    }
    int slot = (hash ^ hash >>> 16) & (slots.length - 1);
    while (slots[slot] != 0) {
      byte[] name = names[slots[slot] - 1];
      if (Arrays.equals(name, 0, name.length, data, start, start + size)) {
        return slot;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }
}
