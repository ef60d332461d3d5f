package io.headrace.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * The file {@code acknowledged}: the range of records acknowledged so far. It distinguishes the
 * loss of the newest records from a torn tail that was never acknowledged.
 *
 * <p>The file is written in place after each commit, and not flushed. The records were durable
 * before, so the file may lag behind the journal (after a power failure, by the system's unwritten
 * pages) but is never ahead. Writes alternate between two slots in separate sectors, so a torn
 * write leaves the other slot intact. Not thread-safe.
 */
final class AcknowledgedFile implements AutoCloseable {
  private static final int SLOT_BYTES = 512;
  private static final int CONTENT_BYTES = 4 * Long.BYTES;

  private final FileChannel channel;
  private final UUID id;
  private int nextSlot;

  /**
   * The content of the file.
   *
   * @param id the journal's id
   * @param first the number of the first record
   * @param last the number of the last record; one less than {@code first} if there is none
   */
  record Range(UUID id, long first, long last) {}

  private AcknowledgedFile(FileChannel channel, UUID id) {
    this.channel = channel;
    this.id = id;
  }

  /** Creates the file of the new journal {@code id}, durably. */
  static void create(Path file, UUID id) throws IOException {
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        AcknowledgedFile created = new AcknowledgedFile(channel, id)) {
      created.set(1, 0);
      created.set(1, 0);
    }
  }

  /** Opens the file of the journal {@code id} for writing. */
  static AcknowledgedFile open(Path file, UUID id) throws IOException {
    return new AcknowledgedFile(FileChannel.open(file, StandardOpenOption.WRITE), id);
  }

  /** The file's content; empty if both slots are damaged. */
  static Optional<Range> read(Path file) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(2 * SLOT_BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (all.hasRemaining() && channel.read(all) >= 0) {
        // A read may be partial.
      }
    }
    return Stream.of(slot(all.array(), 0), slot(all.array(), SLOT_BYTES))
        .flatMap(Optional::stream)
        .max(Comparator.comparingLong(Range::last));
  }

  /** Writes the range {@code first} to {@code last}, whose records must be durable. */
  void set(long first, long last) throws IOException {
    ByteBuffer slot = ByteBuffer.allocate(SLOT_BYTES);
    slot.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
    slot.putLong(first).putLong(last).putInt(checksum(slot.array(), 0)).rewind();
    for (long at = (long) nextSlot * SLOT_BYTES; slot.hasRemaining(); ) {
      at += channel.write(slot, at);
    }
    nextSlot = 1 - nextSlot;
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      channel.force(true);
    }
  }

  private static Optional<Range> slot(byte[] all, int at) {
    ByteBuffer slot = ByteBuffer.wrap(all).position(at);
    Range range =
        new Range(new UUID(slot.getLong(), slot.getLong()), slot.getLong(), slot.getLong());
    return slot.getInt() == checksum(all, at) ? Optional.of(range) : Optional.empty();
  }

  private static int checksum(byte[] bytes, int at) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, at, CONTENT_BYTES);
    return (int) crc.getValue();
  }
}
