package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.file.FileCompression;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A run of a snapshot while it is written: a folder with a folder for each shard, and in it a chunk
 * file. The files get their names when {@link #finish} has them on disk; closing the run earlier,
 * or after a failure to finish it, removes all of it. A process that is killed leaves folders and
 * temporary files, which no reader looks at. Thread-safe, so that a pass can be closed while it is
 * read.
 */
final class SnapshotRun implements AutoCloseable {
  private static final int MAX_SHARDS = 1024;

  private final String id = Long.toUnsignedString(ThreadLocalRandom.current().nextLong());
  private final String folder;
  private final FileCompression compression;
  private final Map<Long, ChunkFileWriter> shards = new HashMap<>();
  private boolean isOver;

  private SnapshotRun(String parent, FileCompression compression) {
    this.folder = SnapshotNames.run(parent, id);
    this.compression = compression;
  }

  /** Begins a run in the folder {@code parent}, which is created where it is missing. */
  static SnapshotRun create(String parent, FileCompression compression) {
    SnapshotRun run = new SnapshotRun(parent, compression);
    DataFiles.createFolders(run.folder);
    return run;
  }

  /** The name of the run's folder in its parent. */
  String id() {
    return id;
  }

  /** Adds {@code rows} to the shard {@code number}. CANCELLED once the run is closed. */
  synchronized void write(long number, Chunk rows) {
    if (isOver) {
      throw new StatusException(StatusCode.CANCELLED, "the pass was closed");
    }
    ChunkFileWriter shard = shards.get(number);
    if (shard == null) {
      shard = open(number);
      shards.put(number, shard);
    }
    shard.write(rows);
  }

  private ChunkFileWriter open(long number) {
    if (shards.size() == MAX_SHARDS) {
      throw StatusException.of(
          StatusCode.RESOURCE_EXHAUSTED,
          "shard_func returned more than %d different shards, whose files are all open; return"
              + " fewer",
          MAX_SHARDS);
    }
    String shard = SnapshotNames.shard(folder, number);
    DataFiles.createFolder(shard);
    return ChunkFileWriter.create(SnapshotNames.chunk(shard, 0), compression);
  }

  /**
   * Has all chunks on disk under their names, then lets {@code naming} make the run, which is now
   * whole, the one to read. CANCELLED once closed.
   */
  synchronized void finish(Runnable naming) {
    if (isOver) {
      throw new StatusException(StatusCode.CANCELLED, "the pass was closed");
    }
    shards.forEach((number, shard) -> {
      shard.commit();
      DataFiles.syncFolder(SnapshotNames.shard(folder, number));
    });
    DataFiles.syncFolder(folder);
    String parent = DataFiles.folderOf(folder);
    DataFiles.syncFolder(parent);
    DataFiles.syncFolder(DataFiles.folderOf(parent));
    naming.run();
    isOver = true;
    DataFiles.syncFolder(parent);
  }

  @Override
  public synchronized void close() {
    if (isOver) {
      return;
    }
    isOver = true;
    shards.forEach((number, shard) -> {
      shard.close();
      String name = SnapshotNames.shard(folder, number);
      DataFiles.delete(SnapshotNames.chunk(name, 0)); // committed, if another shard failed later
      DataFiles.delete(name);
    });
    DataFiles.delete(folder);
  }
}
