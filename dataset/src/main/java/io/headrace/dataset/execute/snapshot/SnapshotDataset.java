package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.file.FileCompression;
import io.headrace.proto.data.experimental.SnapshotMetadataRecord;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * The input, until a pass has been read to its end; passes after that read what it wrote. Whether
 * one is there is decided when the first element is asked for.
 *
 * @param hash the hash of the input's graph, which names the snapshot's folder
 * @param readFrom the folder that is looked at
 * @param writeTo the folder that is written
 * @param shard finds the shard of an element
 * @param reading reads the shards
 * @param clock dates the metadata
 */
record SnapshotDataset(
    DatasetValue input,
    long hash,
    String readFrom,
    String writeTo,
    CapturedFunction shard,
    ShardsReading reading,
    InstantSource clock)
    implements UnaryDataset {
  static Op op(InstantSource clock) {
    return DatasetOp.typed(
            "SnapshotDatasetV2(input_dataset: variant, path: string,"
                + " reader_func_other_args: [Treader_func_args],"
                + " shard_func_other_args: [Tshard_func_args])",
            "compression: string = ''",
            "reader_prefix: string = ''",
            "writer_prefix: string = ''",
            "hash_valid: bool = false",
            "hash: int = 0",
            "reader_func: func",
            "shard_func: func",
            "Treader_func_args: list(type)",
            "Tshard_func_args: list(type)")
        .touches(Touch.PASSES_WRITE_FILES, Touch.READS_FILES)
        .remark(
            "The node must carry the hash of its input (hash_valid), as graphs of datasets that"
                + " stock clients and the Java API send do; otherwise UNIMPLEMENTED.")
        .kernel(DatasetKernel.making(in -> of(in, clock)));
  }

  private static SnapshotDataset of(OpArguments in, InstantSource clock) {
    if (!in.attrs().bool("hash_valid")) {
      throw StatusException.unimplemented(
              "the graph does not carry the hash of the snapshot's input; send the dataset to a"
                  + " data service, whose clients add it, or save and load the dataset")
          .in(in.where());
    }
    long hash = in.attrs().integer("hash");
    String path = in.string("path");
    return new SnapshotDataset(
        in.dataset("input_dataset"),
        hash,
        SnapshotNames.hashFolder(
            SnapshotNames.join(in.attrs().string("reader_prefix"), path), hash),
        SnapshotNames.hashFolder(
            SnapshotNames.join(in.attrs().string("writer_prefix"), path), hash),
        in.function("shard_func", "shard_func_other_args"),
        new ShardsReading(
            in.function("reader_func", "reader_func_other_args"),
            FileCompression.ofAttr(in.attrs().string("compression"), FileCompression.SNAPPY),
            in.spec()),
        clock);
  }

  @Override
  public List<SplitSource> splitSources() {
    throw StatusException.unimplemented("Splitting is not implemented for snapshot datasets.");
  }

  @Override
  public boolean touchesResources() {
    return input.touchesResources()
        || shard.touchesResources()
        || reading.function().touchesResources();
  }

  @Override
  public boolean changesResources() {
    return input.changesResources()
        || shard.changesResources()
        || reading.function().changesResources();
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "SnapshotDatasetV2", "a later pass has the elements of the snapshot, not of the input");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new LateIterator(() -> open(context));
  }

  private ChunkIterator open(IteratorContext context) {
    Optional<SnapshotMetadataRecord> found =
        SnapshotMetadata.find(readFrom).filter(SnapshotMetadataRecord::getFinalized);
    if (found.isPresent()) {
      ChunkFilesDataset.checkVersion(found.get().getVersion());
      SnapshotMetadata.checkTypes(readFrom, found.get(), outputTypes());
      return reading.open(SnapshotNames.run(readFrom, found.get().getRunId()), context);
    }
    boolean rowByRow = shard.touchesResources() && input.touchesResources() && changesResources();
    Sharding sharding = Sharding.by(shard.open(context), context.ticker(), rowByRow);
    return SnapshotWriter.open(
        () -> context.open(input),
        SnapshotRun.create(writeTo, reading.compression()),
        sharding,
        (run, _) ->
            SnapshotMetadata.write(
                writeTo,
                SnapshotMetadata.of(run.id(), outputTypes(), clock.instant())
                    .setGraphHash(Long.toUnsignedString(hash))
                    .build()));
  }
}
