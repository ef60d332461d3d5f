package io.headrace.worker;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.headrace.proto.data.SnapshotTaskDef;
import io.headrace.proto.data.SnapshotTaskProgress;
import io.headrace.proto.tensorflow.StatusProto;
import io.headrace.runtime.device.RemoteDevices;
import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a distributed snapshot that this worker writes, on a thread of its own. Thread-safe.
 */
final class SnapshotStream {
  private static final Logger LOGGER = System.getLogger(SnapshotStream.class.getName());

  private final SnapshotTaskDef task;
  private final SnapshotEnvironment environment;
  private final Cancellation cancellation = new Cancellation();
  private final CountDownLatch ended = new CountDownLatch(1);

  private volatile State state = State.WRITING;
  private volatile @Nullable StatusException failure;

  private enum State {
    WRITING,
    DONE,
    FAILED,
    STOPPED
  }

  SnapshotStream(SnapshotTaskDef task, SnapshotEnvironment environment) {
    this.task = task;
    this.environment = environment;
  }

  void start() {
    Thread.ofPlatform()
        .daemon()
        .name("snapshot-stream-" + task.getStreamIndex())
        .start(() -> {
          try {
            run();
          } finally {
            ended.countDown();
          }
          if (!hasStopped()) {
            environment.onEnd().run();
          }
        });
  }

  /** Whether it writes {@code other}. */
  boolean is(SnapshotTaskDef other) {
    return task.getBasePath().equals(other.getBasePath())
        && task.getStreamIndex() == other.getStreamIndex();
  }

  /** Whether it writes no more. */
  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Waits until it writes no more, at most {@code timeout}. */
  void awaitEnd(Duration timeout) {
    try {
      var _ = ended.await(timeout.toMillis(), MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether it ended for a reason that another attempt may not meet. */
  boolean hasStopped() {
    return state == State.STOPPED;
  }

  /** Ends the thread soon; what is committed stays. */
  void cancel() {
    cancellation.cancel();
  }

  /** How far it is, for the dispatcher. */
  SnapshotTaskProgress progress() {
    SnapshotTaskProgress.Builder progress =
        SnapshotTaskProgress.newBuilder()
            .setSnapshotTask(
                SnapshotTaskDef.newBuilder()
                    .setBasePath(task.getBasePath())
                    .setStreamIndex(task.getStreamIndex()))
            .setCompleted(state == State.DONE);
    @Nullable StatusException reason = failure;
    if (reason != null) {
      progress.setStatus(
          StatusProto.newBuilder()
              .setCodeValue(reason.code().number())
              .setMessage(String.valueOf(reason.message())));
    }
    return progress.build();
  }

  private void run() {
    StreamFiles files = new StreamFiles(task.getBasePath(), task.getStreamIndex());
    WorkerHost host = environment.host();
    try (Resources resources = new Resources();
        RemoteDevices devices = host.pinnable()) {
      if (!files.isDone()) {
        StepContext step =
            new StepContext(
                host.random().nextLong(), host.device(), resources, cancellation, devices);
        new SnapshotPass(task, environment, files, step).run();
      }
      state = State.DONE;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      fail(files, statusOf(e));
    }
  }

  private void fail(StreamFiles files, StatusException reason) {
    if (cancellation.isCancelled() || DispatcherStub.isTransient(reason) || files.isSuperseded()) {
      LOGGER.log(Level.INFO, this + " stops for now: " + reason.message());
      state = State.STOPPED;
      return;
    }
    LOGGER.log(Level.WARNING, this + " failed: " + reason.message());
    files.fail(reason);
    failure = reason;
    state = State.FAILED;
  }

  @Override
  public String toString() {
    return "stream %d of the snapshot at %s".formatted(task.getStreamIndex(), task.getBasePath());
  }

  private static StatusException statusOf(Throwable e) {
    return switch (e) {
      case StatusException status -> status;
      case OutOfMemoryError _ ->
          new StatusException(StatusCode.RESOURCE_EXHAUSTED, "the worker ran out of memory", e);
      default -> {
        LOGGER.log(Level.ERROR, "a stream of a snapshot failed", e);
        yield new StatusException(StatusCode.INTERNAL, "internal error", e);
      }
    };
  }
}
