package io.headrace.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * One object of a journal in a bucket.
 *
 * <p>Its bytes, all numbers big-endian: "headrace", format (4 bytes), kind (4), journal (16),
 * writer (16), epoch, number, previous, base, first (8 each), the number of items (4), each item's
 * length (4) and bytes, and a CRC32C of all that (4).
 *
 * @param kind what it is
 * @param journal the journal's id, made at random when it was created
 * @param writer made at random at each start
 * @param epoch of the writer
 * @param number in the log; of a part, in its epoch
 * @param previous the number of the log object that it follows: those between were given up by
 *     their writer, and do not count
 * @param base the number of the snapshot that it builds on, its own if it is one; 0 if there is
 *     none, {@link #UNKNOWN} for an epoch's, whose writer had not read the log yet
 * @param first the number of its first record
 * @param items the records, or what the kind says
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

  /** A {@code base} that is the one of the object before. */
  static final long UNKNOWN = -1;

  private static final long MAGIC = 0x68_65_61_64_72_61_63_65L; // "headrace"
  private static final int HEADER_BYTES = Long.BYTES + 3 * Integer.BYTES + 9 * Long.BYTES;

  /** What an object is. */
  enum Kind {
    /** Says that the journal is here. */
    HEADER(0),
    /** Begins an epoch; its item says who the writer is. Never deleted. */
    EPOCH(1),
    /** Records. */
    BATCH(2),
    /** Says which parts take the place of all log objects before; see {@link GcsSnapshot}. */
    SNAPSHOT(3),
    /** Records of a snapshot. */
    PART(4),
    /** Its number and first are those of the last log object and record that were acknowledged. */
    ACKNOWLEDGED(5);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Optional<Kind> ofCode(int code) {
      return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
    }
  }

  /** An object of a later format, of which nothing else is known. */
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
   * Reads what {@link #toBytes} wrote; empty if it is damaged or foreign.
   *
   * @throws NewerFormat if a later version wrote it
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

  /** What a damaged object says of its first record, which is likely true; 0 if it is too short. */
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

  /** Of all bytes but the last four. */
  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length - Integer.BYTES);
    return (int) crc.getValue();
  }
}
