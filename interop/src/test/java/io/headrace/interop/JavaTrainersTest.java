package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.client.DistributeOptions;
import io.headrace.client.ProcessingMode;
import io.headrace.dataset.Dataset;
import io.headrace.dataset.ElementIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Java trainers that read in step, or share a cache, where servers are TensorFlow's. */
@Timeout(300)
final class JavaTrainersTest {
  private final Servers servers = new Servers();

  @AfterEach
  void stopServers() {
    servers.close();
  }

  private String start(String dispatchers, String workers) throws InterruptedException {
    String dispatcher =
        dispatchers.equals("stock")
            ? servers.startStockDispatcher()
            : servers.startHeadraceDispatcher();
    if (workers.equals("stock")) {
      servers.startStockWorker(dispatcher);
    } else {
      servers.startHeadraceWorker(dispatcher);
    }
    return dispatcher;
  }

  private static List<Long> take(String dispatcher, DistributeOptions options, int count) {
    Dataset endless = Dataset.range(1 << 30).repeat(-1);
    List<Long> taken = new ArrayList<>();
    try (ElementIterator elements =
        endless.apply(DataService.distribute(options, "grpc://" + dispatcher)).iterator()) {
      while (taken.size() < count) {
        taken.add(elements.next().tensor().integer(0));
      }
    }
    return taken;
  }

  private static DistributeOptions job(String name) {
    return DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS).withJobName(name);
  }

  @ParameterizedTest
  @CsvSource({"headrace, stock", "stock, headrace", "stock, stock"})
  void trainers_readInStep_andThroughACache(String dispatchers, String workers)
      throws InterruptedException, ExecutionException {
    String dispatcher = start(dispatchers, workers);

    assertThat(inStep(dispatcher))
        .containsExactly(
            LongStream.range(0, 100).map(i -> 2 * i).boxed().toList(),
            LongStream.range(0, 100).map(i -> 2 * i + 1).boxed().toList());
    for (String trainer : List.of("one", "other")) {
      assertThat(take(dispatcher, job("cached").withCrossTrainerCache(trainer), 200))
          .isEqualTo(LongStream.range(0, 200).boxed().toList());
    }
  }

  /** The elements that each of two trainers reads in a hundred steps. */
  private static List<List<Long>> inStep(String dispatcher)
      throws InterruptedException, ExecutionException {
    List<Future<List<Long>>> trainers = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
      for (int i = 0; i < 2; i++) {
        DistributeOptions place = job("in step").withConsumers(i, 2);
        trainers.add(threads.submit(() -> take(dispatcher, place, 100)));
      }
    }
    return List.of(trainers.get(0).get(), trainers.get(1).get());
  }
}
