package io.headrace.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The RocksDB key of a record: generation (8 bytes), number (8) and a CRC32C of number and record
 * (4), all big-endian, so keys sort in log order.
 *
 * <p>The checksum is part of the key, so the value is the record itself, without a copy. A
 * compaction begins a new generation; see {@link RocksDbStore}.
 */
final class RecordKey {
  private static final int PREFIX_BYTES = 2 * Long.BYTES;
  private static final int BYTES = PREFIX_BYTES + Integer.BYTES;

  private RecordKey() {}

  static byte[] of(long generation, long number, byte[] record) {
    return ByteBuffer.allocate(BYTES)
        .putLong(generation)
        .putLong(number)
        .putInt(checksum(number, record))
        .array();
  }

  /** A prefix that sorts before all records of {@code generation} from {@code number} on. */
  static byte[] from(long generation, long number) {
    return ByteBuffer.allocate(PREFIX_BYTES).putLong(generation).putLong(number).array();
  }

  static boolean isOf(long generation, byte[] key) {
    return key.length == BYTES && ByteBuffer.wrap(key).getLong() == generation;
  }

  static long number(byte[] key) {
    return ByteBuffer.wrap(key).getLong(Long.BYTES);
  }

  static boolean matches(byte[] key, byte[] record) {
    return ByteBuffer.wrap(key).getInt(PREFIX_BYTES) == checksum(number(key), record);
  }

  private static int checksum(long number, byte[] record) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
    crc.update(record);
    return (int) crc.getValue();
  }
}
