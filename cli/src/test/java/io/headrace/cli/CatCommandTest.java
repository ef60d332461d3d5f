package io.headrace.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.DataService;
import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 5, unit = MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CatCommandTest {
  private final DispatchServer dispatcher = DispatchServer.create(DispatcherConfig.defaults());
  private WorkerServer worker = new WorkerServer(WorkerConfig.forDispatcher("localhost:1"));

  @BeforeAll
  void start() {
    dispatcher.start();
    worker = WorkerServer.start(WorkerConfig.forDispatcher(dispatcher.address()));
  }

  @AfterAll
  void stop() {
    worker.close();
    dispatcher.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "grpc", "stream"})
  void cat_writesAnElementALine(String transfer) {
    String id = DataService.registerDataset(dispatcher.target(), Dataset.range(3));

    CommandRun run = cat(id, "--data-transfer-protocol=" + transfer);

    assertThat(run.status()).isZero();
    assertThat(run.out()).isEqualTo("0\n1\n2\n");
    assertThat(run.err().lines())
        .satisfiesExactly(
            promise -> assertThat(promise).startsWith("read at most once: without sharding"),
            total -> assertThat(total).matches("3 elements, [\\d,]+/s, 0.0 MB, from 1 worker"));
  }

  @Test
  void cat_limit_stopsThere() {
    String id = DataService.registerDataset(dispatcher.target(), Dataset.range(1_000_000));

    assertThat(cat(id, "--limit=2").out()).isEqualTo("0\n1\n");
  }

  @Test
  void cat_unknownDataset_failsInOneLine() {
    CommandRun run = cat("no-such-dataset");

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).hasLineCount(1).contains("no-such-dataset");
  }

  private CommandRun cat(String datasetId, String... more) {
    String[] args = new String[3 + more.length];
    args[0] = "cat";
    args[1] = "--dispatcher-address=" + dispatcher.address();
    args[2] = "--dataset-id=" + datasetId;
    System.arraycopy(more, 0, args, 3, more.length);
    return CommandRun.of(args);
  }
}
