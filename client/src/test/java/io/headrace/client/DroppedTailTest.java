package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dataset.Element;
import io.headrace.dataset.ElementIterator;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Pipelines whose last rows become no element, read exactly once. The worker is lost when its rows
 * have arrived and the reader has taken only the first: the end of its task is then all that the
 * reader finds behind the dropped rows.
 */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class DroppedTailTest {
  private static final long N = 600;

  static Stream<Arguments> pipelines() {
    Dataset numbers = Dataset.range(N);
    return Stream.of(
        Arguments.of(
            Named.of("filter", numbers.filter(x -> x.less(500))), LongStream.range(0, 500)),
        Arguments.of(
            Named.of("filter that drops all but the first", numbers.filter(x -> x.less(1))),
            LongStream.range(0, 1)),
        Arguments.of(Named.of("no row is dropped", numbers), LongStream.range(0, N)));
  }

  @ParameterizedTest
  @MethodSource("pipelines")
  void readerOfALostWorkersTask_comesToItsEnd(Dataset pipeline, LongStream expected) {
    try (DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
        ElementIterator elements =
            pipeline.apply(DataService.distribute(options(), dispatcher.target())).iterator()) {
      WorkerServer lost = startWorker(dispatcher);
      List<Long> values = new ArrayList<>();
      while (values.isEmpty()) {
        add(elements.next(), values);
      }
      pause(2_000); // for the rest to arrive
      lost.close();
      try (WorkerServer _ = startWorker(dispatcher)) {
        elements.forEachRemaining(element -> {
          add(element, values);
          pause(10); // so that the dispatcher knows all before the reader has taken all
        });
      }
      assertThat(values).containsExactlyInAnyOrderElementsOf(expected.boxed().toList());
    }
  }

  private static void pause(long millis) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private static void add(Element element, List<Long> values) {
    for (int i = 0; i < element.tensor().elements(); i++) {
      values.add(element.tensor().integer(i));
    }
  }

  private static DistributeOptions options() {
    return DistributeOptions.of(ProcessingMode.DYNAMIC).withGuarantee(Guarantee.EXACTLY_ONCE);
  }

  private static WorkerServer startWorker(DispatchServer dispatcher) {
    return WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  }
}
