package io.headrace.client;

import static io.headrace.client.PauseOps.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.proto.headrace.ElementTrace;
import io.headrace.proto.headrace.TracedCall;
import io.headrace.proto.headrace.TracedStage;
import io.headrace.proto.headrace.TracedTask;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Traces of elements on servers of this process. */
@Timeout(180)
@SuppressWarnings("InterruptedExceptionSwallowed") // JUnit accepts any exception
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class TraceElementTest {
  private static final Duration SLOW = Duration.ofMillis(40);
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final long MANY = 10_000_000;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Deque<AutoCloseable> running = new ArrayDeque<>();
  private final DispatchServer dispatcher = keep(DispatchServer.start(DispatcherConfig.defaults()));
  private final DispatcherInspection inspection =
      keep(DispatcherInspection.of(dispatcher.target(), LONG));

  private <T extends AutoCloseable> T keep(T started) {
    running.push(started);
    return started;
  }

  @BeforeEach
  void start() {
    var _ =
        keep(
            WorkerServer.start(
                WorkerConfig.forDispatcher(dispatcher.address())
                    .withShutdownQuietPeriod(Duration.ZERO)));
  }

  @AfterEach
  void stop() throws Exception {
    while (!running.isEmpty()) {
      running.pop().close();
    }
    threads.shutdownNow();
  }

  private ElementIterator read(Dataset dataset, Transfer transfer) {
    DistributeOptions options =
        DistributeOptions.of(ProcessingMode.DYNAMIC).withJobName("job").withTransfer(transfer);
    return keep(dataset.apply(DataService.distribute(options, dispatcher.target())).iterator());
  }

  /** Reads as fast as it can, until the iterator is closed. */
  private void readAll(Dataset dataset, Transfer transfer) {
    ElementIterator elements = read(dataset, transfer);
    CompletableFuture<Boolean> begun = new CompletableFuture<>();
    var _ =
        threads.submit(() -> {
          while (elements.hasNext()) {
            var _ = elements.next();
            begun.complete(true);
          }
          return null;
        });
    begun.join();
  }

  /** Two rows of a slow map in each batch. */
  private static Dataset slow() {
    return Dataset.range(MANY).map(x -> pause(x, SLOW)).batch(2);
  }

  private static List<String> names(TracedTask task) {
    return task.getStagesList().stream().map(TracedStage::getName).toList();
  }

  private static List<TracedCall> calls(TracedTask task, int stage) {
    return task.getCallsList().stream()
        .filter(call -> call.getStage() == stage)
        .filter(call -> call.getBeginMicros() >= task.getMakingMicros())
        .filter(call -> call.getEndMicros() <= task.getQueuedMicros())
        .toList();
  }

  private static boolean contains(TracedCall outer, TracedCall inner) {
    return outer.getThread() == inner.getThread()
        && outer.getBeginMicros() <= inner.getBeginMicros()
        && outer.getEndMicros() >= inner.getEndMicros();
  }

  @Test
  void slowStage_hasTheTimeOfItsElement() {
    readAll(slow(), Transfer.STREAM);

    TracedTask task = inspection.trace("job", LONG).getTask();

    assertThat(names(task)).hasSize(3);
    assertThat(names(task).get(0)).startsWith("Batch");
    assertThat(names(task).get(1)).startsWith("Map");
    assertThat(names(task).get(2)).startsWith("Range");
    assertThat(task.getStagesList()).extracting(TracedStage::getConsumer).containsExactly(-1, 0, 1);
    TracedCall batch = calls(task, 0).getLast();
    assertThat(batch.getRows()).isEqualTo(task.getRows());
    List<TracedCall> maps = calls(task, 1);
    assertThat(maps).isNotEmpty().allMatch(map -> contains(batch, map));
    // A map may have taken the rows in an earlier call: it hands slow ones on one by one.
    assertThat(calls(task, 2))
        .allMatch(range -> maps.stream().anyMatch(map -> contains(map, range)));
    long inMaps = maps.stream().mapToLong(c -> c.getEndMicros() - c.getBeginMicros()).sum();
    assertThat(Duration.ofNanos(inMaps * 1000)).isGreaterThanOrEqualTo(SLOW.multipliedBy(2));
  }

  @Test
  void moments_areInOrder() {
    readAll(slow(), Transfer.STREAM);

    ElementTrace trace = inspection.trace("job", LONG);

    TracedTask task = trace.getTask();
    assertThat(trace.getMissing()).isEmpty();
    assertThat(
            List.of(
                task.getBeginMicros(),
                task.getMakingMicros(),
                task.getQueuedMicros(),
                task.getTakenMicros(),
                task.getSentMicros(),
                task.getEndMicros()))
        .isSorted();
    assertThat(task.getCallsLeftOut()).isZero();
    assertThat(task.getCallsList())
        .allMatch(call -> call.getBeginMicros() <= call.getEndMicros())
        .allMatch(call -> call.getThread() >= 0 && call.getThread() < task.getThreadsCount());
  }

  @Test
  void callsOfAThread_containOneAnotherOrFollow() {
    readAll(
        Dataset.range(MANY).map(x -> pause(x, Duration.ofMillis(1)), 2).batch(8).prefetch(2),
        Transfer.STREAM);

    TracedTask task = inspection.trace("job", LONG).getTask();

    assertThat(task.getThreadsCount()).isGreaterThan(1);
    task.getCallsList().stream()
        .filter(call -> call.getThread() >= 0)
        .collect(Collectors.groupingBy(TracedCall::getThread))
        .values()
        .forEach(TraceElementTest::assertNested);
  }

  private static void assertNested(List<TracedCall> ofThread) {
    Deque<TracedCall> around = new ArrayDeque<>();
    ofThread.stream()
        .sorted(
            Comparator.comparingLong(TracedCall::getBeginMicros)
                .thenComparing(Comparator.comparingLong(TracedCall::getEndMicros).reversed()))
        .forEach(call -> {
          while (!around.isEmpty() && around.peek().getEndMicros() <= call.getBeginMicros()) {
            around.pop();
          }
          assertThat(around.stream().allMatch(outer -> contains(outer, call))).isTrue();
          around.push(call);
        });
  }

  @ParameterizedTest
  @EnumSource(names = {"STREAM", "LOCAL"})
  void ownReader_isTheEnd(Transfer transfer) {
    readAll(slow(), transfer);

    ElementTrace trace = inspection.trace("job", LONG);

    assertThat(trace.getMissing()).isEmpty();
    assertThat(trace.getEnd()).isEmpty();
    assertThat(trace.hasReader()).isTrue();
    assertThat(trace.getReader().getPosition()).isEqualTo(trace.getTask().getPosition());
    assertThat(trace.getReader().getTaskId()).isEqualTo(trace.getTask().getTaskId());
    assertThat(trace.getReader().getReceivedMicros())
        .isLessThanOrEqualTo(trace.getReader().getHandedOverMicros());
    assertThat(trace.getReader().getHost()).isEqualTo("loopback");
  }

  @Test
  void readerByGetElement_endsAtTheWorkersAnswer() {
    readAll(slow(), Transfer.GRPC);

    ElementTrace trace = inspection.trace("job", LONG);

    assertThat(trace.getMissing()).isEmpty();
    assertThat(trace.getEnd()).contains("ends at the worker's answer");
    assertThat(trace.hasReader()).isFalse();
    assertThat(trace.getTask().getDelivery()).isEqualTo(TracedTask.Delivery.GET_ELEMENT);
    assertThat(trace.getTask().getSentMicros())
        .isGreaterThanOrEqualTo(trace.getTask().getTakenMicros());
  }

  @Test
  void laterTrace_isOfALaterElement() {
    readAll(slow(), Transfer.STREAM);

    long first = inspection.trace("job", LONG).getTask().getPosition();
    long second = inspection.trace("job", LONG).getTask().getPosition();

    assertThat(second).isGreaterThan(first);
  }

  @Test
  void jobThatMakesNoElement_namesTheStageAtWork() throws Exception {
    ElementIterator elements =
        read(
            Dataset.range(MANY)
                .map(x -> pause(x, Duration.ofMillis(5)))
                .filter(x -> x.less(Ops.constant(Tensor.scalar(0L)))),
            Transfer.STREAM);
    var _ = threads.submit(elements::hasNext);
    while (!isMeasured()) {
      Thread.onSpinWait();
    }

    ElementTrace trace = inspection.trace("job", SHORT);

    assertThat(trace.getMissing())
        .startsWith("task " + trace.getTask().getTaskId() + ": no element was made within ")
        .contains(" has been in one call for ");
    assertThat(trace.getTask().getCallsList()).anyMatch(TracedCall::getOpen);
    assertThat(trace.getTask().getQueuedMicros()).isZero();
  }

  private boolean isMeasured() {
    try {
      return inspection.statistics("job").getStagesCount() > 0;
    } catch (StatusException e) {
      assertThat(e.code()).isEqualTo(StatusCode.NOT_FOUND);
      return false;
    }
  }

  @Test
  void readerThatTakesNothing_isSeenAtTheWorkersBuffer() {
    ElementIterator elements =
        read(
            Dataset.range(MANY).map(x -> Ops.fill(Ops.constant(Tensor.vector(500_000)), x)),
            Transfer.STREAM);
    var _ = elements.next();

    ElementTrace trace = inspection.trace("job", Duration.ofSeconds(1));

    assertThat(trace.getMissing()).containsPattern("the worker's buffer|was sent to a reader");
    assertThat(trace.hasReader()).isFalse();
  }

  @Test
  void jobThatWasReadToItsEnd_hasNoTask() {
    ElementIterator elements = read(Dataset.range(3), Transfer.STREAM);
    while (elements.hasNext()) {
      var _ = elements.next();
    }

    assertThatThrownBy(() -> inspection.trace("job", LONG))
        .isInstanceOfSatisfying(
            StatusException.class,
            e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
        .hasMessageContaining("job \"job\" has no task that can be traced: ");
  }

  @Test
  void jobThatIsNotThere_isNotFound() {
    assertThatThrownBy(() -> inspection.trace("nothing", LONG))
        .isInstanceOfSatisfying(
            StatusException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.NOT_FOUND))
        .hasMessageContaining("no job has the name or id \"nothing\"");
  }
}
