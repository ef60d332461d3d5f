package io.headrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TextFormat;
import com.google.protobuf.UnknownFieldSet;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.status.StatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reads the graph of a file: a GraphDef as text or binary, or the first graph of a binary
 * MetaGraphDef or SavedModel.
 */
final class GraphFile {
  /** The number of MetaGraphDef's field graph_def and of SavedModel's field meta_graphs. */
  private static final int INNER = 2;

  private GraphFile() {}

  /** The graph in {@code file}; INVALID_ARGUMENT, naming the file, if it holds none. */
  static GraphDef read(Path file) {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (IOException e) {
      throw StatusException.invalidArgument(
          "%s can't be read: %s", file, e.getClass().getSimpleName());
    }
    ByteString binary = ByteString.copyFrom(bytes);
    return text(bytes)
        .or(() -> graph(binary))
        .or(() -> inner(binary).flatMap(GraphFile::graph))
        .or(() -> inner(binary).flatMap(GraphFile::inner).flatMap(GraphFile::graph))
        .orElseThrow(() ->
            StatusException.invalidArgument(
                "%s holds no graph: neither a GraphDef as text or binary, nor a binary"
                    + " MetaGraphDef or SavedModel",
                file));
  }

  private static Optional<GraphDef> text(byte[] bytes) {
    GraphDef.Builder graph = GraphDef.newBuilder();
    try {
      TextFormat.merge(new String(bytes, UTF_8), graph);
    } catch (TextFormat.ParseException _) {
      return Optional.empty(); // not a text GraphDef
    }
    return Optional.of(graph.build()).filter(GraphFile::isPlausible);
  }

  private static Optional<GraphDef> graph(ByteString bytes) {
    try {
      return Optional.of(GraphDef.parseFrom(bytes)).filter(GraphFile::isPlausible);
    } catch (InvalidProtocolBufferException _) {
      return Optional.empty(); // not a binary GraphDef
    }
  }

  /** Other messages may parse as a GraphDef, but their nodes lack names or ops. */
  private static boolean isPlausible(GraphDef graph) {
    return graph.getNodeCount() > 0 && graph.getNodeList().stream().allMatch(GraphFile::isNode);
  }

  private static boolean isNode(NodeDef node) {
    return !node.getName().isEmpty() && !node.getOp().isEmpty();
  }

  private static Optional<ByteString> inner(ByteString message) {
    try {
      List<ByteString> found =
          UnknownFieldSet.parseFrom(message).getField(INNER).getLengthDelimitedList();
      return found.stream().findFirst();
    } catch (InvalidProtocolBufferException _) {
      return Optional.empty();
    }
  }
}
