package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.file.FileCompression;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The input; a pass that is read to its end saves it in a folder, in place of what was saved there.
 *
 * @param path the folder
 * @param compression the compression of the files
 * @param shard finds the shard of an element; empty for one shard
 * @param clock dates the metadata
 */
record SaveDataset(
    DatasetValue input,
    String path,
    FileCompression compression,
    Optional<CapturedFunction> shard,
    InstantSource clock)
    implements UnaryDataset {
  static final String[] ATTRS = {
    "compression: string = ''",
    "shard_func: func",
    "use_shard_func: bool = true",
    "Tshard_func_args: list(type)"
  };

  static Op op(InstantSource clock) {
    return DatasetOp.define(
            "SaveDatasetV2(input_dataset: variant, path: string,"
                + " shard_func_other_args: [Tshard_func_args])")
        .attrs(ATTRS)
        .attrs("output_types: list(type)", "output_shapes: list(shape)")
        .touches(Touch.PASSES_WRITE_FILES)
        .kernel(DatasetKernel.making(in -> of(in, clock)));
  }

  static SaveDataset of(OpArguments in, InstantSource clock) {
    return new SaveDataset(
        in.dataset("input_dataset"),
        in.string("path"),
        FileCompression.ofAttr(in.attrs().string("compression"), FileCompression.NONE),
        in.attrs().bool("use_shard_func")
            ? Optional.of(in.function("shard_func", "shard_func_other_args"))
            : Optional.empty(),
        clock);
  }

  @Override
  public boolean touchesResources() {
    return input.touchesResources() || shard.filter(CapturedFunction::touchesResources).isPresent();
  }

  @Override
  public boolean changesResources() {
    return input.changesResources() || shard.filter(CapturedFunction::changesResources).isPresent();
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "SaveDatasetV2", "a pass over some of the splits would save these alone as the dataset");
  }

  @Override
  public String iteratorName() {
    return "SaveV2";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    // TensorFlow's number: it counts up from 0 before the first element, modulo its CPUs.
    return write(context, 1 % context.parallelism());
  }

  /** Starts a pass that saves; {@code only} is the shard of all elements without a function. */
  SnapshotWriter write(IteratorContext context, long only) {
    Sharding sharding =
        shard
            .map(function ->
                Sharding.by(function.open(context), context.ticker(), isRowByRow(function)))
            .orElseGet(() -> Sharding.toOne(only));
    return SnapshotWriter.open(
        () -> context.open(input),
        SnapshotRun.create(path, compression),
        sharding,
        (run, elements) ->
            SnapshotMetadata.write(
                path,
                SnapshotMetadata.of(run.id(), outputTypes(), clock.instant())
                    .setNumElements(elements)
                    .build()));
  }

  private boolean isRowByRow(CapturedFunction function) {
    return function.touchesResources() && input.touchesResources() && changesResources();
  }
}
