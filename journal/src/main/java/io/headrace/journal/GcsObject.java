package io.headrace.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * An object of a journal in a bucket.
 *
 * <p>Format, all numbers big-endian: "headrace", format (4 bytes), kind (4), journal (16), writer
 * (16), epoch, number, previous, base, first (8 each), the number of items (4), each item's length
 * (4) and bytes, and a CRC32C of all preceding bytes (4).
 *
 * @param kind the object's kind
 * @param journal the journal's id, random
 * @param writer the id of the writing process, random
 * @param epoch the writer's epoch
 * @param number the log number; of a part, its number in the epoch
 * @param previous the log number of its predecessor: numbers between are abandoned attempts and
 *     don't count
 * @param base the log number of the snapshot it builds on, a snapshot's own number; 0 if there is
 *     none, {@link #UNKNOWN} for an epoch, whose writer had not read the log yet
 * @param first the number of its first record
 * @param items the records, or the content of other kinds
 */
record GcsObject(
    Kind kind,
    UUID journal,
    UUID writer,
    long epoch,
    long number,
    long previous,
    long base,
    long first,
    List<byte[]> items) {

  static final int FORMAT = 1;

  /** The {@code base} of an epoch object, which is that of its predecessor. */
  static final long UNKNOWN = -1;

  private static final long MAGIC = 0x68_65_61_64_72_61_63_65L; // "headrace"
  private static final int HEADER_BYTES = Long.BYTES + 3 * Integer.BYTES + 9 * Long.BYTES;

  /** The kinds of objects. */
  enum Kind {
    /** Marks the path as a journal's. */
    HEADER(0),
    /** Begins an epoch; its item names the writing process. Never deleted. */
    EPOCH(1),
    /** A batch of records. */
    BATCH(2),
    /** Replaces all earlier log objects by parts; see {@link GcsSnapshot}. */
    SNAPSHOT(3),
    /** Records of a snapshot. */
    PART(4),
    /**
     * The hint of the acknowledged end: the numbers of the last log object and of the last record.
     */
    ACKNOWLEDGED(5);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Optional<Kind> ofCode(int code) {
      return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
    }
  }

  /** An object of a newer format, of which only the format is known. */
  static final class NewerFormat extends RuntimeException {
    private static final long serialVersionUID = 1;

    NewerFormat(int format) {
      super(
          "is of journal format " + format + ", and this version reads format " + FORMAT + " only");
    }
  }

  byte[] toBytes() {
    int size = HEADER_BYTES + Integer.BYTES;
    for (byte[] item : items) {
      size = Math.addExact(size, Integer.BYTES + item.length);
    }
    ByteBuffer bytes = ByteBuffer.allocate(size);
    bytes.putLong(MAGIC).putInt(FORMAT).putInt(kind.code);
    put(bytes, journal);
    put(bytes, writer);
    bytes.putLong(epoch).putLong(number).putLong(previous).putLong(base).putLong(first);
    bytes.putInt(items.size());
    items.forEach(item -> bytes.putInt(item.length).put(item));
    return bytes.putInt(checksum(bytes.array())).array();
  }

  /**
   * Parses the result of {@link #toBytes}; empty if it is damaged or foreign.
   *
   * @throws NewerFormat if it is of another format
   */
  static Optional<GcsObject> parse(byte[] content) {
    ByteBuffer bytes = ByteBuffer.wrap(content);
    if (content.length < HEADER_BYTES + Integer.BYTES || bytes.getLong() != MAGIC) {
      return Optional.empty();
    }
    int format = bytes.getInt();
    if (bytes.getInt(content.length - Integer.BYTES) != checksum(content)) {
      return Optional.empty();
    }
    if (format != FORMAT) {
      throw new NewerFormat(format);
    }
    return Kind.ofCode(bytes.getInt()).map(kind -> of(kind, bytes));
  }

  private static GcsObject of(Kind kind, ByteBuffer bytes) {
    return new GcsObject(
        kind,
        uuid(bytes),
        uuid(bytes),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        bytes.getLong(),
        items(bytes));
  }

  /**
   * The number of the first record according to a damaged object, likely correct; 0 if it is too
   * short.
   */
  static long firstOf(byte[] content) {
    int at = HEADER_BYTES - Integer.BYTES - Long.BYTES;
    return content.length < HEADER_BYTES ? 0 : ByteBuffer.wrap(content).getLong(at);
  }

  private static List<byte[]> items(ByteBuffer bytes) {
    int count = bytes.getInt();
    List<byte[]> items = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] item = new byte[bytes.getInt()];
      bytes.get(item);
      items.add(item);
    }
    return items;
  }

  private static void put(ByteBuffer bytes, UUID id) {
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
  }

  private static UUID uuid(ByteBuffer bytes) {
    return new UUID(bytes.getLong(), bytes.getLong());
  }

  /** The CRC32C of all bytes but the last four. */
  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - Integer.BYTES);
    return (int) crc.getValue();
  }
}
