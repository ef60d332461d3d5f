package io.headrace.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.TextFormat;
import com.google.protobuf.TextFormat.ParseException;
import io.headrace.proto.data.experimental.DistributedSnapshotMetadata;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Optional;

/** Builds the nodes of datasets that a service saved, with TensorFlow's distributed_save. */
final class DistributedSnapshots {
  private static final Structure FILE = new Structure.Component(DataType.STRING, Shape.SCALAR);

  private DistributedSnapshots() {}

  /**
   * The metadata of the snapshot that a service wrote or writes in {@code path}; empty if the
   * folder has none. The same file of a dataset that one process saved is binary, and this is text.
   */
  static Optional<DistributedSnapshotMetadata> metadata(String path) {
    String file = path + "/snapshot.metadata";
    if (!DataFiles.exists(file)) {
      return Optional.empty();
    }
    DistributedSnapshotMetadata.Builder metadata = DistributedSnapshotMetadata.newBuilder();
    try {
      TextFormat.merge(new String(DataFiles.read(file), UTF_8), metadata);
    } catch (ParseException _) {
      return Optional.empty();
    }
    return Optional.of(metadata.build()).filter(found -> !found.getElementSpec().isEmpty());
  }

  /** The elements of the chunks in {@code path}, {@code cycle} of which are read in turn. */
  static Dataset load(String path, DistributedSnapshotMetadata metadata, int cycle) {
    Structure elements = ElementSpecs.read(path, metadata.getElementSpec());
    Dataset chunks =
        new Dataset(
            FILE,
            target ->
                DatasetNodeBuilder.typed(
                    target.graph().op("ListSnapshotChunksDataset").input(Tensor.scalar(path)),
                    FILE));
    return chunks.interleave(
        file -> chunk(file, metadata.getCompression(), elements),
        Interleave.cycle(cycle).parallel(Dataset.AUTOTUNE));
  }

  private static Dataset chunk(Output file, String compression, Structure elements) {
    return new Dataset(
        elements,
        target ->
            DatasetNodeBuilder.typed(
                target
                    .graph()
                    .op("SnapshotChunkDataset")
                    .input(file)
                    .attr("compression", compression),
                elements));
  }
}
