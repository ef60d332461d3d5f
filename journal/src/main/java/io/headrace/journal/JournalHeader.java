package io.headrace.journal;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The header of a journal in RocksDB, under a key of its own.
 *
 * @param format the format; only {@link #FORMAT} is read
 * @param id random, chosen at creation
 * @param epoch the number of times it was opened for writing
 * @param generation the current generation of records; others were replaced, or never completed
 * @param first the number of the first record
 */
record JournalHeader(int format, UUID id, long epoch, long generation, long first) {
  static final int FORMAT = 1;

  /** Sorts after every {@link RecordKey}. */
  private static final byte[] KEY = {(byte) 0xff, 'h'};

  private static final int BYTES = Integer.BYTES + 5 * Long.BYTES;

  /** The header of a new journal. */
  static JournalHeader create() {
    return new JournalHeader(FORMAT, UUID.randomUUID(), 0, 1, 1);
  }

  JournalHeader nextEpoch() {
    return new JournalHeader(format, id, epoch + 1, generation, first);
  }

  /** The header of a snapshot that begins with record {@code newFirst}. */
  JournalHeader nextGeneration(long newFirst) {
    return new JournalHeader(format, id, epoch, generation + 1, newFirst);
  }

  static byte[] key() {
    return KEY.clone();
  }

  byte[] toBytes() {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES + Integer.BYTES);
    bytes.putInt(format).putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    bytes.putLong(epoch).putLong(generation).putLong(first);
    return bytes.putInt(checksum(bytes.array())).array();
  }

  /**
   * Parses the result of {@link #toBytes}; of another format, only the format.
   *
   * @throws IllegalArgumentException if it is damaged
   */
  static JournalHeader parse(byte[] value) {
    ByteBuffer bytes = ByteBuffer.wrap(value);
    if (value.length >= Integer.BYTES && bytes.getInt(0) > FORMAT) {
      return new JournalHeader(bytes.getInt(0), new UUID(0, 0), 0, 0, 0);
    }
    if (value.length != BYTES + Integer.BYTES || bytes.getInt(BYTES) != checksum(value)) {
      throw new IllegalArgumentException("its header does not match its checksum");
    }
    return new JournalHeader(
        bytes.getInt(),
        new UUID(bytes.getLong(), bytes.getLong()),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong());
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, BYTES);
    return (int) crc.getValue();
  }
}
