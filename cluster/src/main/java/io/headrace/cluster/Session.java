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
 * Runs a {@link Graph} on a cluster, through the master of one of its tasks: one of ours or of
 * stock TensorFlow's.
 *
 * <pre>{@code
 * try (Session session = Session.open(server.target(), g)) {
 *   Tensor product = session.run(a.mul(b));
 * }
 * }</pre>
 *
 * <p>Variables belong to the cluster's tasks, and outlive the session. Operations that were added
 * to the graph since the last run are sent before the next one. Runs may go on on several threads
 * at once, but not while the graph is added to. Failures have the codes and messages of the master:
 * ABORTED, for one, if it was restarted and does not know the session.
 */
public final class Session implements AutoCloseable {
  private static final Logger LOGGER = System.getLogger(Session.class.getName());
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

  /** The nodes that a session tells its master of, in the order that they were added in. */
  private interface Nodes {
    int count();

    /** Those from {@code first} on, and the functions. */
    GraphDef from(int first);
  }

  private final MasterClient master;
  private final Nodes nodes;
  private final ConfigProto config;
  private final SecureRandom requestIds = new SecureRandom();

  /** Cancelled when the session is closed: nothing is told to the master any more. */
  private final Cancellation ended = new Cancellation();

  /** Held while the master is told of the graph. */
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
   * A session of {@code graph} at {@code target}. Nothing is sent before the first run.
   *
   * @param target {@code grpc://host:port}, as {@link Server#target}
   * @throws StatusException NOT_FOUND for another kind of target, INVALID_ARGUMENT for an address
   *     that is none
   */
  public static Session open(String target, Graph graph) {
    return open(target, graph, ConfigProto.getDefaultInstance());
  }

  /** The same, with TensorFlow's settings of a session, its time-out of operations among them. */
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
   * A session of {@code graph} as it is: its ops need only be known at {@code target}. What is fed,
   * fetched and run is called by its name.
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
            return graph; // it does not grow: it is told from the first node on
          }
        },
        config);
  }

  private static Session open(String target, Nodes nodes, ConfigProto config) {
    // As TensorFlow's own clients ask: the master must keep what it was sent, to extend it.
    ConfigProto.Builder settings = config.toBuilder();
    settings.getExperimentalBuilder().setDisableOptimizeForStaticGraph(true);
    return new Session(MasterClient.open(target), nodes, settings.build());
  }

  /** The value of {@code fetch}. */
  public Tensor run(Output fetch) {
    return run(List.of(fetch)).getFirst();
  }

  /** The values of {@code fetches}, of one step. */
  public List<Tensor> run(List<Output> fetches) {
    Runner runner = runner();
    fetches.forEach(runner::fetch);
    return runner.run();
  }

  /** Runs {@code target}, and all that it needs. */
  public void run(Operation target) {
    var _ = runner().target(target).run();
  }

  /** A step in the making: what is fed, fetched and run. */
  public Runner runner() {
    return new Runner(this, timeout());
  }

  /**
   * A step that is told to the master once, to be run many times: {@code feeds} are given with each
   * call, in this order.
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

  /** The devices of the cluster, as far as this session may use them. */
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
   * Ends every session of the master at {@code target}, and clears {@code containers} of all tasks
   * that it knows of their variables; the default ones if none is named.
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

  /** The target that it was opened at. */
  public String target() {
    return master.target();
  }

  /**
   * Whether there is a connection to the master now. The first call makes one, and waits for a
   * master that does not listen yet.
   */
  public boolean isConnected() {
    return master.isConnected();
  }

  MasterClient master() {
    return master;
  }

  /** Tells the master what it does not know of the graph; the session's handle. */
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

  /** The session's handle at its master, while there is one. */
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

  /** Never 0: that is a request that may be run twice. */
  long newRequestId() {
    long id = requestIds.nextLong();
    return id == 0 ? 1 : id;
  }

  /** Ends its steps, and forgets it at the master. Idempotent. */
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
