package io.headrace.dispatcher.graph;

import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.GraphHash;
import io.headrace.runtime.graph.GraphHash.Body;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import io.headrace.runtime.tensor.TensorProtos;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Describes where two datasets' graphs differ, from their results towards their sources. Names of
 * nodes and functions, their order, devices, and the seeds of shuffles don't count: they differ
 * each time that the same program builds its pipeline.
 */
public final class GraphDifference {
  /** Enough for a function's function's function; deeper differences are told by the outer one. */
  private static final int MAX_DEPTH = 20;

  private static final int MAX_VALUE_LENGTH = 80;
  private static final int MAX_VALUES = 8;

  private static final GraphHash.Omissions SHUFFLE_SEEDS = DatasetInputs::shuffleSeeds;

  private final GraphHash first;
  private final GraphHash second;

  private GraphDifference(GraphDef first, GraphDef second) {
    this.first = new GraphHash(first, (_, _) -> {}, SHUFFLE_SEEDS);
    this.second = new GraphHash(second, (_, _) -> {}, SHUFFLE_SEEDS);
  }

  /**
   * The first difference, as the end of a sentence about {@code second}: "has BatchDataset where
   * the other has MapDataset". Empty if the graphs compute the same.
   */
  public static Optional<String> between(DatasetDef first, DatasetDef second) {
    GraphDifference difference = new GraphDifference(first.getGraph(), second.getGraph());
    return difference.of(difference.first.graph(), difference.second.graph(), 0);
  }

  private Optional<String> of(Body a, Body b, int depth) {
    return ofInputs(a.results(), b.results(), a, b, Set.of(), "the result", depth);
  }

  /** The difference of the nodes that both lists name, or of their number. */
  private Optional<String> ofInputs(
      List<String> inputsA,
      List<String> inputsB,
      Body a,
      Body b,
      Set<Integer> omitted,
      String owner,
      int depth) {
    if (inputsA.size() != inputsB.size()) {
      return Optional.of(
          "has %d inputs of %s where the other has %d"
              .formatted(inputsB.size(), owner, inputsA.size()));
    }
    for (int i = 0; i < inputsA.size(); i++) {
      Optional<String> difference =
          omitted.contains(i)
              ? Optional.empty()
              : ofInput(inputsA.get(i), inputsB.get(i), a, b, owner, depth);
      if (difference.isPresent()) {
        return difference;
      }
    }
    return Optional.empty();
  }

  private Optional<String> ofInput(
      String inputA, String inputB, Body a, Body b, String owner, int depth) {
    String nameA = GraphHash.nodeName(inputA);
    String nameB = GraphHash.nodeName(inputB);
    if (!Arrays.equals(a.hashes().get(nameA), b.hashes().get(nameB))) {
      @Nullable NodeDef nodeA = a.nodes().get(nameA);
      @Nullable NodeDef nodeB = b.nodes().get(nameB);
      return Optional.of(
          nodeA == null || nodeB == null
              ? "has another argument as an input of " + owner
              : ofNodes(nodeA, nodeB, a, b, depth));
    }
    return output(inputA).equals(output(inputB))
        ? Optional.empty()
        : Optional.of("takes another output of %s as an input of %s".formatted(nameB, owner));
  }

  /** Describes the difference of two nodes with different hashes. */
  private String ofNodes(NodeDef nodeA, NodeDef nodeB, Body a, Body b, int depth) {
    Pair pair = new Pair(nodeA, nodeB);
    // A loop, as chains of datasets may be longer than the stack is deep.
    while (true) {
      Optional<String> own = ofNode(pair, depth);
      if (own.isPresent()) {
        return own.get();
      }
      Optional<Pair> input = differingInput(pair, a, b);
      if (input.isEmpty()) {
        return ofInputs(
                dataInputs(pair.a), dataInputs(pair.b), a, b, pair.omitted(), place(pair.b), depth)
            .orElse("has other control inputs of " + place(pair.b));
      }
      pair = input.get();
    }
  }

  /** Two nodes in the same place of both graphs. */
  private record Pair(NodeDef a, NodeDef b) {
    Set<Integer> omitted() {
      return SHUFFLE_SEEDS.omittedInputs(b);
    }
  }

  /** The difference of two nodes by themselves, without their inputs. */
  private Optional<String> ofNode(Pair pair, int depth) {
    String place = place(pair.b);
    if (first.find(pair.a.getOp()) != null && second.find(pair.b.getOp()) != null) {
      return ofFunctions(pair.a.getOp(), pair.b.getOp(), place, depth);
    }
    return pair.a.getOp().equals(pair.b.getOp())
        ? ofAttrs(pair.a.getAttrMap(), pair.b.getAttrMap(), place, depth)
        : Optional.of("has %s where the other has %s".formatted(place, place(pair.a)));
  }

  /** The first inputs of two nodes, both themselves nodes, that differ. */
  private static Optional<Pair> differingInput(Pair pair, Body a, Body b) {
    List<String> inputsA = dataInputs(pair.a);
    List<String> inputsB = dataInputs(pair.b);
    Set<Integer> omitted = pair.omitted();
    for (int i = 0; i < Math.min(inputsA.size(), inputsB.size()); i++) {
      String nameA = GraphHash.nodeName(inputsA.get(i));
      String nameB = GraphHash.nodeName(inputsB.get(i));
      @Nullable NodeDef nodeA = a.nodes().get(nameA);
      @Nullable NodeDef nodeB = b.nodes().get(nameB);
      boolean differ = !Arrays.equals(a.hashes().get(nameA), b.hashes().get(nameB));
      if (!omitted.contains(i) && differ && nodeA != null && nodeB != null) {
        return Optional.of(new Pair(nodeA, nodeB));
      }
    }
    return Optional.empty();
  }

  private Optional<String> ofAttrs(
      Map<String, AttrValue> attrsA, Map<String, AttrValue> attrsB, String place, int depth) {
    SortedMap<String, AttrValue> a = first.counting(attrsA);
    SortedMap<String, AttrValue> b = second.counting(attrsB);
    if (!a.keySet().equals(b.keySet())) {
      return Optional.of(
          "has the attrs %s of %s where the other has %s".formatted(b.keySet(), place, a.keySet()));
    }
    for (String name : a.keySet()) {
      AttrValue x = Objects.requireNonNull(a.get(name));
      AttrValue y = Objects.requireNonNull(b.get(name));
      if (!Arrays.equals(first.hash(x), second.hash(y))) {
        String attr = "%s of %s".formatted(name, place);
        return x.hasFunc() && y.hasFunc()
            ? ofFunctions(x.getFunc(), y.getFunc(), attr, depth)
            : Optional.of("has %s as %s where the other has %s".formatted(text(y), attr, text(x)));
      }
    }
    return Optional.empty();
  }

  private Optional<String> ofFunctions(NameAttrList a, NameAttrList b, String place, int depth) {
    return ofFunctions(a.getName(), b.getName(), place, depth)
        .or(() -> ofAttrs(a.getAttrMap(), b.getAttrMap(), place, depth))
        .or(() -> Optional.of("has another function as " + place));
  }

  private Optional<String> ofFunctions(String nameA, String nameB, String place, int depth) {
    if (Arrays.equals(first.function(nameA), second.function(nameB))) {
      return Optional.empty();
    }
    @Nullable FunctionDef a = first.find(nameA);
    @Nullable FunctionDef b = second.find(nameB);
    if (a == null || b == null || depth == MAX_DEPTH) {
      return Optional.of("has another function as " + place);
    }
    return Optional.of(
        of(first.body(a), second.body(b), depth + 1)
            .map(inside -> "in the function that is %s: it %s".formatted(place, inside))
            .orElse("has another function as " + place));
  }

  private static List<String> dataInputs(NodeDef node) {
    return node.getInputList().stream().filter(input -> !input.startsWith("^")).toList();
  }

  private static String output(String input) {
    int colon = input.indexOf(':');
    return colon < 0 ? ":0" : input.substring(colon);
  }

  private static String place(NodeDef node) {
    return "%s (node %s)".formatted(node.getOp(), node.getName());
  }

  private static String text(AttrValue value) {
    if (value.hasTensor()) {
      try {
        return text(TensorProtos.read(value.getTensor()));
      } catch (StatusException _) {
        return "a malformed tensor";
      }
    }
    return shortened(value.toString().strip().replaceAll("\\s+", " "));
  }

  private static String text(Tensor tensor) {
    return shortened(
        tensor.typeAndShape()
            + IntStream.range(0, Math.min(tensor.elements(), MAX_VALUES))
                .mapToObj(i -> " " + element(tensor, i))
                .collect(Collectors.joining())
            + (tensor.elements() > MAX_VALUES ? " ..." : ""));
  }

  private static String element(Tensor tensor, int i) {
    int at = TensorMemory.offset(tensor) + i;
    return switch (TensorMemory.array(tensor)) {
      case float[] floats -> Float.toString(floats[at]);
      case double[] doubles -> Double.toString(doubles[at]);
      case int[] ints -> Integer.toString(ints[at]);
      case long[] longs -> Long.toString(longs[at]);
      case byte[][] strings -> '"' + new String(strings[at], StandardCharsets.UTF_8) + '"';
      case byte[] bytes -> Byte.toString(bytes[at]);
      default -> "?";
    };
  }

  private static String shortened(String text) {
    return text.length() <= MAX_VALUE_LENGTH ? text : text.substring(0, MAX_VALUE_LENGTH) + "...";
  }
}
