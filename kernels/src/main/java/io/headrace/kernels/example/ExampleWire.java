package io.headrace.kernels.example;

import io.headrace.runtime.tensor.DataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the wire format of a tf.Example without generated code, accepting and refusing the same
 * input as TensorFlow's fast parser: unknown fields of the Example are skipped, a list's length may
 * exceed its message, and of a packed list only the first chunk counts.
 *
 * <p>{@link #readEntries} locates the features, {@link #select} moves to the value of one, {@link
 * #count} counts the elements of its list, and {@link #read} copies them. Not thread-safe.
 */
final class ExampleWire {
  private static final int DELIMITED_1 = 1 << 3 | 2;
  private static final int DELIMITED_2 = 2 << 3 | 2;
  private static final int DELIMITED_3 = 3 << 3 | 2;
  private static final int FIXED32_1 = 1 << 3 | 5;
  private static final int VARINT_1 = 1 << 3;
  private static final int FIXED32_BYTES = 4;
  private static final int ENTRY_INTS = 4;
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final byte[] data;
  private int at;
  private int limit;
  private boolean failed;

  /** For each entry: start and size of its name, start and size of its value. */
  private int[] entries = new int[ENTRY_INTS * 8];

  private int entryCount;

  ExampleWire(byte[] data) {
    this.data = data;
    this.limit = data.length;
  }

  /** Locates the features of the example; false if it is malformed. */
  boolean readEntries() {
    while (at < limit) {
      boolean read = expect(DELIMITED_1) ? readFeatures() : skipField();
      if (!read) {
        return false;
      }
    }
    return true;
  }

  int entryCount() {
    return entryCount;
  }

  int nameStart(int entry) {
    return entries[entry * ENTRY_INTS];
  }

  int nameSize(int entry) {
    return entries[entry * ENTRY_INTS + 1];
  }

  private boolean readFeatures() {
    int outer = pushLimit();
    while (!failed && at < limit) {
      if (!expect(DELIMITED_1) || !readEntry()) {
        return false;
      }
    }
    limit = outer;
    return !failed;
  }

  private boolean readEntry() {
    int outer = pushLimit();
    if (entries.length == entryCount * ENTRY_INTS) {
      entries = Arrays.copyOf(entries, entries.length * 2);
    }
    int slot = entryCount * ENTRY_INTS;
    Arrays.fill(entries, slot, slot + ENTRY_INTS, 0);
    // Key and value may come in either order.
    for (int field = 0; field < 2; field++) {
      int tag = readTag();
      if (failed || (tag != DELIMITED_1 && tag != DELIMITED_2)) {
        return false;
      }
      int size = readVarint32();
      if (failed || size < 0 || size > limit - at) {
        return false;
      }
      int part = slot + (tag == DELIMITED_1 ? 0 : 2);
      entries[part] = at;
      entries[part + 1] = size;
      at += size;
    }
    boolean ended = at == limit;
    limit = outer;
    entryCount++;
    return ended;
  }

  private boolean skipField() {
    return switch (readTag() & 7) {
      case 0 -> {
        readVarint32();
        yield !failed;
      }
      case 1 -> skipFixed(Long.BYTES);
      case 2 -> {
        int size = readVarint32();
        at = size < 0 ? at : (int) Math.min(limit, (long) at + size);
        yield !failed;
      }
      case 5 -> skipFixed(FIXED32_BYTES);
      default -> false;
    };
  }

  private boolean skipFixed(int bytes) {
    boolean there = bytes <= limit - at;
    at += there ? bytes : 0;
    return there;
  }

  /** Moves to the value of {@code entry}; false if it is neither empty nor of a known kind. */
  boolean select(int entry) {
    at = entries[entry * ENTRY_INTS + 2];
    limit = at + entries[entry * ENTRY_INTS + 3];
    failed = false;
    return at == limit || dtype() != null;
  }

  /** Moves to a Feature message: {@code size} bytes from {@code start} on. */
  void selectFeature(int start, int size) {
    at = start;
    limit = start + size;
    failed = false;
  }

  /** Whether the selected value has no list. */
  boolean isEmpty() {
    return at == limit;
  }

  /** The dtype of the selected value's list; null for an unknown kind. The value is not empty. */
  @Nullable DataType dtype() {
    return switch (data[at]) {
      case DELIMITED_1 -> DataType.STRING;
      case DELIMITED_2 -> DataType.FLOAT32;
      case DELIMITED_3 -> DataType.INT64;
      default -> null;
    };
  }

  /** Enters the list of the selected value, after its tag. */
  private void enterList() {
    at++;
    pushLimit();
  }

  /**
   * The number of elements of the selected list; -1 if it is malformed. The list stays selected.
   */
  int count(DataType dtype) {
    int from = at;
    int outer = limit;
    enterList();
    int count = failed ? -1 : countIn(dtype);
    at = from;
    limit = outer;
    failed = false;
    return count;
  }

  private int countIn(DataType dtype) {
    return switch (dtype) {
      case INT64 -> countLongs();
      case FLOAT32 -> countFloats();
      default -> countStrings();
    };
  }

  private int countLongs() {
    if (at == limit) {
      return 0;
    }
    int count = 0;
    if (expect(DELIMITED_1)) {
      pushLimit();
      while (!failed && at < limit) {
        readVarint64();
        count++;
      }
    } else {
      while (!failed && at < limit) {
        failed = !expect(VARINT_1);
        readVarint64();
        count++;
      }
    }
    return failed ? -1 : count;
  }

  private int countFloats() {
    if (at == limit) {
      return 0;
    }
    if (expect(DELIMITED_1)) {
      int size = readVarint32();
      boolean there = !failed && size >= 0 && size / FIXED32_BYTES * FIXED32_BYTES <= limit - at;
      return there ? size / FIXED32_BYTES : -1;
    }
    int count = 0;
    while (!failed && at < limit) {
      failed = !expect(FIXED32_1) || !skipFixed(FIXED32_BYTES);
      count++;
    }
    return failed ? -1 : count;
  }

  private int countStrings() {
    int count = 0;
    while (!failed && at < limit) {
      failed = !expect(DELIMITED_1);
      int size = readVarint32();
      failed |= size < 0 || !skipFixed(size);
      count++;
    }
    return failed ? -1 : count;
  }

  /** Copies the {@code count} elements that {@link #count} found to {@code out} at {@code from}. */
  void read(Object out, int from, int count) {
    enterList();
    switch (out) {
      case long[] longs -> readLongs(longs, from, count);
      case float[] floats -> readFloats(floats, from, count);
      case byte[][] strings -> readStrings(strings, from, count);
      default -> throw new AssertionError(out.getClass());
    }
  }

  private void readLongs(long[] out, int from, int count) {
    boolean packed = count > 0 && expect(DELIMITED_1);
    if (packed) {
      pushLimit();
    }
    for (int i = 0; i < count; i++) {
      at += packed ? 0 : 1;
      out[from + i] = readVarint64();
    }
  }

  private void readFloats(float[] out, int from, int count) {
    if (count > 0 && expect(DELIMITED_1)) {
      readVarint32();
      MemorySegment.copy(MemorySegment.ofArray(data), FLOAT, at, out, from, count);
      return;
    }
    MemorySegment bytes = MemorySegment.ofArray(data);
    for (int i = 0; i < count; i++) {
      out[from + i] = bytes.get(FLOAT, at + 1L);
      at += 1 + FIXED32_BYTES;
    }
  }

  private void readStrings(byte[][] out, int from, int count) {
    for (int i = 0; i < count; i++) {
      at++;
      int size = readVarint32();
      out[from + i] = Arrays.copyOfRange(data, at, at + size);
      at += size;
    }
  }

  private boolean expect(int tag) {
    boolean found = at < limit && data[at] == tag;
    at += found ? 1 : 0;
    return found;
  }

  /** Reads a length and lowers the limit to its end; returns the old limit. */
  private int pushLimit() {
    int size = readVarint32();
    int outer = limit;
    if (size >= 0 && size < limit - at) {
      limit = at + size;
    }
    return outer;
  }

  private int readTag() {
    int tag = at < limit ? readVarint32() : 0;
    failed |= tag == 0 && at > limit;
    return tag;
  }

  private int readVarint32() {
    return (int) readVarint64();
  }

  private long readVarint64() {
    long result = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      if (at >= limit) {
        failed = true;
        return 0;
      }
      byte b = data[at++];
      result |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return result;
      }
    }
    failed = true;
    return 0;
  }
}
