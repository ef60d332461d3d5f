package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.file.FileCompression;
import io.headrace.proto.data.experimental.SnapshotMetadataRecord;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.Touch;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A snapshot of TensorFlow 1: the input, or what an earlier pass wrote of it. Which of both a pass
 * is, is decided when its first element is asked for, as {@link LegacySnapshotMode} says.
 *
 * <p>A snapshot that has a name is in the folder {@code custom-NAME}, where stock finds it and
 * leaves it. The folder of one without a name is called by a hash of the graph of its input. As
 * TensorFlow takes the hash of the graph that its optimizer makes, which is no property of the
 * graph that a program sends, ours is another ({@link LegacySnapshotHashes}): such a snapshot is
 * not shared with stock processes.
 *
 * @param folder the folder of the metadata and of the runs
 * @param readerPrefix is put before the names of files that are read
 * @param how the writing and the reading
 * @param spec the types of the rows
 * @param clock dates the metadata
 */
record LegacySnapshotDataset(
    DatasetValue input,
    String folder,
    String readerPrefix,
    String writerPrefix,
    How how,
    ElementSpec spec,
    InstantSource clock)
    implements UnaryDataset {
  static final String NAME = "SnapshotDataset";

  /** The run of a snapshot. */
  private static final String RUN = "custom";

  /**
   * How a snapshot is written and read.
   *
   * @param expiry how long after its beginning an unfinished snapshot is left to its writer
   * @param files the files that are written at a time
   * @param fileBytes the size at which a file is followed by another
   * @param shuffleSeed the seed of the order of files; empty to read them in the order of names
   */
  record How(
      FileCompression compression,
      LegacySnapshotMode mode,
      Duration expiry,
      int files,
      long fileBytes,
      Optional<Long> shuffleSeed) {}

  static Op op(InstantSource clock) {
    return DatasetOp.typed(
            NAME + "(input_dataset: variant, path: string)",
            "compression: string = ''",
            "reader_path_prefix: string = ''",
            "writer_path_prefix: string = ''",
            "shard_size_bytes: int = 10737418240",
            "pending_snapshot_expiry_seconds: int = 86400",
            "num_reader_threads: int = 1",
            "reader_buffer_size: int = 1",
            "num_writer_threads: int = 1",
            "writer_buffer_size: int = 1",
            "shuffle_on_read: bool = false",
            "seed: int = 0",
            "seed2: int = 0",
            "mode: string = 'auto'",
            "snapshot_name: string = ''")
        .touches(Touch.PASSES_WRITE_FILES, Touch.READS_FILES)
        .remark(
            "A snapshot without a name is not shared with TensorFlow's own processes, since they"
                + " name its folder by a hash of the graph that their optimizer makes; in a"
                + " function, or in a session's graph, it is UNIMPLEMENTED. A snapshot that is"
                + " written again replaces the earlier one, and files are read one after the"
                + " other.")
        .kernel(DatasetKernel.making(in -> of(in, clock)));
  }

  private static LegacySnapshotDataset of(OpArguments in, InstantSource clock) {
    How how = how(in);
    return new LegacySnapshotDataset(
        in.dataset("input_dataset"),
        folder(in, how.mode()),
        in.attrs().string("reader_path_prefix"),
        in.attrs().string("writer_path_prefix"),
        how,
        in.spec(),
        clock);
  }

  private static String folder(OpArguments in, LegacySnapshotMode mode) {
    String path = in.string("path");
    String name = in.attrs().string("snapshot_name");
    if (!name.isEmpty() || mode == LegacySnapshotMode.PASSTHROUGH) {
      return SnapshotNames.join(path, "custom-" + name);
    }
    if (!in.attrs().has(LegacySnapshotHashes.HASH)) {
      throw StatusException.unimplemented(
              "a snapshot of TensorFlow 1 without a name is in a folder whose name is a hash of"
                  + " its input, which is known only where a dataset that is sent to a data"
                  + " service has the snapshot outside of its functions; give it a snapshot_name,"
                  + " or use Dataset.snapshot")
          .in(in.where());
    }
    return SnapshotNames.hashFolder(path, in.attrs().integer(LegacySnapshotHashes.HASH));
  }

  private static How how(OpArguments in) {
    long expirySeconds = orDefault(in, "pending_snapshot_expiry_seconds", 86_400);
    if (expirySeconds < 1) {
      throw in.invalid("pending_snapshot_expiry_seconds must be at least 1 second.");
    }
    long seed = in.attrs().integer("seed");
    long seed2 = in.attrs().integer("seed2");
    boolean isRandom = seed == 0 && seed2 == 0;
    return new How(
        compression(in),
        LegacySnapshotMode.parse(in),
        Duration.ofSeconds(expirySeconds),
        Math.clamp(orDefault(in, "num_writer_threads", 1), 1, LegacySnapshotRun.MAX_FILES),
        orDefault(in, "shard_size_bytes", 10L << 30),
        in.attrs().bool("shuffle_on_read")
            ? Optional.of(isRandom ? ThreadLocalRandom.current().nextLong() : seed + seed2)
            : Optional.empty());
  }

  private static long orDefault(OpArguments in, String attr, long value) {
    long given = in.attrs().integer(attr);
    return given == -1 ? value : given;
  }

  private static FileCompression compression(OpArguments in) {
    String name = in.attrs().string("compression");
    if (!name.isEmpty() && !name.equals("GZIP") && !name.equals("SNAPPY")) {
      throw in.invalid("compression must be either '', 'GZIP' or 'SNAPPY'.");
    }
    return FileCompression.ofAttr(name, FileCompression.NONE);
  }

  @Override
  public List<SplitSource> splitSources() {
    throw StatusException.unimplemented("Splitting is not implemented for snapshot datasets.");
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(NAME, "a later pass has the elements of the snapshot, not of the input");
  }

  @Override
  public String iteratorName() {
    return "Snapshot";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new LateIterator(() -> open(context));
  }

  private ChunkIterator open(IteratorContext context) {
    if (how.mode() == LegacySnapshotMode.PASSTHROUGH) {
      return context.open(input);
    }
    Optional<SnapshotMetadataRecord> found = SnapshotMetadata.find(folder);
    return switch (how.mode().decide(found, how.expiry(), clock.instant())) {
      case READ -> read(found.orElseThrow());
      case WRITE -> write(context);
      case PASSTHROUGH, AUTO -> context.open(input);
    };
  }

  private ChunkIterator read(SnapshotMetadataRecord metadata) {
    checkTypes(metadata);
    String run = SnapshotNames.run(folder, RUN);
    List<String> files =
        new ArrayList<>(
            DataFiles.exists(run)
                ? DataFiles.names(run).stream()
                    .filter(name -> name.endsWith(SnapshotNames.CHUNK))
                    .toList()
                : List.of());
    if (files.isEmpty()) {
      throw StatusException.of(StatusCode.NOT_FOUND, "Could not find any files in dir: %s", run);
    }
    how.shuffleSeed().ifPresent(seed -> Collections.shuffle(files, new Random(seed)));
    String prefixed = SnapshotNames.join(readerPrefix, run);
    return new ChunkFilesIterator(
        number ->
            number >= files.size()
                ? Optional.empty()
                : Optional.of(
                    ChunkFile.open(
                        SnapshotNames.join(prefixed, files.get((int) number)),
                        how.compression(),
                        metadata.getVersion(),
                        spec)),
        0);
  }

  private void checkTypes(SnapshotMetadataRecord metadata) {
    List<DataType> types = outputTypes();
    if (metadata.getDtypeCount() != types.size()) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "Expected number of dtypes: %d but number in snapshot: %d",
          types.size(),
          metadata.getDtypeCount());
    }
    for (int i = 0; i < types.size(); i++) {
      if (metadata.getDtypeValue(i) != types.get(i).number()) {
        throw StatusException.of(
            StatusCode.INTERNAL,
            "Type: %d doesn't match. Snapshot: %d; dataset: %d",
            i,
            metadata.getDtypeValue(i),
            types.get(i).number());
      }
    }
  }

  private ChunkIterator write(IteratorContext context) {
    SnapshotMetadataRecord begun =
        SnapshotMetadata.of(RUN, outputTypes(), clock.instant())
            .setVersion(RowFormat.FIRST_VERSION)
            .setFinalized(false)
            .build();
    DataFiles.createFolders(folder);
    SnapshotMetadata.write(folder, begun);
    LegacySnapshotRun run =
        LegacySnapshotRun.create(
            SnapshotNames.run(SnapshotNames.join(writerPrefix, folder), RUN),
            how,
            () -> SnapshotMetadata.find(folder).equals(Optional.of(begun)));
    Runnable naming =
        () -> {
          SnapshotMetadata.write(folder, begun.toBuilder().setFinalized(true).build());
          DataFiles.syncFolder(folder);
        };
    try {
      return new LegacySnapshotWriter(context.open(input), run, naming);
    } catch (RuntimeException e) {
      run.close();
      throw e;
    }
  }
}
