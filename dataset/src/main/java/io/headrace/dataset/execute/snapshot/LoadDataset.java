package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.dataset.file.FileCompression;
import io.headrace.proto.data.experimental.SnapshotMetadataRecord;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/**
 * The elements that {@link SaveDataset} or {@link SaveDatasetOps} saved.
 *
 * @param path the folder that they were saved in
 * @param metadata its metadata when the dataset was made
 * @param reading reads the shards
 */
record LoadDataset(String path, SnapshotMetadataRecord metadata, ShardsReading reading)
    implements DatasetValue {
  static final Op OP =
      DatasetOp.define("LoadDataset(path: string, reader_func_other_args: [Treader_func_args])")
          .attrs(
              "output_types: list(type)",
              "output_shapes: list(shape)",
              "compression: string = ''",
              "reader_func: func",
              "Treader_func_args: list(type)")
          .touches(Touch.READS_FILES)
          .remark(
              "A run that its writer has not finished is refused (FAILED_PRECONDITION), and a"
                  + " dataset of other dtypes (INVALID_ARGUMENT).")
          .kernel(DatasetKernel.making(LoadDataset::of));

  private static LoadDataset of(OpArguments in) {
    String path = in.string("path");
    SnapshotMetadataRecord metadata =
        SnapshotMetadata.find(path)
            .orElseThrow(() ->
                new StatusException(
                    StatusCode.NOT_FOUND,
                    "Could not find metadata file [%s]".formatted(SnapshotMetadata.file(path))));
    if (!metadata.getFinalized()) {
      throw StatusException.of(
          StatusCode.FAILED_PRECONDITION,
          "the dataset in %s is not saved to its end: it is still being saved, or its writer was"
              + " stopped; save it again",
          path);
    }
    ChunkFilesDataset.checkVersion(metadata.getVersion());
    ShardsReading reading =
        new ShardsReading(
            in.function("reader_func", "reader_func_other_args"),
            FileCompression.ofAttr(in.attrs().string("compression"), FileCompression.NONE),
            in.spec());
    SnapshotMetadata.checkTypes(path, metadata, reading.spec().types());
    return new LoadDataset(path, metadata, reading);
  }

  @Override
  public List<DataType> outputTypes() {
    return reading.spec().types();
  }

  @Override
  public List<Shape> outputShapes() {
    return reading.spec().shapes();
  }

  /** The number of saved elements, whatever the reader function makes of them, as in TensorFlow. */
  @Override
  public long cardinality() {
    return metadata.getNumElements() < 0 || !metadata.getGraphHash().isEmpty()
        ? UNKNOWN
        : metadata.getNumElements();
  }

  /** None: TensorFlow refuses it, too. */
  @Override
  public List<SplitSource> splitSources() {
    throw noSplits("LoadDataset", "what save wrote is one run of files that is read as a whole");
  }

  /** The refusal to divide the elements on disk that {@code dataset} reads. */
  static StatusException noSplits(String dataset, String why) {
    return StatusException.unimplemented(
        "Cannot create split providers for dataset of type %s, because it has no inputs that could"
            + " be split: %s. Let each worker read all of it (PARALLEL_EPOCHS), divide its elements"
            + " (DATA), or save by distributedSave, whose chunks DYNAMIC divides",
        dataset, why);
  }

  @Override
  public boolean touchesResources() {
    return reading.function().touchesResources();
  }

  @Override
  public boolean changesResources() {
    return reading.function().changesResources();
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return reading.open(SnapshotNames.run(path, metadata.getRunId()), context);
  }
}
