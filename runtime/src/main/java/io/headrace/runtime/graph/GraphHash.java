package io.headrace.runtime.graph;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Message;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.FunctionDef;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NameAttrList;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.proto.tensorflow.OpDef.ArgDef;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A structural hash of a graph: its ops, their attrs, and their edges. It leaves out the names of
 * nodes and functions, which differ each time a pipeline is built, and the devices, shared names
 * and metadata.
 *
 * <p>A node's hash combines its inputs' hashes; a function's hash combines its results' hashes.
 * Nodes that no result depends on don't count. Not thread-safe.
 */
public final class GraphHash {
  private static final String RETVAL = "_Retval";
  private static final Set<String> NAMES = Set.of("metadata", "shared_name", "container");

  /** Stands for a recursive function, and for a node in a cycle. */
  private static final byte[] RECURSION = {1};

  private final Map<String, FunctionDef> library = new HashMap<>();
  private final Map<String, byte[]> functions = new HashMap<>();
  private final BiConsumer<NodeDef, Map<String, NodeDef>> visitor;
  private final Omissions omissions;

  /** The parts of a graph that a hash leaves out. */
  public interface Omissions {
    /** Leaves out nothing more. */
    Omissions NONE = _ -> Set.of();

    /** Whether a node hashes as its first input. */
    default boolean isTransparent(NodeDef node) {
      return false;
    }

    /** Whether the hash leaves out attrs of this name. */
    default boolean omitsAttr(String name) {
      return false;
    }

    /** The indices of the data inputs of a node that the hash leaves out. */
    Set<Integer> omittedInputs(NodeDef node);
  }

  /** The nodes of a graph or function, the hashes of those that results depend on, the results. */
  public record Body(
      Map<String, NodeDef> nodes, Map<String, byte[]> hashes, List<String> results) {}

  private final GraphDef graph;

  /**
   * The hashes of {@code graph} and of its functions, each computed when it is asked for.
   *
   * @param graph the graph
   * @param visitor called with every node that a result depends on, and with the nodes of its graph
   *     or function by name
   * @param omissions the parts to leave out
   */
  public GraphHash(
      GraphDef graph, BiConsumer<NodeDef, Map<String, NodeDef>> visitor, Omissions omissions) {
    this.graph = graph;
    this.omissions = omissions;
    graph
        .getLibrary()
        .getFunctionList()
        .forEach(function -> library.put(function.getSignature().getName(), function));
    this.visitor = visitor;
  }

  /**
   * The hash of {@code graph}, never 0.
   *
   * @param graph the graph
   * @param visitor called with every node that a result depends on, and with the nodes of its graph
   *     or function by name
   * @param omissions the parts to leave out
   */
  public static long of(
      GraphDef graph, BiConsumer<NodeDef, Map<String, NodeDef>> visitor, Omissions omissions) {
    return number(new GraphHash(graph, visitor, omissions).graph());
  }

  private static long number(Body body) {
    long value = ByteBuffer.wrap(digest(body)).getLong();
    return value == 0 ? 1 : value;
  }

  /** The hash of what {@code output}, an entry of {@code NodeDef.input}, depends on; never 0. */
  public long of(String output) {
    return number(body(graph.getNodeList(), Map.of(), List.of(output)));
  }

  /** The graph without its functions. */
  public Body graph() {
    List<String> results = new ArrayList<>();
    for (NodeDef node : graph.getNodeList()) {
      if (node.getOp().equals(RETVAL)) {
        results.add(node.getName());
      }
    }
    if (results.isEmpty()) {
      graph.getNodeList().forEach(node -> results.add(node.getName()));
    }
    return body(graph.getNodeList(), Map.of(), results);
  }

  private Body body(List<NodeDef> nodes, Map<String, byte[]> known, List<String> results) {
    Map<String, NodeDef> byName = new HashMap<>();
    nodes.forEach(node -> byName.putIfAbsent(node.getName(), node));
    Map<String, byte[]> hashes = new HashMap<>(known);
    results.forEach(result -> visit(nodeName(result), byName, hashes));
    return new Body(byName, hashes, results);
  }

  /** The hash of the results, in order. */
  private static byte[] digest(Body body) {
    MessageDigest digest = sha256();
    body.results().forEach(result -> addInput(digest, result, body.hashes()));
    return digest.digest();
  }

  /** Hashes a node after everything it depends on. Iterative, as graphs may be deep. */
  private void visit(String root, Map<String, NodeDef> byName, Map<String, byte[]> hashes) {
    Deque<String> path = new ArrayDeque<>();
    Set<String> opened = new HashSet<>();
    path.push(root);
    while (!path.isEmpty()) {
      String name = path.element();
      @Nullable NodeDef node = byName.get(name);
      if (node == null || hashes.containsKey(name)) {
        path.pop();
      } else if (opened.add(name)) {
        node.getInputList().stream()
            .map(GraphHash::nodeName)
            .filter(input -> !opened.contains(input) && !hashes.containsKey(input))
            .forEach(path::push);
      } else {
        path.pop();
        visitor.accept(node, byName);
        hashes.put(name, hash(node, hashes));
      }
    }
  }

  private byte[] hash(NodeDef node, Map<String, byte[]> hashes) {
    if (omissions.isTransparent(node) && node.getInputCount() > 0) {
      return hashes.getOrDefault(nodeName(node.getInput(0)), RECURSION);
    }
    MessageDigest digest = sha256();
    if (library.containsKey(node.getOp())) {
      digest.update(function(node.getOp()));
    } else {
      add(digest, node.getOp());
    }
    addAttrs(digest, node.getAttrMap());
    List<String> controls = new ArrayList<>();
    Set<Integer> omitted = omissions.omittedInputs(node);
    int place = 0;
    for (String input : node.getInputList()) {
      if (input.startsWith("^")) {
        controls.add(input);
      } else if (!omitted.contains(place++)) {
        addInput(digest, input, hashes);
      }
    }
    controls.stream()
        .map(input -> hashes.getOrDefault(nodeName(input), RECURSION))
        .sorted(Arrays::compare)
        .forEach(digest::update);
    return digest.digest();
  }

  private static void addInput(MessageDigest digest, String input, Map<String, byte[]> hashes) {
    int colon = input.indexOf(':');
    digest.update(hashes.getOrDefault(nodeName(input), RECURSION));
    add(digest, colon < 0 ? ":0" : input.substring(colon));
  }

  private void addAttrs(MessageDigest digest, Map<String, AttrValue> attrs) {
    counting(attrs)
        .forEach((name, value) -> {
          add(digest, name);
          add(digest, value);
        });
  }

  /** The attrs that the hash does not leave out. */
  public SortedMap<String, AttrValue> counting(Map<String, AttrValue> attrs) {
    SortedMap<String, AttrValue> counting = new TreeMap<>(attrs);
    counting
        .keySet()
        .removeIf(
            name -> name.startsWith("_") || NAMES.contains(name) || omissions.omitsAttr(name));
    return counting;
  }

  /** The hash of an attr's value. */
  public byte[] hash(AttrValue value) {
    MessageDigest digest = sha256();
    add(digest, value);
    return digest.digest();
  }

  private void add(MessageDigest digest, AttrValue value) {
    if (value.hasFunc()) {
      add(digest, value.getFunc());
    } else if (value.getList().getFuncCount() > 0) {
      value.getList().getFuncList().forEach(function -> add(digest, function));
    } else {
      digest.update(bytes(value));
    }
  }

  private void add(MessageDigest digest, NameAttrList function) {
    digest.update(function(function.getName()));
    addAttrs(digest, function.getAttrMap());
  }

  /** The hash of a function, or the name itself if the graph does not define it. */
  public byte[] function(String name) {
    @Nullable FunctionDef function = library.get(name);
    if (function == null) {
      return name.getBytes(StandardCharsets.UTF_8);
    }
    byte @Nullable [] known = functions.putIfAbsent(name, RECURSION);
    if (known != null) {
      return known;
    }
    byte[] hash = digest(body(function));
    functions.put(name, hash);
    return hash;
  }

  /** The function of this name; null if the graph does not define it. */
  public @Nullable FunctionDef find(String function) {
    return library.get(function);
  }

  /** The body of a function, whose arguments hash as their places. */
  public Body body(FunctionDef function) {
    Map<String, byte[]> arguments = new HashMap<>();
    for (ArgDef argument : function.getSignature().getInputArgList()) {
      MessageDigest digest = sha256();
      add(digest, "argument " + arguments.size());
      arguments.put(argument.getName(), digest.digest());
    }
    List<String> results = new ArrayList<>();
    function
        .getSignature()
        .getOutputArgList()
        .forEach(result -> results.add(function.getRetOrDefault(result.getName(), "")));
    results.addAll(function.getControlRetMap().values().stream().sorted().toList());
    return body(function.getNodeDefList(), arguments, results);
  }

  private static void add(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
    digest.update(bytes);
  }

  /** The deterministic serialization of a message. */
  private static byte[] bytes(Message message) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(message.getSerializedSize());
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.useDeterministicSerialization();
    try {
      message.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The node of an input reference: "^node", "node", "node:1" or "node:output:1". */
  public static String nodeName(String input) {
    int begin = input.startsWith("^") ? 1 : 0;
    int colon = input.indexOf(':');
    return input.substring(begin, colon < begin ? input.length() : colon);
  }
}
