package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.file.LengthPrefixedFile;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The files of a snapshot of TensorFlow 1 while it is written: rows go to several files in turn,
 * and a file that has reached its size is followed by another. They get their names when they are
 * finished; closing the run earlier removes those that have one. All runs of a snapshot have the
 * same folder: one that has been followed by another touches it no more. Thread-safe, so that a
 * pass can be closed while it is read.
 */
final class LegacySnapshotRun implements AutoCloseable {
  /** The most files that are written at a time. */
  static final int MAX_FILES = 1024;

  private final String folder;
  private final LegacySnapshotDataset.How how;
  private final RowFormat format;
  private final BooleanSupplier isCurrent;
  private final List<LengthPrefixedFile> open = new ArrayList<>();
  private int files;
  private long rows;
  private boolean isOver;

  private LegacySnapshotRun(
      String folder, LegacySnapshotDataset.How how, BooleanSupplier isCurrent) {
    this.folder = folder;
    this.how = how;
    this.isCurrent = isCurrent;
    this.format = RowFormat.of(RowFormat.FIRST_VERSION, how.compression());
  }

  /**
   * Begins a run in {@code folder}, which is created where it is missing; what is in it, an earlier
   * run, is deleted.
   *
   * @param isCurrent whether the snapshot's metadata is still that of this run
   */
  static LegacySnapshotRun create(
      String folder, LegacySnapshotDataset.How how, BooleanSupplier isCurrent) {
    DataFiles.createFolders(folder);
    for (String name : DataFiles.names(folder)) {
      DataFiles.delete(SnapshotNames.join(folder, name));
    }
    LegacySnapshotRun run = new LegacySnapshotRun(folder, how, isCurrent);
    try {
      for (int i = 0; i < how.files(); i++) {
        run.open.add(run.next());
      }
      return run;
    } catch (RuntimeException e) {
      run.close();
      throw e;
    }
  }

  private LengthPrefixedFile next() {
    // Snappy is applied to each row, and not to the file.
    return LengthPrefixedFile.create(
        SnapshotNames.chunk(folder, files++), format.fileCompression(how.compression()));
  }

  /** Adds {@code chunk}. CANCELLED once the run is closed. */
  synchronized void write(Chunk chunk) {
    if (isOver) {
      throw new StatusException(StatusCode.CANCELLED, "the pass was closed");
    }
    for (int row = 0; row < chunk.rows(); row++) {
      int turn = (int) (rows++ % open.size());
      List<byte[]> records = format.write(chunk.row(row));
      LengthPrefixedFile file = open.get(turn);
      if (file.bytes() > 0 && file.bytes() >= how.fileBytes()) {
        commit(file);
        file = next();
        open.set(turn, file);
      }
      records.forEach(file::write);
    }
  }

  private void commit(LengthPrefixedFile file) {
    if (isCurrent.getAsBoolean()) {
      file.commit();
    } else {
      file.close();
    }
  }

  /**
   * Has all files on disk under their names, then lets {@code naming} make the run, which is now
   * whole, the one to read; unless another run has followed. CANCELLED once closed.
   */
  synchronized void finish(Runnable naming) {
    if (isOver) {
      throw new StatusException(StatusCode.CANCELLED, "the pass was closed");
    }
    if (isCurrent.getAsBoolean()) {
      open.forEach(LengthPrefixedFile::commit);
      DataFiles.syncFolder(folder);
      DataFiles.syncFolder(DataFiles.folderOf(folder));
      naming.run();
    } else {
      open.forEach(LengthPrefixedFile::close);
    }
    isOver = true;
  }

  @Override
  public synchronized void close() {
    if (isOver) {
      return;
    }
    isOver = true;
    open.forEach(LengthPrefixedFile::close);
    if (!isCurrent.getAsBoolean()) {
      return;
    }
    for (int i = 0; i < files; i++) {
      DataFiles.delete(SnapshotNames.chunk(folder, i)); // those that were committed
    }
    DataFiles.delete(folder);
  }
}
