package io.headrace.cli;

import com.google.gson.JsonObject;
import io.headrace.cluster.Runner;
import io.headrace.cluster.Session;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.NodeDef;
import io.headrace.runtime.graph.TensorName;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headrace run}: runs a step of a graph read from a file. */
@Command(
    name = "run",
    sortOptions = false,
    description = {
      "Run a step of a graph on a cluster, and print the values that it fetches, a line each with"
          + " dtype and shape.",
      "The session is the command's own; variables stay with the cluster's tasks, for the next run."
          + " The task that it is opened on may be Headrace's or TensorFlow's."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class RunCommand implements Callable<Integer> {
  private static final String FILE_SIGN = "@";

  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      index = "0",
      paramLabel = "TARGET",
      description = "The task to open the session on: [grpc://]HOST:PORT. Needed.")
  String target = "";

  @Parameters(
      index = "1",
      paramLabel = "GRAPH",
      description =
          "A file with the graph: a GraphDef as text or binary, or a binary MetaGraphDef or"
              + " SavedModel, whose first graph is meant. Needed.")
  Path graphFile = Path.of("");

  @Option(
      names = "--feed",
      paramLabel = "NAME=VALUE|NAME=@FILE.npy",
      description =
          "Feed a tensor of the graph (node or node:output): JSON, such as 3 or [[1, 2.5]] or"
              + " \"text\" (bytes: {\"b64\": \"AAE=\"}), in the dtype that the graph declares, or"
              + " an .npy file. May be repeated. Default: none.")
  List<String> feeds = List.of();

  @Option(
      names = "--fetch",
      paramLabel = "NAME",
      description =
          "Print the value of a tensor of the graph: node or node:output. May be repeated."
              + " Default: none.")
  List<String> fetches = List.of();

  @Option(
      names = "--target",
      paramLabel = "NODE",
      description = "Run a node without printing a value. May be repeated. Default: none.")
  List<String> targets = List.of();

  @Option(
      names = "--json",
      description =
          "Print one JSON object: name to {\"dtype\": ..., \"shape\": ..., \"value\": ...}.")
  boolean json;

  @Option(
      names = "--max-values",
      paramLabel = "VALUES",
      defaultValue = "-1",
      description =
          "The most values printed per tensor as text; -1 prints all. Default: ${DEFAULT-VALUE}.")
  int maxValues;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "60000",
      description =
          "Milliseconds that the step, and everything before it, may take; -1 for no limit."
              + " Default: ${DEFAULT-VALUE}.")
  long timeoutMs;

  private final Map<TensorName, Tensor> fed = new LinkedHashMap<>();

  @Override
  public Integer call() {
    return SessionRun.run(spec.commandLine(), this::open, this::step);
  }

  /** Validates everything that does not need the cluster, then opens the session. */
  private Session open() {
    GraphDef graph = GraphFile.read(graphFile);
    Map<String, NodeDef> nodes = new LinkedHashMap<>();
    graph.getNodeList().forEach(node -> nodes.put(node.getName(), node));
    feeds.forEach(feed -> addFeed(feed, nodes));
    fetches.forEach(fetch -> node("--fetch", TensorName.parse(fetch).node(), nodes));
    targets.forEach(node -> node("--target", node, nodes));
    if (fetches.isEmpty() && targets.isEmpty()) {
      throw StatusException.invalidArgument("nothing to run: give --fetch or --target");
    }
    return Session.open(SessionRun.target(target), graph, SessionRun.limit(timeoutMs));
  }

  private void addFeed(String feed, Map<String, NodeDef> nodes) {
    int equals = feed.indexOf('=');
    if (equals < 1) {
      throw StatusException.invalidArgument(
          "--feed must be NAME=VALUE or NAME=@FILE.npy, not %s", feed);
    }
    TensorName name = TensorName.parse(feed.substring(0, equals));
    NodeDef node = node("--feed", name.node(), nodes);
    String value = feed.substring(equals + 1);
    Tensor tensor =
        value.startsWith(FILE_SIGN)
            ? NpyFile.read(Path.of(value.substring(1)))
            : JsonTensors.read(value, OutputType.of(node, name.output()), "--feed " + name);
    if (fed.put(name, tensor) != null) {
      throw StatusException.invalidArgument("--feed gives %s twice", name);
    }
  }

  private static NodeDef node(String flag, String name, Map<String, NodeDef> nodes) {
    @Nullable NodeDef node = nodes.get(name);
    if (node == null) {
      throw StatusException.invalidArgument("%s: the graph has no node %s", flag, name);
    }
    return node;
  }

  private void step(Session session) {
    Runner runner = session.runner();
    fed.forEach(runner::feed);
    fetches.forEach(fetch -> runner.fetch(TensorName.parse(fetch)));
    targets.forEach(runner::target);
    List<Tensor> values = runner.run();
    PrintWriter out = Headrace.out(spec);
    if (json) {
      JsonObject all = new JsonObject();
      for (int i = 0; i < values.size(); i++) {
        all.add(fetches.get(i), JsonTensors.write(values.get(i)));
      }
      out.println(all);
    } else {
      ElementText text = new ElementText(maxValues);
      for (int i = 0; i < values.size(); i++) {
        out.println(
            fetches.get(i) + " " + values.get(i).typeAndShape() + " " + text.values(values.get(i)));
      }
    }
    out.flush();
  }
}
