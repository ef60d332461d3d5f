package io.headrace.dataset;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.TextFormat;
import io.headrace.runtime.file.AtomicFile;
import io.headrace.runtime.file.DataFiles;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Builds the nodes of datasets that are saved, loaded and snapshotted. */
final class SavedDatasets {
  /** The file with the structure of saved elements, beside TensorFlow's other files. */
  private static final String SPEC = "/dataset_spec.pb";

  /** The names of traced functions, whose numbers differ from run to run. */
  private static final Pattern FUNCTION = Pattern.compile("__headrace_\\w*_\\d+");

  private SavedDatasets() {}

  static void save(Dataset input, String path, SaveOptions how) {
    byte[] spec = ElementSpecs.write(input.structure()).toByteArray();
    Dataset saving = saving(input, path, how);
    DataFiles.createFolders(path);
    // The structure of an earlier dataset stays until the elements of this one are on disk.
    try (AtomicFile file = AtomicFile.create(path + SPEC)) {
      file.write(spec, 0, spec.length);
      readAll(saving);
      file.commit();
    }
    DataFiles.syncFolder(path);
  }

  private static void readAll(Dataset saving) {
    try (ChunkReader rows = saving.chunks()) {
      while (rows.next() != null) {
        // The pass saves them.
      }
    }
  }

  private static Dataset saving(Dataset input, String path, SaveOptions how) {
    // A node needs the function even where it is not called.
    Functions.OfElement any = _ -> GraphBuilder.current().constant(Tensor.scalar(0L));
    TracedFunction shard = shardFunction(input.structure(), how.shard().orElse(any));
    return new Dataset(
        input.structure(),
        DatasetNodeBuilder.on(
            input,
            (graph, rows) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("SaveDatasetV2")
                        .input(rows)
                        .input(Tensor.scalar(path))
                        .inputs(shard.captured())
                        .attr("compression", how.compression().tfName())
                        .attr("shard_func", shard)
                        .attr("use_shard_func", how.shard().isPresent()),
                    input.structure())));
  }

  private static TracedFunction shardFunction(Structure structure, Functions.OfElement function) {
    TracedLambda traced = TracedLambda.of("shard", structure, function);
    if (!traced.structure().types().equals(List.of(DataType.INT64))) {
      throw StatusException.invalidArgument(
          "the shard of an element must be an int64, and is %s", traced.structure());
    }
    return traced.function();
  }

  static Dataset load(String path, Compression compression) {
    return DistributedSnapshots.metadata(path)
        .map(metadata -> DistributedSnapshots.load(path, metadata, processors()))
        .orElseGet(() -> loadRun(path, compression));
  }

  private static Dataset loadRun(String path, Compression compression) {
    String file = path + SPEC;
    if (!DataFiles.exists(file)) {
      throw StatusException.of(
          StatusCode.NOT_FOUND,
          "%s: a saved dataset is a folder that save or distributedSave has written, with the"
              + " structure of its elements in %s",
          DataFiles.exists(path)
              ? path + " holds no saved dataset"
              : "there is no saved dataset at " + path + ", which does not exist",
          file);
    }
    Structure elements = ElementSpecs.read(path, ByteString.copyFrom(DataFiles.read(file)));
    TracedFunction reader = reader(elements);
    return new Dataset(
        elements,
        target ->
            DatasetNodeBuilder.typed(
                target
                    .graph()
                    .op("LoadDataset")
                    .input(Tensor.scalar(path))
                    .inputs(reader.captured())
                    .attr("compression", compression.tfName())
                    .attr("reader_func", reader),
                elements));
  }

  /** The function that interleaves a dataset of datasets of {@code elements}. */
  private static TracedFunction reader(Structure elements) {
    Interleave how = Interleave.cycle(processors()).parallel(Dataset.AUTOTUNE);
    Structure shards = new Structure.Nested(new Structure.Nested(elements));
    return TracedLambda.ofDataset(
            "reader",
            shards,
            argument -> argument.dataset().interleaveElement(SymbolicElement::dataset, how))
        .function();
  }

  static Dataset snapshot(Dataset input, String path, SaveOptions how) {
    return how.shard()
        .map(shard -> snapshot(input, path, how.compression(), shard))
        .orElseGet(() -> {
          int shards = processors();
          Functions.OfElement inTurn = element -> element.get(0).output().floorMod(shards);
          return snapshot(input.enumerate(0), path, how.compression(), inTurn)
              .mapElement(element -> element.get(1));
        });
  }

  private static Dataset snapshot(
      Dataset input, String path, Compression compression, Functions.OfElement shardOf) {
    TracedFunction shard = shardFunction(input.structure(), shardOf);
    TracedFunction reader = reader(input.structure());
    long hash = hash(input);
    return new Dataset(
        input.structure(),
        DatasetNodeBuilder.on(
            input,
            (graph, rows) ->
                DatasetNodeBuilder.typed(
                    graph
                        .op("SnapshotDatasetV2")
                        .input(rows)
                        .input(Tensor.scalar(path))
                        .inputs(reader.captured())
                        .inputs(shard.captured())
                        .attr("compression", compression.tfName())
                        .attr("reader_func", reader)
                        .attr("shard_func", shard)
                        .attr("hash_valid", true)
                        .attr("hash", hash),
                    input.structure())));
  }

  private static int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** A hash of the graph of {@code dataset} that is the same in every process. */
  static long hash(Dataset dataset) {
    String graph = TextFormat.printer().printToString(dataset.toGraphDef());
    Map<String, String> numbered = new HashMap<>();
    String text =
        FUNCTION
            .matcher(graph)
            .replaceAll(
                name -> numbered.computeIfAbsent(name.group(), _ -> "function " + numbered.size()));
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
