package io.headrace.examples;

import io.headrace.cluster.Session;
import io.headrace.cluster.SessionCallable;
import io.headrace.proto.tensorflow.ConfigProto;
import io.headrace.runtime.device.Device;
import io.headrace.runtime.device.DeviceSpec;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.time.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * One of several trainers that share the parameters of a {@link ClassifierGraph}: a session on the
 * server of its own worker. Not thread-safe.
 */
public final class Trainer implements AutoCloseable {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

  /** The limit of each call: without it, a trainer would wait for a missing server forever. */
  private static final Duration STEP_TIMEOUT = Duration.ofMinutes(2);

  /**
   * The result of learning from a batch.
   *
   * @param loss the mean loss of its images, before the update
   * @param globalStep the batches that all trainers have learnt from
   */
  public record Step(float loss, long globalStep) {}

  private final ClassifierGraph graph;
  private final Session session;
  private Optional<SessionCallable> learning = Optional.empty();

  /**
   * Opens a session, without sending anything.
   *
   * @param target the server of the worker that {@code graph} is pinned to. Where that is a GPU,
   *     what has no kernel for one runs on the worker's CPU
   */
  public Trainer(String target, ClassifierGraph graph) {
    this.graph = graph;
    this.session =
        Session.open(
            target,
            graph.graph(),
            ConfigProto.newBuilder()
                .setOperationTimeoutInMs(STEP_TIMEOUT.toMillis())
                .setAllowSoftPlacement(isGpu(graph.device()))
                .build());
  }

  private static boolean isGpu(String device) {
    return DeviceSpec.parse(device).type().equals(Optional.of(Device.GPU));
  }

  /** Initializes the parameters; called by one trainer, the chief. */
  public void initialize() {
    session.run(graph.initializer());
  }

  /**
   * Waits until the chief has initialized the parameters.
   *
   * @throws StatusException DEADLINE_EXCEEDED after {@code longest}
   */
  public void awaitInitialized(Duration longest, Ticker ticker) {
    long started = ticker.nanoTime();
    while (!session.run(graph.ready()).bool(0)) {
      if (ticker.nanoTime() - started > longest.toNanos()) {
        throw StatusException.of(
            StatusCode.DEADLINE_EXCEEDED,
            "no chief has initialized the parameters in %d s",
            longest.toSeconds());
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
  }

  /** Learns from a batch of images, float32 [size, 28, 28], and their labels, int32 [size]. */
  public Step learn(Tensor images, Tensor labels) {
    SessionCallable callable = learning.orElseGet(this::makeLearning);
    learning = Optional.of(callable);
    List<Tensor> values = callable.call(List.of(images, labels));
    return new Step(values.get(0).floats()[0], values.get(1).longs()[0]);
  }

  private SessionCallable makeLearning() {
    return session.callable(
        List.of(graph.images(), graph.labels()), List.of(graph.loss(), graph.step()), List.of());
  }

  /** The number of correctly classified images of a batch. */
  public int classify(Tensor images, Tensor labels) {
    return session
        .runner()
        .feed(graph.images(), images)
        .feed(graph.labels(), labels)
        .fetch(graph.right())
        .run()
        .getFirst()
        .ints()[0];
  }

  /** Closes the session; the parameters stay on their server. Idempotent. */
  @Override
  public void close() {
    session.close();
  }
}
