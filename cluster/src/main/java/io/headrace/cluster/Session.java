package io.headrace.cluster;

import io.headrace.proto.tensorflow.CallableOptions;
import io.headrace.proto.tensorflow.CloseSessionRequest;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.proto.tensorflow.CreateSessionRequest;
import io.headrace.proto.tensorflow.CreateSessionResponse;
import io.headrace.proto.tensorflow.DeviceAttributes;
import io.headrace.proto.tensorflow.ExtendSessionRequest;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.proto.tensorflow.ListDevicesRequest;
import io.headrace.proto.tensorflow.ListDevicesResponse;
import io.headrace.proto.tensorflow.MakeCallableRequest;
import io.headrace.proto.tensorflow.MasterServiceGrpc;
import io.headrace.proto.tensorflow.ResetRequest;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs a {@link Graph} on a cluster, through the master of one of its tasks, ours or stock
 * TensorFlow's.
 *
 * <pre>{@code
 * try (Session session = Session.open(server.target(), g)) {
 *   Tensor product = session.run(a.mul(b));
 * }
 * }</pre>
 *
 * <p>Variables belong to the cluster's tasks and outlive the session. Operations added to the graph
 * since the last run are sent before the next one (ExtendSession). Several threads may run steps
 * concurrently, but not while operations are added to the graph. Failures carry the status code and
 * message of the master, for example ABORTED if it was restarted and does not know the session.
 */
public final class Session implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(Session.class.getName());
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  /**
   * The nodes of the graph that the session sends to its master, in the order in which they were
   * added.
   */
  private interface Nodes {
    int count();

    /** The nodes from index {@code first} on, and the functions. */
    GraphDef from(int first);
  }

  private final MasterClient master;
  private final Nodes nodes;
  private final ConfigProto config;
  private final SecureRandom requestIds = new SecureRandom();

  /** Cancelled when the session is closed, which ends the calls that send the graph. */
  private final Cancellation ended = new Cancellation();

  /** Held while the graph is sent to the master. */
  private final ReentrantLock lock = new ReentrantLock();

  private String handle = "";
  private int sentOperations;
  private long graphVersion;
  private boolean closed;

  private Session(MasterClient master, Nodes nodes, ConfigProto config) {
    this.master = master;
    this.nodes = nodes;
    this.config = config;
  }

  /**
   * Opens a session of {@code graph} at {@code target}. The first run sends the graph.
   *
   * @param target {@code grpc://host:port}, as {@link Server#target}
   * @throws StatusException NOT_FOUND for another kind of target, INVALID_ARGUMENT for a malformed
   *     address
   */
  public static Session open(String target, Graph graph) {
    return open(target, graph, ConfigProto.getDefaultInstance());
  }

  /** Opens a session with TensorFlow's session settings, among them the operation timeout. */
  public static Session open(String target, Graph graph, ConfigProto config) {
    return open(
        target,
        new Nodes() {
          @Override
          public int count() {
            return graph.builder().operations().size();
          }

          @Override
          public GraphDef from(int first) {
            return graph.builder().toGraphDef(first);
          }
        },
        config);
  }

  /**
   * Opens a session of a serialized graph: only {@code target} needs to know its ops. Feeds,
   * fetches and targets are given by name.
   */
  public static Session open(String target, GraphDef graph, ConfigProto config) {
    return open(
        target,
        new Nodes() {
          @Override
          public int count() {
            return graph.getNodeCount();
          }

          @Override
          public GraphDef from(int first) {
            return graph; // a GraphDef does not grow, so it is always sent whole
          }
        },
        config);
  }

  private static Session open(String target, Nodes nodes, ConfigProto config) {
    // As TensorFlow's own clients request: the master must keep the graph that it was sent, to
    // extend it.
    ConfigProto.Builder settings = config.toBuilder();
    settings.getExperimentalBuilder().setDisableOptimizeForStaticGraph(true);
    return new Session(MasterClient.open(target), nodes, settings.build());
  }

  /** The value of {@code fetch}. */
  public Tensor run(Output fetch) {
    return run(List.of(fetch)).getFirst();
  }

  /**
   * Runs one step.
   *
   * @return the values of {@code fetches}, in their order
   */
  public List<Tensor> run(List<Output> fetches) {
    Runner runner = runner();
    fetches.forEach(runner::fetch);
    return runner.run();
  }

  /** Runs {@code target} and its dependencies. */
  public void run(Operation target) {
    var _ = runner().target(target).run();
  }

  /** A builder of a step: its feeds, fetches and targets. */
  public Runner runner() {
    return new Runner(this, timeout());
  }

  /**
   * Registers a step with the master once, to be called many times (MakeCallable); each call passes
   * the values of {@code feeds}, in this order.
   */
  public SessionCallable callable(
      List<Output> feeds, List<Output> fetches, List<Operation> targets) {
    CallableOptions.Builder options = CallableOptions.newBuilder();
    feeds.forEach(feed -> options.addFeed(feed.name()));
    fetches.forEach(fetch -> options.addFetch(fetch.name()));
    targets.forEach(target -> options.addTarget(target.name()));
    String session = prepare(limits());
    long callable =
        master
            .call(
                MasterServiceGrpc.getMakeCallableMethod(),
                MakeCallableRequest.newBuilder()
                    .setSessionHandle(session)
                    .setOptions(options)
                    .setRequestId(newRequestId())
                    .build(),
                limits())
            .getHandle();
    return new SessionCallable(this, callable, feeds, fetches.size());
  }

  /** The devices of the cluster that this session may use. */
  public List<DeviceAttributes> devices() {
    ListDevicesResponse devices =
        master.call(
            MasterServiceGrpc.getListDevicesMethod(),
            ListDevicesRequest.newBuilder().setSessionHandle(prepare(limits())).build(),
            limits());
    List<DeviceAttributes> all = new ArrayList<>(devices.getLocalDeviceList());
    all.addAll(devices.getRemoteDeviceList());
    return List.copyOf(all);
  }

  /**
   * Closes every session of the master at {@code target} and clears {@code containers}, with the
   * variables in them, on all tasks of its cluster; the default containers if the list is empty.
   */
  public static void reset(String target, List<String> containers, Duration timeout) {
    try (MasterClient master = MasterClient.open(target)) {
      var _ =
          master.call(
              MasterServiceGrpc.getResetMethod(),
              ResetRequest.newBuilder().addAllContainer(containers).build(),
              MasterClient.Limits.within(timeout));
    }
  }

  /** The target of the master. */
  public String target() {
    return master.target();
  }

  /**
   * Whether the channel to the master is connected now. The first call to the master connects it,
   * and waits for a master that does not listen yet.
   */
  public boolean isConnected() {
    return master.isConnected();
  }

  MasterClient master() {
    return master;
  }

  /**
   * Sends the nodes that the master does not have yet (CreateSession or ExtendSession).
   *
   * @return the session's handle
   */
  String prepare(MasterClient.Limits limits) {
    Cancellation either = new Cancellation();
    try (var _ = ended.onCancel(either::cancel);
        var _ = limits.cancellation().onCancel(either::cancel)) {
      lock.lockInterruptibly();
      try {
        checkOpen();
        return prepareLocked(new MasterClient.Limits(limits.timeout(), either));
      } finally {
        lock.unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StatusException(StatusCode.CANCELLED, "interrupted before the step", e);
    }
  }

  private void checkOpen() {
    if (closed) {
      throw new StatusException(StatusCode.FAILED_PRECONDITION, "the session was closed");
    }
  }

  private String prepareLocked(MasterClient.Limits limits) {
    int operations = nodes.count();
    if (handle.isEmpty()) {
      create(limits);
    } else if (operations > sentOperations) {
      extend(limits);
    }
    sentOperations = operations;
    return handle;
  }

  /** The session's handle at its master; empty before the first run and once closed. */
  Optional<String> openHandle() {
    lock.lock();
    try {
      return closed || handle.isEmpty() ? Optional.empty() : Optional.of(handle);
    } finally {
      lock.unlock();
    }
  }

  private void create(MasterClient.Limits limits) {
    CreateSessionResponse created =
        master.call(
            MasterServiceGrpc.getCreateSessionMethod(),
            CreateSessionRequest.newBuilder()
                .setGraphDef(nodes.from(0))
                .setConfig(config)
                .setTarget(master.target())
                .build(),
            limits);
    handle = created.getSessionHandle();
    graphVersion = created.getGraphVersion();
  }

  private void extend(MasterClient.Limits limits) {
    graphVersion =
        master
            .call(
                MasterServiceGrpc.getExtendSessionMethod(),
                ExtendSessionRequest.newBuilder()
                    .setSessionHandle(handle)
                    .setGraphDef(nodes.from(sentOperations))
                    .setCurrentGraphVersion(graphVersion)
                    .build(),
                limits)
            .getNewGraphVersion();
  }

  private Optional<Duration> timeout() {
    long millis = config.getOperationTimeoutInMs();
    return millis > 0 ? Optional.of(Duration.ofMillis(millis)) : Optional.empty();
  }

  MasterClient.Limits limits() {
    return new MasterClient.Limits(timeout(), new Cancellation());
  }

  /** Never 0, which TensorFlow takes for a request without duplicate detection. */
  long newRequestId() {
    long id = requestIds.nextLong();
    return id == 0 ? 1 : id;
  }

  /** Closes the session at the master, which ends its steps. Idempotent. */
  @Override
  public void close() {
    ended.cancel();
    String open;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      open = handle;
    } finally {
      lock.unlock();
    }
    if (!open.isEmpty()) {
      try {
        var _ =
            master.call(
                MasterServiceGrpc.getCloseSessionMethod(),
                CloseSessionRequest.newBuilder().setSessionHandle(open).build(),
                MasterClient.Limits.within(CLOSE_TIMEOUT));
      } catch (StatusException e) {
        LOGGER.log(
            Level.WARNING,
            () -> "session " + open + " was not closed at its master: " + e.getMessage());
      }
    }
    master.close();
  }
}
