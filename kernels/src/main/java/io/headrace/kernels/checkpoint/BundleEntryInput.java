package io.headrace.kernels.checkpoint;

import io.headrace.proto.tensorflow.BundleEntryProto;

/**
 * Reads the bytes of one index entry's tensor from a data file, sequentially. Used by one thread.
 */
final class BundleEntryInput {
  private static final int BUFFER_BYTES = 1 << 16;

  private final RandomAccessInput file;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private long at;
  private final long end;
  private int next;
  private int limit;

  /** The bytes of {@code entry}, which must lie within {@code file}. */
  BundleEntryInput(RandomAccessInput file, BundleEntryProto entry) {
    this.file = file;
    this.at = entry.getOffset();
    this.end = entry.getOffset() + entry.getSize();
  }

  RandomAccessInput file() {
    return file;
  }

  private long remaining() {
    return end - at + limit - next;
  }

  /** DATA_LOSS unless {@code bytes} bytes are left. */
  void require(long bytes) {
    if (bytes > remaining()) {
      throw file.dataLoss(
          "lengths longer than expected: %d bytes where %d are left", bytes, remaining());
    }
  }

  private void fill() {
    int count = (int) Math.min(BUFFER_BYTES, end - at);
    file.read(at, buffer, count);
    at += count;
    next = 0;
    limit = count;
  }

  /** Reads a varint length; DATA_LOSS if fewer bytes are left in the entry. */
  int length() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      require(1);
      if (next == limit) {
        fill();
      }
      byte b = buffer[next++];
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        break;
      }
    }
    if (value < 0 || value > Integer.MAX_VALUE - 8) {
      throw file.dataLoss("a length of %s bytes", Long.toUnsignedString(value));
    }
    require(value);
    return (int) value;
  }

  byte[] bytes(int count) {
    require(count);
    byte[] result = new byte[count];
    for (int done = 0; done < count; ) {
      if (next == limit) {
        fill();
      }
      int part = Math.min(count - done, limit - next);
      System.arraycopy(buffer, next, result, done, part);
      next += part;
      done += part;
    }
    return result;
  }
}
