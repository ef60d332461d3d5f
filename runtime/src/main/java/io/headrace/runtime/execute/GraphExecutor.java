package io.headrace.runtime.execute;

import io.headrace.runtime.execute.GraphNode.Calls;
import io.headrace.runtime.execute.GraphNode.Edge;
import io.headrace.runtime.execute.GraphNode.Kind;
import io.headrace.runtime.graph.Endpoint;
import io.headrace.runtime.graph.FlowGraph;
import io.headrace.runtime.graph.Node;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Effect;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.status.StatusPayload;
import io.headrace.runtime.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A prepared graph, run once per step, with several steps at a time. A node runs when its inputs
 * are available: independent nodes in parallel, cheap ones on the thread that made them ready.
 * Transfers to and from other devices go through a {@link Rendezvous}. Closing releases the
 * session's kernels that no other graph uses; running steps continue. Thread-safe.
 */
public final class GraphExecutor implements AutoCloseable {
  /** The assumed cost of a node with inputs before its first run. */
  private static final long UNKNOWN_COST_NANOS = 100_000;

  /**
   * The threads and clock of an executor.
   *
   * @param pool runs nodes; must not run a task on the thread that submits it
   * @param ticker measures the cost of nodes
   */
  public record Threads(Executor pool, Ticker ticker) {}

  /** The maximum size of a graph that may run on its caller's thread. */
  private static final int MAX_QUICK_NODES = 64;

  private static final long MAX_QUICK_NANOS = 50_000;

  private final List<GraphNode> nodes;
  private final List<GraphNode> roots;
  private final Frame rootFrame;
  private final boolean mayWait;
  private final Threads threads;
  private final SessionKernels.OfGraph kernels;
  private final AtomicBoolean closed = new AtomicBoolean();

  private GraphExecutor(
      List<GraphNode> nodes,
      List<GraphNode> roots,
      Frame rootFrame,
      Threads threads,
      SessionKernels.OfGraph kernels) {
    this.nodes = nodes;
    this.roots = roots;
    this.rootFrame = rootFrame;
    this.mayWait = nodes.stream().anyMatch(GraphNode::mayWait);
    this.threads = threads;
    this.kernels = kernels;
  }

  /**
   * Prepares all nodes of {@code graph}.
   *
   * @param places the placement of each node
   * @param kernels the kernels of the session
   * @param functions the function library of the graph
   * @throws StatusException if an op has no kernel, attrs are invalid, or loops are malformed
   */
  public static GraphExecutor prepare(
      FlowGraph graph,
      Function<Node, NodePlacement> places,
      SessionKernels kernels,
      FunctionLibrary functions,
      Threads threads) {
    SessionKernels.OfGraph own = kernels.ofGraph();
    try {
      return prepare(graph.nodes(), places, own, functions, threads);
    } catch (RuntimeException e) {
      own.close();
      throw e;
    }
  }

  /**
   * Prepares the body of a function, for {@link #call}.
   *
   * @param nodes the nodes; arguments are {@code _Arg} and results {@code _Retval}
   * @param functions the library of the function
   * @param threads run the nodes of a body of which some may wait
   * @throws StatusException if an op has no kernel, attrs are invalid, or loops are malformed
   */
  static GraphExecutor prepareBody(List<Node> nodes, FunctionLibrary functions, Threads threads) {
    return prepare(nodes, _ -> null, new SessionKernels().ofGraph(), functions, threads);
  }

  private static GraphExecutor prepare(
      List<Node> graph,
      Function<Node, ? extends @Nullable NodePlacement> places,
      SessionKernels.OfGraph kernels,
      FunctionLibrary functions,
      Threads threads) {
    List<GraphNode> nodes = new ArrayList<>();
    for (Node node : graph) {
      nodes.add(prepare(node, places.apply(node), kernels, functions));
    }
    for (int i = 0; i < nodes.size(); i++) {
      connect(graph, graph.get(i), nodes, nodes.get(i));
    }
    nodes = NodeFusion.fuse(nodes);
    Frame root = new FrameAssignment().assign(nodes);
    List<GraphNode> roots =
        nodes.stream().filter(n -> n.inputs() == 0 && n.controlInputs == 0).toList();
    return new GraphExecutor(nodes, roots, root, threads, kernels);
  }

  private static GraphNode prepare(
      Node node,
      @Nullable NodePlacement place,
      SessionKernels.OfGraph kernels,
      FunctionLibrary functions) {
    NodeSpec spec =
        new NodeSpec(
            node.name(), node.op(), node.attrs(), node.inputTypes(), node.outputTypes(), functions);
    Kind kind = Kind.of(node.op().name());
    if (kind != Kind.KERNEL) {
      return new GraphNode(
          spec, kind, place, null, Calls.SHARED, kind.isTransfer() ? keyPrefix(node.attrs()) : "");
    }
    try {
      Kernel kernel = kernels.of(spec, place == null ? DeviceKernels.cpu() : place.kernels());
      Calls calls =
          node.op().mayWait() || functions.mayCalleesWait(node.attrs())
              ? Calls.VIRTUAL_THREAD
              : node.op().effect() == Effect.CHANGES ? Calls.EXCLUSIVE : Calls.SHARED;
      GraphNode prepared = new GraphNode(spec, kind, place, kernel, calls, "");
      prepared.costNanos = node.inputs().isEmpty() ? 0 : UNKNOWN_COST_NANOS;
      return prepared;
    } catch (StatusException e) {
      throw NodeErrors.at(e, node.name());
    }
  }

  private static String keyPrefix(Attrs attrs) {
    return String.format(
        Locale.ROOT,
        "%s;%016x;%s;%s;",
        attrs.string("send_device"),
        attrs.integer("send_device_incarnation"),
        attrs.string("recv_device"),
        attrs.string("tensor_name"));
  }

  private static String tensorName(List<Node> graph, Endpoint tensor) {
    String node = graph.get(tensor.node()).name();
    return tensor.output() == 0 ? node : node + ":" + tensor.output();
  }

  private static void connect(List<Node> graph, Node node, List<GraphNode> nodes, GraphNode to) {
    for (int i = 0; i < node.inputs().size(); i++) {
      Endpoint input = node.inputs().get(i);
      to.reads[i] = !node.isRefInput(i) && graph.get(input.node()).isRefOutput(input.output());
      nodes.get(input.node()).outputs.get(input.output()).add(new Edge(to, i));
    }
    to.inputNames = node.inputs().stream().map(input -> tensorName(graph, input)).toList();
    for (int control : node.controlInputs()) {
      nodes.get(control).controlOutputs.add(to);
    }
    to.controlInputs = node.controlInputs().size();
    // A merge is ready after one input and all control inputs. Control inputs count 2 and the input
    // counts 1, so that an odd count means that no input has arrived.
    to.pending = to.kind == Kind.MERGE ? 1 + 2 * to.controlInputs : to.inputs() + to.controlInputs;
  }

  /**
   * Runs one step, on the pool. A small graph whose nodes were recently quick runs on the thread
   * that starts the step, and on the threads that send the values it receives, since a handoff
   * would take longer. The result completes when no node is running, and fails with the first
   * error; an error also aborts {@code rendezvous}.
   *
   * @param timeline records when nodes ran, if not null
   */
  public CompletableFuture<Void> run(
      long stepId,
      Rendezvous rendezvous,
      Cancellation cancellation,
      @Nullable StepTimeline timeline) {
    if (cancellation.isCancelled()) {
      return CompletableFuture.failedFuture(cancelled());
    }
    GraphRun.Step step = new GraphRun.Step(stepId, rendezvous, cancellation, timeline, null);
    return new GraphRun(threads, isQuick(), rootFrame, step).start(roots);
  }

  /**
   * Runs the graph as the body of a function: on the caller's thread, unless nodes of it may wait.
   * The result completes when no node is running, and fails with the first error.
   */
  CompletableFuture<Void> call(FunctionFrame frame) {
    StepContext caller = frame.context();
    GraphRun.Step step =
        new GraphRun.Step(
            caller.stepId(), new LocalRendezvous(), caller.cancellation(), null, frame);
    if (mayWait) {
      return new GraphRun(threads, false, rootFrame, step).start(roots);
    }
    CallerThread thread = new CallerThread();
    Threads own = new Threads(thread, threads.ticker());
    CompletableFuture<Void> done = new GraphRun(own, false, rootFrame, step).start(roots);
    thread.runUntil(done);
    return done;
  }

  /** Releases the kernels that no other graph of the session uses. Idempotent. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      kernels.close();
    }
  }

  static StatusException cancelled() {
    return new StatusException(StatusCode.CANCELLED, "the step was cancelled")
        .with(StatusPayload.DERIVED);
  }

  /** Runs one step without a timeline. */
  public CompletableFuture<Void> run(
      long stepId, Rendezvous rendezvous, Cancellation cancellation) {
    return run(stepId, rendezvous, cancellation, null);
  }

  private boolean isQuick() {
    if (nodes.size() > MAX_QUICK_NODES) {
      return false;
    }
    long cost = 0;
    for (GraphNode node : nodes) {
      if (!node.isQuick()) {
        return false;
      }
      cost += node.costNanos;
    }
    return cost < MAX_QUICK_NANOS;
  }
}
