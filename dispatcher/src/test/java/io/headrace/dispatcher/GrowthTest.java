package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.headrace.dataset.Dataset;
import io.headrace.proto.data.TaskInfo;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.WatchIterationResponse;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The growth of the dispatcher's work from 10 workers to 10,000: the cost of a peer's request must
 * not depend on the number of other peers. Work is measured as bytes allocated by the request's
 * thread, which does all of it here, and as bytes sent to readers.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class GrowthTest {
  private static final int FEW = 10;
  private static final int MANY = 10_000;
  private static final int REPEATED = 8;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final Map<String, Long> withFew = new TreeMap<>();
  private final Map<String, Long> withMany = new TreeMap<>();

  @BeforeAll
  void measure() {
    // A warm-up, which creates what exists once per process.
    measure(FEW, new TreeMap<>());
    measureLosses(FEW, new TreeMap<>());
    measure(FEW, withFew);
    measureLosses(FEW, withFew);
    measure(MANY, withMany);
    measureLosses(MANY, withMany);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a worker registers",
        "a heartbeat of a worker",
        "a worker takes splits",
        "a task ends",
        "a lost task's work is given to another worker",
        "a reader is told that a task ended",
        "a reader is told of a new worker",
      })
  void work_withAThousandTimesTheWorkers_isTheSame(String what) {
    assertThat(withMany.get(what))
        .as("%s: of all, %s with few workers and %s with many", what, withFew, withMany)
        .isLessThan(2 * bytes(withFew, what));
  }

  @Test
  void iteration_begins_withOneTaskAWorker() {
    assertThat(bytes(withMany, "an iteration begins") / MANY)
        .isLessThan(2 * bytes(withFew, "an iteration begins") / FEW);
  }

  private static long bytes(Map<String, Long> work, String what) {
    return Objects.requireNonNull(work.get(what), what);
  }

  private static void measure(int workers, Map<String, Long> work) {
    try (TestDispatcher dispatcher = new TestDispatcher()) {
      for (int i = 0; i < workers - REPEATED; i++) {
        dispatcher.startWorker(address(i));
      }
      long job =
          dispatcher
              .stub()
              .getOrCreateJob(
                  TestDispatcher.dynamicJob(dispatcher.register(Dataset.range(1 << 30))))
              .getJobId();
      long[] client = new long[1];
      work.put("an iteration begins", allocated(() -> client[0] = dispatcher.iterate(job, 1)));
      TestDispatcher.Watch watch = dispatcher.watchChanges(client[0]);
      work.put(
          "a worker registers",
          least(i -> dispatcher.startWorker(address(workers - REPEATED + i))));
      work.put("a reader is told of a new worker", size(watch.last()));
      long firstTask = watch.told.getFirst().getTaskInfo(0).getTaskId();
      work.put(
          "a heartbeat of a worker", least(i -> dispatcher.heartbeat(address(i), firstTask + i)));
      work.put("a worker takes splits", least(i -> take(dispatcher, firstTask + i)));
      work.put("a task ends", least(i -> dispatcher.finish(address(i), firstTask + i)));
      work.put("a reader is told that a task ended", size(watch.last()));
    }
  }

  /** Restarts workers that have each taken a split, which others then make again. */
  private static void measureLosses(int workers, Map<String, Long> work) {
    try (TestDispatcher dispatcher = new TestDispatcher()) {
      TestPeers peers = new TestPeers(dispatcher);
      for (int i = 0; i < workers; i++) {
        peers.start(address(i));
      }
      long client =
          peers
              .join(peers.request(Dataset.range(1 << 30)).setGuarantee(Guarantee.AT_LEAST_ONCE))
              .getIterationClientId();
      List<TaskInfo> tasks = peers.tasks(client);
      for (int i = 0; i < REPEATED; i++) {
        assertThat(peers.take(tasks.get(i).getTaskId(), 1).getNumSplits()).isEqualTo(1);
      }
      work.put(
          "a lost task's work is given to another worker",
          least(i -> peers.start(tasks.get(i).getWorkerAddress(), 1)));
      // Each lost task has two successors: the new process's own task, and one for the remainder.
      assertThat(peers.tasks(client)).hasSize(workers + REPEATED);
    }
  }

  private static String address(int worker) {
    return "worker-%05d:1".formatted(worker);
  }

  private static void take(TestDispatcher dispatcher, long task) {
    var _ =
        dispatcher
            .extensions()
            .takeSplits(
                TakeSplitsRequest.newBuilder()
                    .setTaskId(task)
                    .setMaxSplits(1)
                    .setRequestNumber(1)
                    .build());
  }

  private static long size(WatchIterationResponse told) {
    return told.getSerializedSize();
  }

  @FunctionalInterface
  private interface Request {
    void make(int number);
  }

  /** The least of several requests, which excludes the growth of hash tables. */
  private static long least(Request request) {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < REPEATED; i++) {
      int number = i;
      least = Math.min(least, allocated(() -> request.make(number)));
    }
    return least;
  }

  private static long allocated(Runnable request) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    request.run();
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }
}
