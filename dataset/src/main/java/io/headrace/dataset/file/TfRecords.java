package io.headrace.dataset.file;

import io.headrace.runtime.file.MaskedCrc32c;
import io.headrace.runtime.status.StatusException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads the TFRecord format: the record's length in 8 bytes, the length's checksum in 4, the data,
 * and the data's checksum in 4; little-endian, with masked CRC32C checksums.
 */
public final class TfRecords implements RecordReader {
  private static final int HEADER_BYTES = 12;
  private static final int FOOTER_BYTES = 4;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final FileBytes bytes;

  private TfRecords(FileBytes bytes) {
    this.bytes = bytes;
  }

  /** Opens a file at byte {@code offset}. */
  public static RecordReader open(String file, FileCompression compression, long offset) {
    FileBytes bytes = FileBytes.open(file, compression);
    try {
      bytes.skip(offset);
      return new TfRecords(bytes);
    } catch (RuntimeException e) {
      bytes.close();
      throw e;
    }
  }

  @Override
  public int read(byte[][] records, int from, int count) {
    int done = 0;
    while (done < count && (done == 0 || hasWholeRecord())) {
      int start = bytes.position();
      byte[] record;
      try {
        record = next();
      } catch (StatusException e) {
        if (done == 0) {
          throw e;
        }
        // The records before it are returned first; it stays in the block and is read again.
        bytes.advance(start - bytes.position());
        return done;
      }
      if (record == null) {
        break;
      }
      records[from + done++] = record;
    }
    return done;
  }

  private boolean hasWholeRecord() {
    return bytes.buffered() >= HEADER_BYTES
        && length() >= 0
        && bytes.buffered() - HEADER_BYTES - FOOTER_BYTES >= length();
  }

  private long length() {
    return (long) LONG.get(bytes.block(), bytes.position());
  }

  private byte @Nullable [] next() {
    int had = bytes.require(HEADER_BYTES);
    if (had == 0) {
      return null;
    }
    if (had < HEADER_BYTES) {
      throw bytes.dataLoss("truncated record: " + had + " bytes where its header should be");
    }
    long length = length();
    if (MaskedCrc32c.of(bytes.block(), bytes.position(), 8)
        != (int) INT.get(bytes.block(), bytes.position() + 8)) {
      throw bytes.dataLoss("corrupted record: the checksum of its length is wrong");
    }
    return body(length);
  }

  private byte[] body(long length) {
    if (length < 0) {
      throw bytes.dataLoss("corrupted record of " + Long.toUnsignedString(length) + " bytes");
    }
    long start = bytes.offset();
    bytes.advance(HEADER_BYTES);
    byte[] record = bytes.take(length);
    int footer = bytes.require(FOOTER_BYTES);
    if (record.length < length || footer < FOOTER_BYTES) {
      throw bytes.dataLoss(
          "truncated record of %d bytes that begins at %d".formatted(length, start));
    }
    int expected = (int) INT.get(bytes.block(), bytes.position());
    if (MaskedCrc32c.of(record, 0, record.length) != expected) {
      throw bytes.dataLoss("corrupted record that begins at " + start + ": its checksum is wrong");
    }
    bytes.advance(FOOTER_BYTES);
    return record;
  }

  @Override
  public void close() {
    bytes.close();
  }
}
