package io.headrace.gcs;

import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.DataFiles;
import java.io.IOException;

/**
 * An object, which appears when it is committed; an upload that is given up is discarded by the
 * service after a week. Used by one thread.
 */
final class GcsAtomicFile implements AtomicFile {
  private final String file;
  private final GcsOutput out;

  GcsAtomicFile(String file, GcsOutput out) {
    this.file = file;
    this.out = out;
  }

  @Override
  public void write(byte[] bytes, int from, int count) {
    try {
      out.write(bytes, from, count);
    } catch (IOException e) {
      throw DataFiles.failure(file, e);
    }
  }

  @Override
  public void commit() {
    try {
      out.close();
    } catch (IOException e) {
      throw DataFiles.failure(file, e);
    }
  }

  @Override
  public void close() {
    // Without a commit, the upload is never completed, and there is no object.
  }
}
