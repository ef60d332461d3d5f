package io.headrace.dataset.file;

import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.DataFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes a file that {@link LengthPrefixedRecords} reads. It appears under its name, whole and on
 * disk, with {@link #commit}; closing the writer earlier leaves none. Failures are those of {@link
 * DataFiles}. Used by one thread.
 */
public final class LengthPrefixedFile implements AutoCloseable {
  private final String name;
  private final AtomicFile file;
  private final AtomicFileStream written;
  private final OutputStream out;

  private LengthPrefixedFile(
      String name, AtomicFile file, AtomicFileStream written, OutputStream out) {
    this.name = name;
    this.file = file;
    this.written = written;
    this.out = out;
  }

  /** Begins the file {@code name}, whose directory must exist. */
  public static LengthPrefixedFile create(String name, FileCompression compression) {
    AtomicFile file = AtomicFile.create(name);
    AtomicFileStream written = new AtomicFileStream(file);
    try {
      return new LengthPrefixedFile(name, file, written, compression.compress(written));
    } catch (IOException e) {
      file.close();
      throw DataFiles.failure(name, e);
    }
  }

  /** Adds a record. */
  public void write(byte[] record) {
    byte[] length =
        ByteBuffer.allocate(Long.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(record.length)
            .array();
    try {
      out.write(length);
      out.write(record);
    } catch (IOException e) {
      throw DataFiles.failure(name, e);
    }
  }

  /** The bytes that the file has by now, without those that a compressor still holds. */
  public long bytes() {
    return written.written();
  }

  /** Syncs the file to disk and gives it its name. */
  public void commit() {
    try {
      out.close();
    } catch (IOException e) {
      throw DataFiles.failure(name, e);
    }
    file.commit();
  }

  @Override
  public void close() {
    file.close();
  }
}
