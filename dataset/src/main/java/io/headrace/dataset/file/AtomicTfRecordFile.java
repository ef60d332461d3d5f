package io.headrace.dataset.file;

import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.DataFiles;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes a TFRecord file (see {@link TfRecords}), which appears under its name, whole and on disk,
 * with {@link #commit}; closing the writer earlier leaves none. Failures are those of {@link
 * DataFiles}. Used by one thread.
 */
public final class AtomicTfRecordFile implements AutoCloseable {
  private final String name;
  private final AtomicFile file;
  private final OutputStream out;
  private final TfRecordFrame frame = new TfRecordFrame();

  private AtomicTfRecordFile(String name, AtomicFile file, OutputStream out) {
    this.name = name;
    this.file = file;
    this.out = out;
  }

  /** Begins the file {@code name}, whose directory must exist. */
  public static AtomicTfRecordFile create(String name, FileCompression compression) {
    AtomicFile file = AtomicFile.create(name);
    try {
      return new AtomicTfRecordFile(name, file, compression.compress(new AtomicFileStream(file)));
    } catch (IOException e) {
      file.close();
      throw DataFiles.failure(name, e);
    }
  }

  /** Adds a record. */
  public void write(byte[] record) {
    try {
      out.write(frame.header(record));
      out.write(record);
      out.write(frame.footer(record));
    } catch (IOException e) {
      throw DataFiles.failure(name, e);
    }
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
