package io.headrace.dataset.execute.transform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.kernels.checkpoint.BundleMerger;
import io.headrace.kernels.checkpoint.BundleSequence;
import io.headrace.kernels.checkpoint.BundleWriter;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Passes rows through and writes them to the first shard of a cache, which becomes the cache at the
 * end. A lock file keeps other writers out (ALREADY_EXISTS), in any process; a process that is
 * killed leaves it, and then it is for the user to delete. A pass that is closed before its end
 * deletes what it wrote. A failure to write belongs to the first row that was not written, and ends
 * the pass.
 *
 * <p>{@link #close} waits for a write that another thread is in.
 */
final class FileCacheWriter extends UnaryIterator {
  private final FileCacheDataset dataset;
  private final int maxRows;
  private final String shard;
  private final String lockFile;
  private @Nullable BundleWriter writer;
  private long written;
  private boolean isDone;

  /** A pass over the rows of {@code input}, at most {@code maxRows}. */
  FileCacheWriter(FileCacheDataset dataset, ChunkIterator input, int maxRows) {
    super(input);
    this.dataset = dataset;
    this.maxRows = maxRows;
    this.shard = dataset.file() + "_0";
    this.lockFile = shard + ".lockfile";
  }

  @Override
  public @Nullable Chunk next(int most) {
    if (!begin()) {
      return null;
    }
    Chunk rows = input.next((int) Math.min(most, maxRows - written + 1));
    if (rows == null) {
      finish();
      return null;
    }
    write(rows);
    return rows;
  }

  /** Locks the cache before the first row; returns false behind the last. */
  private synchronized boolean begin() {
    if (isDone || writer != null) {
      return !isDone;
    }
    isDone = true; // if it cannot be locked
    if (BundleSequence.exists(shard)) {
      throw StatusException.of(
          StatusCode.ALREADY_EXISTS,
          "Existing cache files found: \n%s\nTo continue delete the above files.",
          BundleSequence.fileNames(shard, "\n"));
    }
    long seconds = dataset.clock().instant().getEpochSecond();
    if (!DataFiles.createNew(lockFile, ("Created at: " + seconds).getBytes(UTF_8))) {
      throw StatusException.of(
          StatusCode.ALREADY_EXISTS,
          "There appears to be a concurrent caching iterator running - cache lockfile already"
              + " exists ('%s'). If you are sure no other running TF computations are using this"
              + " cache prefix, delete the lockfile and re-initialize the iterator. Lockfile"
              + " contents: %s",
          lockFile,
          contentsOfLock());
    }
    try {
      writer = BundleWriter.open(shard);
    } catch (StatusException e) {
      DataFiles.delete(lockFile);
      throw e;
    }
    isDone = false;
    return true;
  }

  private String contentsOfLock() {
    try {
      return new String(DataFiles.read(lockFile), UTF_8);
    } catch (StatusException _) {
      return ""; // its owner has just finished
    }
  }

  private synchronized void write(Chunk rows) {
    BundleWriter open = open();
    try {
      for (int row = 0; row < rows.rows(); row++) {
        if (written == maxRows) {
          throw StatusException.invalidArgument(
              "Upstream iterator is producing more than %d items, which is more than the cache"
                  + " limit.",
              maxRows);
        }
        List<Tensor> components = rows.row(row);
        for (int component = 0; component < components.size(); component++) {
          open.add(dataset.key(written, component), components.get(component));
        }
        written++;
      }
    } catch (StatusException e) {
      discard();
      throw e.in(dataset.where());
    }
  }

  private synchronized void finish() {
    BundleWriter open = open();
    try {
      open.finish();
      DataFiles.syncFolder(DataFiles.folderOf(shard));
      BundleMerger.merge(List.of(shard), dataset.file(), false);
      BundleSequence.delete(shard); // the data file stays where there are no rows
      DataFiles.delete(lockFile);
      DataFiles.syncFolder(DataFiles.folderOf(shard));
      isDone = true;
    } catch (StatusException e) {
      if (!BundleSequence.exists(dataset.file())) {
        BundleSequence.delete(dataset.file()); // the merge may have moved the data there
      }
      discard();
      throw e.in(dataset.where());
    }
  }

  private BundleWriter open() {
    if (isDone || writer == null) {
      throw new StatusException(StatusCode.CANCELLED, "the pass was closed");
    }
    return writer;
  }

  /** Deletes what was written, and the lock last. */
  private void discard() {
    if (isDone || writer == null) {
      return;
    }
    isDone = true;
    writer.close();
    BundleSequence.delete(shard);
    DataFiles.delete(lockFile);
  }

  @Override
  public void close() {
    super.close();
    synchronized (this) {
      discard();
    }
  }
}
