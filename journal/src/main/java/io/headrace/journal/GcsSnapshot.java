package io.headrace.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The content of a snapshot object, its one item: two counts (4 bytes each), the log numbers of the
 * epochs (8 each), and the parts (32 each).
 *
 * @param epochs the log numbers of earlier epoch objects, which stay
 * @param parts the parts that hold the records, in order
 */
record GcsSnapshot(List<Long> epochs, List<Part> parts) {
  /** The snapshot of a journal without one. */
  static final GcsSnapshot NONE = new GcsSnapshot(List.of(), List.of());

  /**
   * A snapshot part.
   *
   * @param epoch its writer's epoch
   * @param number its number in the epoch
   * @param records its number of records
   * @param bytes the size of its records
   */
  record Part(long epoch, long number, long records, long bytes) {
    String name() {
      return GcsObjectNames.part(epoch, number);
    }
  }

  GcsSnapshot {
    epochs = List.copyOf(epochs);
    parts = List.copyOf(parts);
  }

  /** The number of records in all parts. */
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

  /** Parses the result of {@link #toBytes}. */
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
