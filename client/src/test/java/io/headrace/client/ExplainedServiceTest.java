package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.DispatchServer;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.worker.WorkerConfig;
import io.headrace.worker.WorkerServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The plan of a distributed dataset. */
@Timeout(60)
final class ExplainedServiceTest {
  private final DispatchServer dispatcher = DispatchServer.start(DispatcherConfig.defaults());
  private final String address = dispatcher.address();
  private final WorkerServer worker = WorkerServer.start(WorkerConfig.forDispatcher(address));

  @AfterEach
  void stop() {
    worker.close();
    dispatcher.close();
  }

  private static Dataset numbers() {
    return Dataset.range(6000).map(x -> x.mul(2));
  }

  private Dataset distributed(Dataset dataset, DistributeOptions options) {
    return dataset.apply(DataService.distribute(options, dispatcher.target()));
  }

  @Test
  void distributedDataset_hasThePlanOfItsWorkers_withShardingAndGuarantee() {
    String plan =
        distributed(numbers(), DistributeOptions.of(ProcessingMode.DYNAMIC)).batch(3).explain();

    assertThat(plan.lines().map(String::strip))
        .anyMatch(line -> line.startsWith("the workers of " + address + " run dataset "))
        .anyMatch(line -> line.startsWith("range(start=0, stop=6000, step=1)"))
        .anyMatch(line -> line.startsWith("map") && line.contains("{ Mul }"))
        .contains("source: 6,000 splits", "guarantee exactly_once")
        .anyMatch(line -> line.startsWith("sharding dynamic: "))
        .last()
        .asString()
        .startsWith("batch(batch_size=3");
  }

  @Test
  void guaranteeThatIsWeaker_hasItsReason() {
    assertThat(
            distributed(numbers().take(3), DistributeOptions.of(ProcessingMode.DYNAMIC)).explain())
        .contains("guarantee at_most_once: TakeDataset: ");
    assertThat(
            distributed(
                    numbers(),
                    DistributeOptions.of(ProcessingMode.DYNAMIC)
                        .withGuarantee(Guarantee.AT_LEAST_ONCE))
                .explain())
        .contains("guarantee at_least_once, as asked for; the strongest is exactly_once");
  }

  @Test
  void dispatcherThatDoesNotAnswer_isSaid() {
    Dataset distributed = distributed(numbers(), DistributeOptions.of(ProcessingMode.DYNAMIC));
    dispatcher.close();

    assertThat(distributed.explain())
        .contains("the workers of " + address + " run dataset ", "; its plan is not known here: ");
    assertThat(distributed.toString()).doesNotContain("the workers of");
  }
}
