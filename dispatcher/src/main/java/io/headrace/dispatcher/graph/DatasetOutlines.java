package io.headrace.dispatcher.graph;

import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.SourceFileProto;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.GraphHash;
import io.headrace.runtime.graph.GraphHash.Body;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Outlines of datasets and their files, which tokens carry: small enough for that, and enough to
 * name the first transformation and the files that have changed since. They are never relied on.
 */
final class DatasetOutlines {
  private static final int MAX_OPS = 64;
  private static final int MAX_FILES = 1024;

  /** The files that are compared for a message, on the dispatcher's thread. */
  private static final int MAX_COMPARED_FILES = 16 * MAX_FILES;

  /** The names in a message. */
  private static final int MAX_NAMES = 3;

  /** The calls that make ops of other names. */
  private static final Map<String, String> CALLS =
      Map.of(
          "TensorSliceDataset", "tensorSlices, or the names of files",
          "InterleaveDataset", "interleave, or the reading of files with its format",
          "ParallelInterleaveDatasetV4", "interleave, or the reading of files with its format");

  private DatasetOutlines() {}

  /** The outline of {@code dataset}, whose split sources are {@code sources}. */
  static DatasetOutline of(DatasetDef dataset, List<SplitSource> sources) {
    DatasetOutline.Builder outline = DatasetOutline.newBuilder();
    GraphHash.Omissions omissions = new TuningOmissions();
    GraphHash hashes = new GraphHash(dataset.getGraph(), (_, _) -> {}, omissions);
    Body graph = hashes.graph();
    Deque<NodeDef> chain = new ArrayDeque<>();
    Set<String> seen = new HashSet<>();
    @Nullable NodeDef node = graph.nodes().get(GraphHash.nodeName(graph.results().getFirst()));
    while (node != null && seen.add(node.getName())) {
      if (isDataset(node) && !omissions.isTransparent(node) && !compresses(node, hashes)) {
        chain.push(node);
      }
      node =
          node.getInputCount() == 0
              ? null
              : graph.nodes().get(GraphHash.nodeName(node.getInput(0)));
    }
    for (NodeDef of : chain) {
      byte @Nullable [] hash = graph.hashes().get(of.getName());
      if (hash != null && outline.getOpsCount() < MAX_OPS) {
        outline.addOps(of.getOp()).addHashes(ByteBuffer.wrap(hash).getInt());
      }
    }
    files(sources).limit(MAX_FILES).map(DatasetOutlines::hash).forEach(outline::addFiles);
    return outline.build();
  }

  /** Whether a node is the map by which a client has elements compressed: no user wrote it. */
  private static boolean compresses(NodeDef node, GraphHash graph) {
    @Nullable FunctionDef function =
        graph.find(node.getAttrOrDefault("f", AttrValue.getDefaultInstance()).getFunc().getName());
    return function != null
        && function.getNodeDefList().stream().anyMatch(of -> of.getOp().equals("CompressElement"));
  }

  private static boolean isDataset(NodeDef node) {
    return node.getOp().contains("Dataset");
  }

  private static Stream<SourceFileProto> files(List<SplitSource> sources) {
    return sources.stream().flatMap(source -> source.getFilesList().stream());
  }

  private static long hash(SourceFileProto file) {
    long state = file.getSize() * 31 + file.getModifiedMillis();
    return (long) file.getName().hashCode() << Integer.SIZE
        | Integer.toUnsignedLong(Long.hashCode(state));
  }

  /**
   * The first transformation in which a dataset differs from a token's, as the end of a sentence:
   * ": ...". Empty if the outlines do not tell.
   */
  static String difference(DatasetOutline now, DatasetOutline ofToken) {
    int ours = Math.min(now.getOpsCount(), now.getHashesCount());
    int theirs = Math.min(ofToken.getOpsCount(), ofToken.getHashesCount());
    for (int i = 0; i < Math.min(ours, theirs); i++) {
      if (now.getHashes(i) != ofToken.getHashes(i)) {
        String place = ": number %d from the source on is %s".formatted(i + 1, told(now.getOps(i)));
        return now.getOps(i).equals(ofToken.getOps(i))
            ? place + " in both, with another function, parameter or input"
            : place + ", and was " + told(ofToken.getOps(i));
      }
    }
    if (ours == theirs || theirs == 0 || Math.min(ours, theirs) == MAX_OPS) {
      return "";
    }
    return ours > theirs
        ? ": %s is new, behind %s".formatted(told(now.getOps(theirs)), told(now.getOps(theirs - 1)))
        : ": %s is missing, at the end".formatted(told(ofToken.getOps(ours)));
  }

  /** An op, perhaps a peer's text, for a message, with what a program calls it. */
  private static String told(String op) {
    String shortened = op.length() <= MAX_OPS ? op : op.substring(0, MAX_OPS) + "...";
    return CALLS.containsKey(op) ? shortened + " (" + CALLS.get(op) + ")" : shortened;
  }

  /**
   * The files in which {@code sources} differ from a token's, as a sentence that ends in "; ".
   * Empty if the outline does not tell.
   */
  static String changedFiles(List<SplitSource> sources, DatasetOutline ofToken) {
    if (ofToken.getFilesCount() == 0) {
      return "";
    }
    Map<Integer, Integer> before = new HashMap<>();
    for (long file : ofToken.getFilesList()) {
      before.put((int) (file >>> Integer.SIZE), (int) file);
    }
    List<String> changed = new ArrayList<>();
    List<String> added = new ArrayList<>();
    Set<Integer> missing = new HashSet<>(before.keySet());
    files(sources)
        .limit(MAX_COMPARED_FILES)
        .forEach(file -> {
          long hash = hash(file);
          int name = (int) (hash >>> Integer.SIZE);
          missing.remove(name);
          @Nullable Integer state = before.get(name);
          if (state == null) {
            added.add(file.getName());
          } else if (state != (int) hash) {
            changed.add(file.getName());
          }
        });
    if (ofToken.getFilesCount() >= MAX_FILES) {
      return names("changed", changed); // the token may have had more
    }
    String gone =
        missing.isEmpty() ? "" : "%d that were there are gone; ".formatted(missing.size());
    return names("changed", changed) + names("new", added) + gone;
  }

  private static String names(String how, List<String> files) {
    if (files.isEmpty()) {
      return "";
    }
    return "%d %s: %s%s; "
        .formatted(
            files.size(),
            how,
            String.join(", ", files.subList(0, Math.min(MAX_NAMES, files.size()))),
            files.size() > MAX_NAMES ? ", ..." : "");
  }
}
