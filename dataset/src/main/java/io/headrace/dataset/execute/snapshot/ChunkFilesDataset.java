package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.file.FileCompression;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;
import java.util.Optional;

/**
 * The rows of chunk files.
 *
 * @param path a chunk file, or the folder of a shard, whose chunks are numbered from 0 on
 * @param isShard whether it is a folder
 * @param compression the compression of the files
 * @param version the version of the snapshot
 * @param spec the types of the rows
 * @param skipped the rows of the first file that are skipped
 * @param name the name of its iterators
 */
record ChunkFilesDataset(
    String path,
    boolean isShard,
    FileCompression compression,
    long version,
    ElementSpec spec,
    long skipped,
    String name)
    implements DatasetValue {
  private static final String READER = "SnapshotDatasetReader";
  private static final String[] ELEMENTS = {
    "output_types: list(type)", "output_shapes: list(shape)", "compression: string = ''"
  };

  static final List<Op> OPS =
      List.of(
          DatasetOp.define("SnapshotChunkDataset(chunk_file: string)")
              .attrs(ELEMENTS)
              .touches(Touch.READS_FILES)
              .kernel(DatasetKernel.making(ChunkFilesDataset::chunk)),
          DatasetOp.define("SnapshotDatasetReader(shard_dir: string, start_index: int64)")
              .attrs(ELEMENTS)
              .attrs("version: int")
              .touches(Touch.READS_FILES)
              .kernel(DatasetKernel.making(ChunkFilesDataset::shard)));

  private static ChunkFilesDataset chunk(OpArguments in) {
    return new ChunkFilesDataset(
        in.string("chunk_file"),
        false,
        compression(in),
        SnapshotMetadata.VERSION,
        in.spec(),
        0,
        "SnapshotChunkDataset");
  }

  private static ChunkFilesDataset shard(OpArguments in) {
    return new ChunkFilesDataset(
        in.string("shard_dir"),
        true,
        compression(in),
        in.attrs().integer("version"),
        in.spec(),
        Math.max(0, in.integer("start_index")),
        READER);
  }

  private static FileCompression compression(OpArguments in) {
    return FileCompression.ofAttr(in.attrs().string("compression"), FileCompression.NONE);
  }

  /** The rows of the shard in the folder {@code path}. */
  static ChunkFilesDataset ofShard(String path, FileCompression compression, ElementSpec spec) {
    return new ChunkFilesDataset(
        path, true, compression, SnapshotMetadata.VERSION, spec, 0, READER);
  }

  /** UNIMPLEMENTED unless a saved dataset, or a second snapshot, is of the version of these. */
  static void checkVersion(long version) {
    if (version != SnapshotMetadata.VERSION) {
      throw StatusException.unimplemented(
          "a saved dataset of version %d cannot be read, only version %d; write it again with"
              + " Dataset.save or Dataset.snapshot of TensorFlow 2",
          version, SnapshotMetadata.VERSION);
    }
  }

  @Override
  public List<DataType> outputTypes() {
    return spec.types();
  }

  @Override
  public List<Shape> outputShapes() {
    return spec.shapes();
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public String iteratorName() {
    return name;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    if (!isShard) {
      context.files().opening(path);
    }
    return new ChunkFilesIterator(this::open, skipped);
  }

  private Optional<ChunkFile> open(long number) {
    if (!isShard && number > 0) {
      return Optional.empty();
    }
    String file = isShard ? SnapshotNames.chunk(path, number) : path;
    if (number > 0 && !DataFiles.exists(file)) {
      return Optional.empty();
    }
    return Optional.of(ChunkFile.open(file, compression, version, spec));
  }
}
