package io.headrace.dispatcher.graph;

import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.Options;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.GraphHash;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorProtos;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether each pass over a dataset gives the same rows in the same order, so that a row number
 * identifies a row.
 *
 * @param fingerprint identifies the dataset, never 0; independent of the names of its nodes and
 *     functions
 * @param obstacle why the order is not known: the node responsible, and the remedy; empty if the
 *     order is known
 */
public record RowOrder(long fingerprint, Optional<String> obstacle) {
  private static final AttrValue NONE = AttrValue.getDefaultInstance();

  /**
   * Prefixes of stateful ops that don't affect the order: their state lasts for one pass or call,
   * or is only displayed.
   */
  private static final List<String> HARMLESS =
      List.of(
          "HashTable",
          "AnonymousHashTable",
          "LookupTable",
          "InitializeTable",
          "TensorArray",
          "Stack",
          "Print",
          "Dummy",
          "AnonymousMemoryCache",
          "AnonymousSeedGenerator",
          "AnonymousRandomSeedGenerator");

  /** The input index of the first seed of each op that draws at random; the second seed follows. */
  private static final Map<String, Integer> SEEDS =
      Map.of(
          "ShuffleDataset", 2,
          "ShuffleDatasetV3", 2,
          "ShuffleAndRepeatDataset", 2,
          "ShuffleAndRepeatDatasetV2", 2,
          "GlobalShuffleDataset", 1,
          "RandomDataset", 0,
          "RandomDatasetV2", 0,
          "ExperimentalRandomDataset", 0,
          "SamplingDataset", 2);

  /** The ops whose order depends on what is on disk when a pass begins. */
  private static final Map<String, String> OF_FILES =
      Map.of(
          "SnapshotDataset",
          "gives its elements in another order once they are written: save and load the dataset",
          "SnapshotDatasetV2",
          "gives its elements in another order once they are written: save and load the dataset",
          "ListSnapshotChunksDataset",
          "lists chunks in the order in which they were written: use dynamic sharding");

  /** This order, with the fingerprint of the dataset's sources added. */
  RowOrder withSources(long hash) {
    return new RowOrder(DatasetFingerprint.of(fingerprint, hash), obstacle);
  }

  /** This order with an obstacle, unless it already has one. */
  RowOrder withObstacle(String other) {
    return obstacle.isPresent() ? this : new RowOrder(fingerprint, Optional.of(other));
  }

  /** The row order of {@code dataset}, as far as its graph determines it. */
  static RowOrder of(DatasetDef dataset) {
    List<String> obstacles = new ArrayList<>();
    long fingerprint =
        GraphHash.of(
            dataset.getGraph(),
            (node, beside) ->
                obstacle(node, beside)
                    .map(why -> node.getOp() + " (node " + node.getName() + ") " + why)
                    .ifPresent(obstacles::add),
            GraphHash.Omissions.NONE);
    return new RowOrder(fingerprint, obstacles.stream().findFirst());
  }

  private static Optional<String> obstacle(NodeDef node, Map<String, NodeDef> beside) {
    String op = node.getOp();
    if (isSloppy(node, beside)) {
      return Optional.of("gives up its order for speed: set deterministic to true");
    }
    if (SEEDS.containsKey(op)) {
      return isSeeded(node, SEEDS.get(op), beside)
          ? Optional.empty()
          : Optional.of("draws at random without a seed: give it one");
    }
    if (op.equals("ShuffleDatasetV2")) {
      return Optional.of("has unknown seeds from a seed generator");
    }
    if (OF_FILES.containsKey(op)) {
      return Optional.ofNullable(OF_FILES.get(op));
    }
    return drawsFromState(op)
        ? Optional.of("is stateful or draws random numbers")
        : Optional.empty();
  }

  private static boolean drawsFromState(String op) {
    @Nullable Op known = OpRegistry.standard().find(op);
    return known != null
        && known.effect().compareTo(Effect.READS) >= 0
        && !op.contains("Dataset")
        && HARMLESS.stream().noneMatch(op::startsWith);
  }

  private static boolean isSloppy(NodeDef node, Map<String, NodeDef> beside) {
    boolean byAttr =
        node.getAttrOrDefault("deterministic", NONE).getS().toStringUtf8().equals("false")
            || node.getAttrOrDefault("sloppy", NONE).getB();
    // {@code sloppy} is the third input from the end, after a variable number of inputs.
    boolean byInput =
        node.getOp().matches("(Experimental)?ParallelInterleaveDataset")
            && constant(node, node.getInputCount() - 3, beside)
                .filter(value -> !value.bool(0))
                .isEmpty();
    return byAttr || byInput || (node.getOp().equals("OptionsDataset") && isSloppy(options(node)));
  }

  private static boolean isSloppy(Optional<Options> options) {
    return options.isEmpty()
        || (options.get().getOptionalDeterministicCase()
                != Options.OptionalDeterministicCase.OPTIONALDETERMINISTIC_NOT_SET
            && !options.get().getDeterministic());
  }

  private static Optional<Options> options(NodeDef node) {
    try {
      return Optional.of(
          Options.parseFrom(node.getAttrOrDefault("serialized_options", NONE).getS()));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /** TensorFlow draws the seeds if both are 0. */
  private static boolean isSeeded(NodeDef node, int first, Map<String, NodeDef> beside) {
    Optional<Tensor> seed = constant(node, first, beside);
    Optional<Tensor> seed2 = constant(node, first + 1, beside);
    return seed.isPresent()
        && seed2.isPresent()
        && (seed.get().integer(0) != 0 || seed2.get().integer(0) != 0);
  }

  /** The value of an input that is a scalar constant. */
  private static Optional<Tensor> constant(NodeDef node, int input, Map<String, NodeDef> beside) {
    if (input < 0 || input >= node.getInputCount()) {
      return Optional.empty();
    }
    @Nullable NodeDef source = beside.get(GraphHash.nodeName(node.getInput(input)));
    if (source == null || !source.getOp().equals("Const")) {
      return Optional.empty();
    }
    try {
      Tensor value = TensorProtos.read(source.getAttrOrDefault("value", NONE).getTensor());
      return value.elements() == 1 ? Optional.of(value) : Optional.empty();
    } catch (StatusException _) {
      return Optional.empty();
    }
  }
}
