package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.file.AtomicTfRecordFile;
import io.headrace.dataset.file.FileCompression;
import io.headrace.runtime.tensor.Chunk;

/**
 * Writes a chunk file of a snapshot, as {@link ChunkFile} reads it. The file appears under its
 * name, whole and on disk, with {@link #commit}; closing the writer earlier leaves none. Used by
 * one thread.
 */
public final class ChunkFileWriter implements AutoCloseable {
  private final AtomicTfRecordFile file;
  private long elements;
  private long bytes;

  private ChunkFileWriter(AtomicTfRecordFile file) {
    this.file = file;
  }

  /** Begins {@code file}, whose directory must exist. */
  public static ChunkFileWriter create(String file, FileCompression compression) {
    return new ChunkFileWriter(AtomicTfRecordFile.create(file, compression));
  }

  /** Adds {@code rows}. */
  public void write(Chunk rows) {
    for (int row = 0; row < rows.rows(); row++) {
      for (byte[] record : RowFormat.TENSORS.write(rows.row(row))) {
        file.write(record);
        bytes += record.length;
      }
      elements++;
    }
  }

  /** The number of rows so far. */
  public long elements() {
    return elements;
  }

  /** The bytes of the records so far, uncompressed. */
  public long bytes() {
    return bytes;
  }

  /** Syncs the file to disk and gives it its name. */
  public void commit() {
    file.commit();
  }

  @Override
  public void close() {
    file.close();
  }
}
