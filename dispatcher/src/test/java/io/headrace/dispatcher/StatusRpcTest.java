package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.journal.InMemoryJournal;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.DatasetStatus;
import io.headrace.proto.headrace.DispatcherStatus;
import io.headrace.proto.headrace.GetStatusRequest;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.proto.headrace.PeerKind;
import io.headrace.proto.headrace.ReaderStatus;
import io.headrace.proto.headrace.ReportReadingRequest;
import io.headrace.proto.headrace.WorkerStatus;
import io.headrace.runtime.status.StatusCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The dispatcher's state as operators see it. */
final class StatusRpcTest {
  private static final Dataset NUMBERS = Dataset.range(100);

  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);

  @AfterEach
  void close() {
    dispatcher.close();
  }

  private GetStatusResponse status() {
    return page(0, 0);
  }

  private GetStatusResponse page(long maxEntries, long skip) {
    return dispatcher
        .admin()
        .getStatus(GetStatusRequest.newBuilder().setMaxEntries(maxEntries).setSkip(skip).build());
  }

  private IterationStatus onlyIteration() {
    assertThat(status().getJobsList()).hasSize(1);
    assertThat(status().getJobs(0).getIterationsList()).hasSize(1);
    return status().getJobs(0).getIterations(0);
  }

  private WorkerStatus worker(String address) {
    return status().getWorkersList().stream()
        .filter(worker -> worker.getAddress().equals(address))
        .findFirst()
        .orElseThrow();
  }

  /** A stock client joins the first pass of a new job. */
  private long readAsStock(Dataset dataset, ShardingPolicy policy) {
    GetOrCreateJobRequest job = peers.job(dataset, policy).build();
    return dispatcher.iterate(dispatcher.stub().getOrCreateJob(job).getJobId(), 1);
  }

  @Test
  void newDispatcher_hasItsJournalAndNothingElse() {
    dispatcher.advance(Duration.ofSeconds(90));

    DispatcherStatus status = status().getDispatcher();

    assertThat(status.getUptimeMs()).isEqualTo(90_000);
    assertThat(status.getVersion()).isNotEmpty();
    assertThat(status.getJournalId()).isEqualTo(dispatcher.memory().id().toString());
    assertThat(status.getEpoch()).isEqualTo(dispatcher.memory().epoch());
    assertThat(status.getFaultTolerant()).isFalse();
    assertThat(status.getWorkDir()).isEmpty();
    assertThat(status.hasLastCommitMicros()).isFalse();
    assertThat(status().toBuilder().clearDispatcher().build())
        .isEqualTo(GetStatusResponse.getDefaultInstance());
  }

  @Test
  void journal_isAsLargeAsItsRecords() {
    dispatcher.startWorker("w:1");
    dispatcher.read("RangeDataset");
    List<byte[]> records = new ArrayList<>();
    dispatcher.memory().replay(records::add);

    DispatcherStatus status = status().getDispatcher();

    assertThat(status.getJournalRecords()).isEqualTo(records.size()).isPositive();
    assertThat(status.getJournalBytes())
        .isEqualTo(records.stream().mapToLong(record -> record.length).sum());
    assertThat(status.getLastCommitMicros()).isZero();
  }

  @Test
  void restartedDispatcher_hasTheSizeOfItsJournal_andCompactionReducesIt() {
    InMemoryJournal memory = dispatcher.memory();
    for (int i = 0; i < 12_000; i++) {
      dispatcher.release(dispatcher.read("RangeDataset"));
    }
    long compacted = status().getDispatcher().getJournalRecords();
    List<byte[]> records = new ArrayList<>();
    memory.replay(records::add);

    assertThat(compacted).isEqualTo(records.size()).isLessThan(48_000);
    try (TestDispatcher restarted = new TestDispatcher(DispatcherConfig.defaults(), memory)) {
      assertThat(
              restarted
                  .admin()
                  .getStatus(GetStatusRequest.getDefaultInstance())
                  .getDispatcher()
                  .getJournalRecords())
          .isEqualTo(records.size());
    }
  }

  @Test
  void workers_areOursOrStock_withTheirTasksAndHeartbeats() {
    peers.start("ours:1");
    dispatcher.startWorker("stock:1");
    dispatcher.read("RangeDataset");
    dispatcher.advance(Duration.ofSeconds(7));
    dispatcher.heartbeat("stock:1", 4001L);

    WorkerStatus ours = worker("ours:1");
    WorkerStatus stock = worker("stock:1");

    assertThat(ours.getKind()).isEqualTo(PeerKind.HEADRACE);
    assertThat(stock.getKind()).isEqualTo(PeerKind.STOCK);
    assertThat(List.of(ours, stock))
        .allSatisfy(worker -> {
          assertThat(worker.getState()).isEqualTo(WorkerStatus.State.REGISTERED);
          assertThat(worker.getActiveTasks()).isEqualTo(1);
          assertThat(worker.getSilentMs()).isLessThanOrEqualTo(1000);
        });
    assertThat(ours.getHeartbeatAgeMs()).isEqualTo(7000);
    assertThat(stock.getHeartbeatAgeMs()).isZero();
  }

  @Test
  void workerThatIsGone_isLost_sinceItWasLastHeard() {
    peers.start("w:1");
    peers.start("w:2");
    readAsStock(NUMBERS, ShardingPolicy.OFF);
    dispatcher.network().stop("w:1");
    dispatcher.advance(Duration.ofSeconds(20));

    assertThat(worker("w:1").getState()).isEqualTo(WorkerStatus.State.LOST);
    assertThat(worker("w:1").getSilentMs()).isBetween(19_000L, 20_000L);
    assertThat(worker("w:1").getActiveTasks()).isZero();
    assertThat(status().getDispatcher().getLostWorkers()).isEqualTo(1);
    assertThat(status().getDispatcher().getTasksLost()).isEqualTo(1);
    assertThat(onlyIteration().getLostTasks()).isEqualTo(1);
  }

  @Test
  void workerThatLeft_andThatATaskWaitsFor_isShownAsSuch() {
    peers.start("w:1");
    long client = readAsStock(NUMBERS.take(50), ShardingPolicy.DYNAMIC);

    var _ =
        dispatcher
            .extensions()
            .leaveWorker(
                LeaveWorkerRequest.newBuilder()
                    .setWorkerAddress("w:1")
                    .setIncarnation("w:1".hashCode())
                    .addDrainedTaskIds(peers.task(client, "w:1"))
                    .build());

    assertThat(worker("w:1").getState()).isEqualTo(WorkerStatus.State.LEFT);
    assertThat(worker("w:1").getActiveTasks()).isEqualTo(1);
  }

  @Test
  void workerOfAnEarlierLife_isUnheard_untilItAnswers() {
    peers.start("w:1");
    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory())) {
      GetStatusRequest all = GetStatusRequest.getDefaultInstance();

      assertThat(restarted.admin().getStatus(all).getWorkers(0).getState())
          .isEqualTo(WorkerStatus.State.UNHEARD);

      restarted.network().start("w:1");
      restarted.advance(Duration.ofSeconds(2));

      assertThat(restarted.admin().getStatus(all).getWorkers(0).getState())
          .isEqualTo(WorkerStatus.State.REGISTERED);
    }
  }

  @Test
  void datasets_ofEqualGraphs_haveEqualFingerprints() {
    dispatcher.register(Dataset.range(10));
    dispatcher.register(Dataset.range(10));
    dispatcher.createJob(dispatcher.register(Dataset.range(11)));

    List<DatasetStatus> datasets = status().getDatasetsList();

    assertThat(datasets).extracting(DatasetStatus::getId).containsExactly("1000", "1001", "1002");
    assertThat(datasets).extracting(DatasetStatus::getInUse).containsExactly(false, false, true);
    assertThat(datasets)
        .allSatisfy(dataset -> assertThat(dataset.getFingerprint()).matches("[0-9a-f]{8}"));
    assertThat(datasets.get(1).getFingerprint()).isEqualTo(datasets.get(0).getFingerprint());
    assertThat(datasets.get(2).getFingerprint()).isNotEqualTo(datasets.get(0).getFingerprint());
    assertThat(status().getDispatcher().getDatasetBytes())
        .isEqualTo(datasets.stream().mapToLong(DatasetStatus::getGraphBytes).sum());
  }

  @Test
  void job_hasItsModeAndGuarantee_andTheSplitsThatAreHandedOut() {
    peers.start("w:1");
    long client =
        peers
            .join(peers.request(NUMBERS, "training").setGuarantee(Guarantee.AT_MOST_ONCE))
            .getIterationClientId();
    var _ = peers.take(peers.task(client, "w:1"), 10);

    JobStatus job = status().getJobs(0);

    assertThat(job.getName()).isEqualTo("training");
    assertThat(job.getAnonymous()).isFalse();
    assertThat(job.getDatasetId()).isEqualTo("of-training");
    assertThat(job.getSharding()).isEqualTo(ShardingPolicy.DYNAMIC);
    assertThat(job.getGuarantee()).isEqualTo(Guarantee.AT_MOST_ONCE);
    assertThat(job.getGuaranteeReason()).isNotEmpty();
    IterationStatus iteration = onlyIteration();
    assertThat(iteration.getRepetition()).isEqualTo(1);
    assertThat(iteration.getFinished()).isFalse();
    assertThat(iteration.getReaders()).isEqualTo(1);
    assertThat(iteration.getActiveTasks()).isEqualTo(1);
    assertThat(iteration.getSplitsHandedOut()).isEqualTo(10);
    assertThat(iteration.getSplits()).isEqualTo(100);
  }

  @Test
  void lostTask_readAtMostOnce_missesItsSplits() {
    peers.start("w:1");
    peers.start("w:2");
    long client =
        peers
            .join(peers.request(NUMBERS).setGuarantee(Guarantee.AT_MOST_ONCE))
            .getIterationClientId();
    var _ = peers.take(peers.task(client, "w:1"), 10);

    peers.lose("w:1");

    assertThat(onlyIteration().getSplitsMissing()).isEqualTo(10);
    assertThat(status().getDispatcher().getSplitsMissing()).isEqualTo(10);
  }

  @Test
  void announcedDeliveries_areCounted_andWhatALossCosts() {
    peers.start("w:1");
    peers.start("w:2");
    long client = readAsStock(NUMBERS, ShardingPolicy.DYNAMIC);
    long lost = peers.task(client, "w:1");
    var _ = peers.take(lost, 10);
    peers.announce(lost, 1, TestPeers.splits(0, 3), 3, 0);
    peers.announce(lost, 2, TestPeers.splits(3, 2), 5, 3);

    assertThat(onlyIteration().getElementsAnnounced()).isEqualTo(5);
    assertThat(onlyIteration().getElementsDelivered()).isEqualTo(3);
    assertThat(onlyIteration().getElementsMissing()).isZero();

    peers.lose("w:1");

    assertThat(onlyIteration().getElementsMissing()).isEqualTo(2);
    assertThat(onlyIteration().getElementsAnnounced()).isEqualTo(5);
  }

  @Test
  void recordsDelivered_areCounted_ifReadAtLeastOnce() {
    peers.start("w:1");
    long client =
        peers
            .join(peers.request(NUMBERS).setGuarantee(Guarantee.AT_LEAST_ONCE))
            .getIterationClientId();
    long task = peers.task(client, "w:1");
    var _ = peers.take(task, 10);
    peers.deliver(task, TestPeers.splits(0, 4));
    peers.deliver(task, TestPeers.splits(4, 2));

    assertThat(onlyIteration().getRecordsDelivered()).isEqualTo(6);
    assertThat(onlyIteration().hasRecordsTaken()).isFalse();
  }

  @Test
  void recordsTaken_areCounted_ifReadExactlyOnceInANamedJob() {
    peers.start("w:1");
    long client = peers.join(peers.request(NUMBERS, "shared")).getIterationClientId();
    var _ = peers.take(peers.task(client, "w:1"), 10);
    peers.taken(client, TestPeers.splits(0, 7));

    assertThat(onlyIteration().getRecordsTaken()).isEqualTo(7);
  }

  @Test
  void settlement_isOpen_untilTheReaderHasAnswered() {
    peers.start("w:1");
    peers.start("w:2");
    long client = peers.join(peers.request(NUMBERS)).getIterationClientId();
    long lost = peers.task(client, "w:1");
    var _ = peers.take(lost, 4);

    peers.lose("w:1");

    assertThat(onlyIteration().getOpenSettlements()).isEqualTo(1);

    peers.answer(client, lost, TestPeers.splits(0, 4));

    assertThat(onlyIteration().getOpenSettlements()).isZero();
  }

  @Test
  void elementsHandedOut_areCountedByIterationAndWorker() {
    peers.start("w:1");
    peers.start("w:2");
    long client = readAsStock(NUMBERS, ShardingPolicy.OFF);
    peers.handOut("w:1", peers.task(client, "w:1"), 30);
    peers.handOut("w:2", peers.task(client, "w:2"), 5);
    peers.handOut("w:1", peers.task(client, "w:1"), 50);

    assertThat(onlyIteration().getElementsHandedOut()).isEqualTo(55);
    assertThat(worker("w:1").getElements()).isEqualTo(50);
    assertThat(onlyIteration().hasSplits()).isFalse();
  }

  @Test
  void finishedIteration_isShown_whileAReaderStays() {
    dispatcher.startWorker("w:1");
    long client = dispatcher.read("RangeDataset");
    dispatcher.finish("w:1", 4000);

    assertThat(onlyIteration().getFinished()).isTrue();
    assertThat(onlyIteration().getFinishedTasks()).isEqualTo(1);

    dispatcher.release(client);
    dispatcher.advance(Duration.ofSeconds(2));

    assertThat(status().getJobsList()).isEmpty();
  }

  @Test
  void readers_areKnownByTheirCalls() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "shared");
    long ours = dispatcher.iterate(job, 1);
    long stock = dispatcher.iterate(job, 1);
    long silent = dispatcher.iterate(job, 1);
    dispatcher.watch(ours);
    dispatcher.clientHeartbeat(stock);
    dispatcher.advance(Duration.ofSeconds(3));

    List<ReaderStatus> readers = status().getReadersList();

    assertThat(readers).extracting(ReaderStatus::getId).containsExactly(ours, stock, silent);
    assertThat(readers)
        .extracting(ReaderStatus::getKind)
        .containsExactly(PeerKind.HEADRACE, PeerKind.STOCK, PeerKind.PEER_KIND_UNSPECIFIED);
    assertThat(readers)
        .extracting(ReaderStatus::getHeartbeatAgeMs)
        .containsExactly(0L, 3000L, 3000L);
    assertThat(readers).extracting(ReaderStatus::getWatches).containsExactly(true, false, false);
    assertThat(readers).extracting(ReaderStatus::getHasSpoken).containsExactly(true, true, false);
    assertThat(readers).allSatisfy(reader -> assertThat(reader.getJobId()).isEqualTo(job));
  }

  private void report(long client, long elements, long waitMillis) {
    var _ =
        dispatcher
            .extensions()
            .reportReading(
                ReportReadingRequest.newBuilder()
                    .setIterationClientId(client)
                    .setElements(elements)
                    .setWaitMs(waitMillis)
                    .build());
  }

  @Test
  void readersThatReport_areShownWithTheirElementsAndWaits() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "shared");
    long one = dispatcher.iterate(job, 1);
    long two = dispatcher.iterate(job, 1);
    int appends = dispatcher.journal().appends();
    report(one, 100, 20);
    report(two, 7, 0);
    report(one, 150, 90);

    assertThat(onlyIteration().getElementsReturned()).isEqualTo(157);
    assertThat(status().getReadersList())
        .extracting(ReaderStatus::getElements)
        .containsExactly(150L, 7L);
    assertThat(status().getReaders(0).getWaitMs()).isEqualTo(90);
    assertThat(status().getReaders(0).getKind()).isEqualTo(PeerKind.HEADRACE);
    assertThat(dispatcher.journal().appends()).isEqualTo(appends);
    assertFails(StatusCode.NOT_FOUND, () -> report(77, 1, 1));
    assertFails(StatusCode.INVALID_ARGUMENT, () -> report(one, -1, 1));
  }

  @Test
  void journalThatRefuses_isReported_andTheStatusIsAnswered() {
    dispatcher.startWorker("w:1");
    assertThat(status().getDispatcher().getJournalRefuses()).isFalse();
    dispatcher.journal().failNextAppend();
    assertFails(StatusCode.UNAVAILABLE, () -> dispatcher.register("RangeDataset"));

    GetStatusResponse during = status();

    assertThat(during.getDispatcher().getJournalRefuses()).isTrue();
    assertThat(during.getWorkersList()).hasSize(1);
  }

  @Test
  void negativePage_isRefused() {
    assertFails(StatusCode.INVALID_ARGUMENT, () -> page(-1, 0)).hasMessageContaining("max_entries");
    assertFails(StatusCode.INVALID_ARGUMENT, () -> page(0, -1)).hasMessageContaining("skip");
  }

  @Test
  void pages_haveAllEntriesOnce_andSayHowManyFollow() {
    for (int i = 0; i < 5; i++) {
      dispatcher.startWorker("w:" + (i + 1));
    }
    GetStatusResponse first = page(2, 0);
    GetStatusResponse last = page(2, 4);

    assertThat(first.getWorkersList())
        .extracting(WorkerStatus::getAddress)
        .containsExactly("w:1", "w:2");
    assertThat(first.getWorkersLeftOut()).isEqualTo(3);
    assertThat(page(2, 2).getWorkersLeftOut()).isEqualTo(1);
    assertThat(last.getWorkersList()).extracting(WorkerStatus::getAddress).containsExactly("w:5");
    assertThat(last.getWorkersLeftOut()).isZero();
    assertThat(page(2, 6).getWorkersList()).isEmpty();
    assertThat(page(2, 6).getWorkersLeftOut()).isZero();
    assertThat(first.getDispatcher().getWorkers()).isEqualTo(5);
  }

  @Test
  void jobOfManyIterations_showsTheLatest() {
    dispatcher.startWorker("w:1");
    long job = dispatcher.createJob(dispatcher.register("RangeDataset"), "epochs");
    for (int i = 1; i <= 10; i++) {
      dispatcher.iterate(job, i);
    }

    assertThat(status().getJobs(0).getIterationsList())
        .extracting(IterationStatus::getRepetition)
        .containsExactly(10L, 9L, 8L, 7L, 6L, 5L, 4L, 3L);
    assertThat(status().getJobs(0).getIterationsLeftOut()).isEqualTo(2);
  }

  @Test
  void largeCluster_costsATurnAPage_andNoRecord() {
    int workers = 10_000;
    int jobs = 1_000;
    String dataset = dispatcher.register("RangeDataset");
    dispatcher.startWorker("w:1");
    for (int i = 0; i < jobs; i++) {
      dispatcher.iterate(dispatcher.createJob(dataset, "job-" + i), 1);
      dispatcher.finish("w:1", 4000 + i);
    }
    for (int i = 2; i <= workers; i++) {
      dispatcher.startWorker("w:" + i);
    }
    dispatcher.iterate(dispatcher.createJob(dataset, "last"), 1);
    long turns = status().getDispatcher().getTurns();
    int appends = dispatcher.journal().appends();
    Set<String> seenWorkers = new HashSet<>();
    Set<Long> seenJobs = new HashSet<>();
    int pages = 0;

    GetStatusResponse page;
    do {
      page = page(0, (long) pages * StatusPage.MAX_ENTRIES);
      page.getWorkersList().forEach(worker -> seenWorkers.add(worker.getAddress()));
      page.getJobsList().forEach(job -> seenJobs.add(job.getId()));
      pages++;
    } while (page.getWorkersLeftOut() > 0);

    assertThat(pages).isEqualTo(20);
    assertThat(page.getDispatcher().getTurns() - turns).isEqualTo(pages);
    assertThat(dispatcher.journal().appends()).isEqualTo(appends);
    assertThat(seenWorkers).hasSize(workers);
    assertThat(seenJobs).hasSize(jobs + 1);
  }
}
