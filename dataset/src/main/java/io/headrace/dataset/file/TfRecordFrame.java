package io.headrace.dataset.file;

import io.headrace.runtime.file.MaskedCrc32c;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bytes around a record in a TFRecord file: before it its length and the length's checksum,
 * behind it its own checksum. Reused for one record after the other; not thread-safe.
 */
public final class TfRecordFrame {
  private final ByteBuffer header = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
  private final ByteBuffer footer = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN);

  /** The bytes before {@code record}, until the next call. */
  public byte[] header(byte[] record) {
    header.putLong(0, record.length);
    header.putInt(8, MaskedCrc32c.of(header.array(), 0, 8));
    return header.array();
  }

  /** The bytes behind {@code record}, until the next call. */
  public byte[] footer(byte[] record) {
    footer.putInt(0, MaskedCrc32c.of(record, 0, record.length));
    return footer.array();
  }
}
