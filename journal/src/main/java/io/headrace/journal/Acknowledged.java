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
 * A small file that says which records there are and were acknowledged, so that the loss of the
 * newest ones can be told from a tail that nobody was promised.
 *
 * <p>It is written after each commit, in place, and not flushed: what it says was durable before it
 * was written, so it may be behind the truth (after a power failure, by what the system had not
 * written yet) but never ahead of it. Two slots, each in a sector of its own, are written in turn,
 * so a torn write leaves the other. Not thread-safe.
 */
final class Acknowledged implements AutoCloseable {
  private static final int SLOT_BYTES = 512;
  private static final int CONTENT_BYTES = 4 * Long.BYTES;

  private final FileChannel channel;
  private final UUID id;
  private int nextSlot;

  /**
   * What the file says.
   *
   * @param id the journal's
   * @param first the number of the first record
   * @param last the number of the last one; one less than {@code first} if there is none
   */
  record Range(UUID id, long first, long last) {}

  private Acknowledged(FileChannel channel, UUID id) {
    this.channel = channel;
    this.id = id;
  }

  /** Writes one for the new journal {@code id}, durably. */
  static void create(Path file, UUID id) throws IOException {
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        Acknowledged created = new Acknowledged(channel, id)) {
      created.set(1, 0);
      created.set(1, 0);
    }
  }

  /** The one of the journal {@code id}, to be written to. */
  static Acknowledged open(Path file, UUID id) throws IOException {
    return new Acknowledged(FileChannel.open(file, StandardOpenOption.WRITE), id);
  }

  /** What it says; empty if it is damaged. */
  static Optional<Range> read(Path file) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(2 * SLOT_BYTES);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (all.hasRemaining() && channel.read(all) >= 0) {
        // On to the next part.
      }
    }
    return Stream.of(slot(all.array(), 0), slot(all.array(), SLOT_BYTES))
        .flatMap(Optional::stream)
        .max(Comparator.comparingLong(Range::last));
  }

  /** Says that there are the records {@code first} to {@code last}, and that they are durable. */
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
