package io.headrace.client;

import static io.headrace.client.SharedNumbers.N;
import static io.headrace.client.SharedNumbers.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.headrace.client.SharedNumbers.Reader;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.data.ReleaseIterationClientRequest;
import io.headrace.proto.headrace.DispatcherExtensionsGrpc;
import io.headrace.proto.headrace.JoinIterationRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** A reader that has all elements that there are for it, and waits for the end of the pass. */
@Timeout(120)
@Isolated // reads the log
final class AwaitedEndTest {
  /** The name by which readers of a registered dataset share a job. */
  private static final String JOB = "dataset_id=/numbers/epochs";

  private final SharedNumbers numbers = new SharedNumbers();
  private final ManagedChannel channel =
      ManagedChannelBuilder.forTarget(numbers.address()).usePlaintext().build();

  @BeforeEach
  void register() {
    var _ = numbers.dataset(named());
  }

  @AfterEach
  void stop() throws Exception {
    channel.shutdownNow();
    numbers.close();
  }

  /** A reader that hangs: it never says what it has received. */
  private long hangingReader() {
    return DispatcherExtensionsGrpc.newBlockingStub(channel)
        .joinIteration(
            JoinIterationRequest.newBuilder()
                .setJob(
                    GetOrCreateJobRequest.newBuilder()
                        .setDatasetId("numbers")
                        .setJobName(JOB)
                        .setTargetWorkers(TargetWorkers.AUTO.toProto())
                        .setProcessingModeDef(
                            ProcessingModeDef.newBuilder()
                                .setShardingPolicy(ShardingPolicy.DYNAMIC)))
                .setRepetition(1)
                .setReader(7)
                .build())
        .getIterationClientId();
  }

  @Test
  void reader_whoseWorkersHaveSentAll_isToldThatTheOthersAreAwaited() throws InterruptedException {
    long hanging = hangingReader();
    Reader reader = numbers.read(named());
    CompletableFuture<List<Long>> rest;
    try (WaitLog log = new WaitLog()) {
      rest = reader.begin(Reader::rest);
      assertThat(log.next())
          .matches(
              ".*: workers \\[\\S+] have sent all that they had, and the pass has not ended; it"
                  + " ends once the other readers of job "
                  + JOB
                  + " have taken theirs");
    }
    var _ =
        DispatcherServiceGrpc.newBlockingStub(channel)
            .releaseIterationClient(
                ReleaseIterationClientRequest.newBuilder().setIterationClientId(hanging).build());

    assertThat(rest.join()).hasSize((int) N);
  }
}
