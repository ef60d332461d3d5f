package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.client.ReadStatistics.LostTask;
import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.rpc.FreePort;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A task that was given to a worker which had just died: nobody read anything of it. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // mostly waits
final class UntouchedTaskTest {
  private static final int N = 100;

  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final WorkerConfig config = WorkerConfig.forDispatcher(dispatcher.address());
  private final WorkerServer alive = WorkerServer.start(config);
  private final int port = FreePort.find(new Random());
  private final CuttableLink link = CuttableLink.open(port);
  private final WorkerServer dead =
      WorkerServer.start(
          config
              .withPort(port)
              .withWorkerAddress(link.target().replace("grpc://", ""))
              .withShutdownQuietPeriod(Duration.ZERO));

  @BeforeEach
  void die() {
    link.cut();
  }

  @AfterEach
  void stop() {
    dead.close();
    alive.close();
    dispatcher.close();
    link.close();
  }

  private List<LostTask> losses(DistributeOptions options) {
    ReadStatistics statistics = new ReadStatistics();
    Dataset shared =
        Dataset.range(N)
            .apply(DataService.distribute(options.withStatistics(statistics), dispatcher.target()));
    assertThat(shared).hasSize(N);
    return statistics.lostTasks();
  }

  @ParameterizedTest
  @EnumSource(Guarantee.class)
  void untouchedTask_underDynamicSharding_isNoLoss(Guarantee guarantee) {
    assertThat(losses(DistributeOptions.of(ProcessingMode.DYNAMIC).withGuarantee(guarantee)))
        .isEmpty();
  }

  @Test
  void untouchedTask_thatWasToMakeACopyOfTheDataset_isALoss() {
    assertThat(losses(DistributeOptions.of(ProcessingMode.PARALLEL_EPOCHS))).hasSize(1);
  }
}
