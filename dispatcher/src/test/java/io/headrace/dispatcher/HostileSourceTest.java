package io.headrace.dispatcher;

import static io.headrace.dispatcher.SourceGraphs.after;
import static io.headrace.dispatcher.SourceGraphs.numberIn;
import static io.headrace.dispatcher.SourceGraphs.rangeTo;
import static io.headrace.dispatcher.SourceGraphs.write;
import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.headrace.dispatcher.graph.SourceEvaluation;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.DispatcherServiceGrpc.DispatcherServiceBlockingStub;
import io.headrace.rpc.GrpcChannels;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Operation;
import io.headrace.runtime.status.StatusCode;
import io.opentelemetry.api.metrics.MeterProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Datasets whose sources would harm the dispatcher that computes them, sent to a whole server. */
@Timeout(60)
final class HostileSourceTest {
  @TempDir private Path folder;
  private Path acknowledged;
  private DispatchServer server;
  private ManagedChannel channel;

  @BeforeEach
  void start() {
    acknowledged = folder.resolve("work").resolve("acknowledged");
    server =
        DispatchServer.create(
            config(),
            () ->
                hurrying(
                    DispatcherDependencies.system(config(), MeterProvider.noop().get("test"))));
    server.start();
    channel = GrpcChannels.open(server.address());
  }

  @AfterEach
  void stop() {
    GrpcChannels.close(channel);
    server.close();
  }

  private DispatcherConfig config() {
    return DispatcherConfig.builder()
        .workDir(folder.resolve("work").toString())
        .faultTolerantMode(true)
        .build();
  }

  /** Dependencies that give sources little time. */
  private static DispatcherDependencies hurrying(DispatcherDependencies system) {
    SourceEvaluation hurried = SourceEvaluation.on(system.background(), Duration.ofSeconds(3));
    return new DispatcherDependencies(
        system.executor(),
        system.background(),
        system.ticker(),
        system.timer(),
        system.journal(),
        system.network(),
        system.random(),
        SplitSourceFinder.on(system.background(), hurried, system.random()),
        system.limits(),
        system.meter(),
        system.onClose());
  }

  private void readDynamically(DatasetDef dataset) {
    DispatcherServiceBlockingStub stub =
        DispatcherServiceGrpc.newBlockingStub(channel).withDeadlineAfter(Duration.ofSeconds(50));
    String id =
        stub.getOrRegisterDataset(TestDispatcher.dataset().toBuilder().setDataset(dataset).build())
            .getDatasetId();
    long job = stub.getOrCreateJob(TestDispatcher.dynamicJob(id)).getJobId();
    var _ = stub.getOrCreateIteration(TestDispatcher.iteration(job, 1));
  }

  @Test
  void job_whoseSourceWritesToTheJournal_isRefusedAndTheJournalIsWhole() throws IOException {
    DatasetDef evil = rangeTo(graph -> after(graph, write(graph, acknowledged), 3));

    assertFails(StatusCode.FAILED_PRECONDITION, () -> readDynamically(evil))
        .hasMessageContaining("op WriteFile (node evil) writes files");

    assertThat(Files.readAllBytes(acknowledged)).asString().doesNotContain("overwritten");
    readDynamically(rangeTo(graph -> after(graph, noOp(graph), 3)));
    server.close();
    server = DispatchServer.start(config());
    assertThat(server.statistics().numDatasets()).isEqualTo(2);
  }

  private static Operation noOp(GraphBuilder graph) {
    return graph.op("NoOp").buildOperation();
  }

  @Test
  void job_whoseSourceReadsTheJournal_isRefused() {
    DatasetDef curious = rangeTo(graph -> numberIn(graph, acknowledged));

    assertFails(StatusCode.FAILED_PRECONDITION, () -> readDynamically(curious))
        .hasMessageContaining(acknowledged + " is in");
  }

  @Test
  void job_whoseSourceReadsAnotherFile_isCreated() throws IOException {
    Path count = Files.writeString(folder.resolve("count"), "12");

    readDynamically(rangeTo(graph -> numberIn(graph, count)));

    assertThat(server.statistics().numUnfinishedIterations()).isEqualTo(1);
  }

  @Test
  void job_whoseSourceNeverEnds_isRefusedInTimeAndOthersGoOn() {
    assertFails(StatusCode.DEADLINE_EXCEEDED, () -> readDynamically(rangeTo(SourceGraphs::endless)))
        .hasMessageContaining("the sources of the dataset take longer");

    readDynamically(rangeTo(graph -> after(graph, noOp(graph), 3)));
  }
}
