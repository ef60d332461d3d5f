package io.headrace.dataset.file;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads the records of TensorFlow's first snapshots: before each its length, in 8 bytes, the least
 * significant first. There are no checksums.
 */
public final class LengthPrefixedRecords implements RecordReader {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final FileBytes bytes;

  private LengthPrefixedRecords(FileBytes bytes) {
    this.bytes = bytes;
  }

  /** Opens {@code file}; NOT_FOUND, naming it, if it does not exist. */
  public static RecordReader open(String file, FileCompression compression) {
    return new LengthPrefixedRecords(FileBytes.open(file, compression));
  }

  @Override
  public int read(byte[][] records, int from, int count) {
    int done = 0;
    while (done < count && (done == 0 || hasWholeRecord())) {
      int had = bytes.require(Long.BYTES);
      if (had == 0) {
        break;
      }
      if (had < Long.BYTES) {
        throw bytes.dataLoss("truncated record: " + had + " bytes where its length should be");
      }
      records[from + done++] = next(length());
    }
    return done;
  }

  private boolean hasWholeRecord() {
    return bytes.buffered() >= Long.BYTES
        && length() >= 0
        && bytes.buffered() - Long.BYTES >= length();
  }

  private long length() {
    return (long) LONG.get(bytes.block(), bytes.position());
  }

  private byte[] next(long length) {
    if (length < 0) {
      throw bytes.dataLoss("corrupted record of " + Long.toUnsignedString(length) + " bytes");
    }
    long start = bytes.offset();
    bytes.advance(Long.BYTES);
    byte[] record = bytes.take(length);
    if (record.length < length) {
      throw bytes.dataLoss(
          "truncated record of %d bytes that begins at %d".formatted(length, start));
    }
    return record;
  }

  @Override
  public void close() {
    bytes.close();
  }
}
