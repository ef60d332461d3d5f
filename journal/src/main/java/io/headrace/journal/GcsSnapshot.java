package io.headrace.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * What a snapshot object says, in its one item: two counts (4 bytes each), the numbers of the
 * epochs' objects (8 each), and the parts (32 each).
 *
 * @param epochs the numbers of the log objects before it that begin epochs, and stay
 * @param parts hold the records, in order
 */
record GcsSnapshot(List<Long> epochs, List<Part> parts) {
  /** Of a journal that has none yet. */
  static final GcsSnapshot NONE = new GcsSnapshot(List.of(), List.of());

  /**
   * An object with some of the records.
   *
   * @param epoch of its writer
   * @param number which of that writer's parts it is
   * @param records how many it has
   * @param bytes its size
   */
  record Part(long epoch, long number, long records, long bytes) {
    String name() {
      return GcsNames.part(epoch, number);
    }
  }

  GcsSnapshot {
    epochs = List.copyOf(epochs);
    parts = List.copyOf(parts);
  }

  /** How many records its parts have. */
  long records() {
    return parts.stream().mapToLong(Part::records).sum();
  }

  byte[] toBytes() {
    int size = 2 * Integer.BYTES + Long.BYTES * (epochs.size() + 4 * parts.size());
    ByteBuffer bytes = ByteBuffer.allocate(size).putInt(epochs.size()).putInt(parts.size());
    epochs.forEach(bytes::putLong);
    for (Part part : parts) {
      bytes.putLong(part.epoch).putLong(part.number).putLong(part.records).putLong(part.bytes);
    }
    return bytes.array();
  }

  /** Reads what {@link #toBytes} wrote. */
  static GcsSnapshot parse(byte[] item) {
    ByteBuffer bytes = ByteBuffer.wrap(item);
    int epochCount = bytes.getInt();
    int partCount = bytes.getInt();
    List<Long> epochs = new ArrayList<>(epochCount);
    for (int i = 0; i < epochCount; i++) {
      epochs.add(bytes.getLong());
    }
    List<Part> parts = new ArrayList<>(partCount);
    for (int i = 0; i < partCount; i++) {
      parts.add(new Part(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong()));
    }
    return new GcsSnapshot(epochs, parts);
  }
}
