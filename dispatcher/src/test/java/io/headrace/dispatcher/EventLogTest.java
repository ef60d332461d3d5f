package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.proto.data.ProcessingModeDef.ShardingPolicy;
import io.headrace.proto.headrace.LeaveWorkerRequest;
import io.headrace.runtime.time.LogLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The dispatcher's log of workers, jobs and readers that come and go. */
final class EventLogTest {
  private static final List<Logger> LOGGERS =
      List.of(
          Logger.getLogger(EventLog.class.getName()),
          Logger.getLogger(JobLog.class.getName()),
          Logger.getLogger(WorkerMonitor.class.getName()));

  private final TestDispatcher dispatcher = new TestDispatcher();
  private final TestPeers peers = new TestPeers(dispatcher);
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void listen() {
    for (Logger logger : LOGGERS) {
      logger.setFilter(this::note);
      logger.setLevel(Level.INFO);
    }
  }

  @AfterEach
  void close() {
    dispatcher.close();
    for (Logger logger : LOGGERS) {
      logger.setFilter(null);
      logger.setLevel(null);
    }
  }

  /** Keeps a line, and out of the log of the tests. */
  private boolean note(LogRecord line) {
    lines.add(line.getLevel() + " " + new SimpleFormatter().formatMessage(line));
    return false;
  }

  private long read() {
    var job = peers.job(Dataset.range(100), ShardingPolicy.OFF).build();
    return dispatcher.iterate(dispatcher.stub().getOrCreateJob(job).getJobId(), 1);
  }

  private void leave(String address) {
    dispatcher.network().stop(address);
    var _ =
        dispatcher
            .extensions()
            .leaveWorker(
                LeaveWorkerRequest.newBuilder()
                    .setWorkerAddress(address)
                    .setIncarnation(address.hashCode())
                    .build());
  }

  private List<String> warnings() {
    return lines.stream().filter(line -> line.startsWith("WARNING")).toList();
  }

  @Test
  void worker_isLoggedAsItComes_oncePerProcess() {
    peers.start("w:1", 1);
    peers.start("w:1", 1);
    peers.start("w:1", 2);

    assertThat(lines)
        .containsExactly(
            "INFO worker w:1 has registered",
            "INFO worker w:1 has registered, another process than the one before at this address");
  }

  @Test
  void reader_isLoggedAsItJoinsAndLeaves_withItsJob() {
    peers.start("w:1");
    long client = read();
    dispatcher.release(client);

    assertThat(lines)
        .anyMatch(
            line -> line.matches("INFO reader " + client + " has joined iteration 2000.*job.*"))
        .anyMatch(
            line -> line.matches("INFO reader " + client + " has left iteration 2000.*job.*"));
  }

  @Test
  void reader_leavesBeforeTheEnd_orBehindIt() {
    peers.start("w:1");
    long early = read();
    dispatcher.release(early);
    long late = read();
    dispatcher.finish("w:1", peers.task(late, "w:1"));
    dispatcher.release(late);

    assertThat(lines)
        .anyMatch(line -> line.matches("INFO reader " + early + " has left .* before its end"))
        .anyMatch(line ->
            line.matches("INFO reader " + late + " has left .*, which was read to its end"));
  }

  /** A reader of a group of {@code together} that resumes from the token of reader 7. */
  private long resume(long index, long together) {
    return peers
        .join(
            peers
                .request(Dataset.range(10), "epochs")
                .setReader(together * 10 + index)
                .setJoinId(together * 10 + index)
                .addPredecessors(7)
                .setReaders(together)
                .setReaderIndex(index)
                .setWaitsForAll(true))
        .getIterationClientId();
  }

  @Test
  void groupThatResumes_isLoggedWithItsNumbers_andWarnedOfWhileSomeAreMissing() {
    peers.start("w:1");
    long client = resume(1, 3);
    dispatcher.advance(Duration.ofSeconds(29));
    assertThat(warnings()).isEmpty();

    dispatcher.advance(Duration.ofSeconds(60));

    assertThat(lines)
        .anyMatch(line ->
            line.startsWith(
                    "INFO reader " + client + ", number 1 of 3 that resume together, has joined")
                && line.endsWith(
                    "waits for readers 0, 2 of 3, which resume together and count from 0"));
    assertThat(warnings()).hasSize(2);
    assertThat(warnings().getFirst())
        .contains(" (epochs) has waited for 30 s for readers 0, 2 of 3, which resume together");
  }

  @Test
  void groupOfAnotherSize_isSaidToEndTheOneBefore() {
    peers.start("w:1");
    long first = resume(0, 3);
    long _ = resume(3, 4);

    assertThat(lines)
        .anyMatch(line ->
            line.startsWith("INFO reader " + first + ", number 0 of 3, of job ")
                && line.contains("resumes as number 3 of 4 from a checkpoint of the same reader")
                && line.contains("a group of 4 ends the one of 3: if 3 still read, that reader"));
  }

  @Test
  void silentReader_isGivenUp() {
    peers.start("w:1");
    long client = read();
    var _ = dispatcher.clientHeartbeat(client);

    dispatcher.advance(DispatcherConfig.defaults().clientTimeout().multipliedBy(2));

    assertThat(lines).anyMatch(line -> line.startsWith("INFO reader " + client + " of iteration"));
  }

  @Test
  void iteration_isLoggedOnceItIsReadToItsEnd() {
    peers.start("w:1");
    peers.start("w:2");
    long client = read();
    dispatcher.finish("w:1", peers.task(client, "w:1"));
    assertThat(lines).noneMatch(line -> line.contains("read to its end"));
    dispatcher.finish("w:2", peers.task(client, "w:2"));

    assertThat(lines).filteredOn(line -> line.contains("was read to its end")).hasSize(1);
  }

  @Test
  void lastWorker_thatLeavesInOrder_isNeverLost() {
    peers.start("w:1");
    var _ = read();

    leave("w:1");
    dispatcher.advance(Duration.ofSeconds(30));

    assertThat(warnings()).isEmpty();
    assertThat(lines).contains("INFO worker w:1 has left; 1 of its tasks wait for a worker");
  }

  @Test
  void workerThatLeft_andAnswersStill_getsNoTask() {
    peers.start("w:1");
    var _ = read();
    leave("w:1");
    FakeWorkerNetwork.Node node = dispatcher.network().start("w:1");
    node.tasks().clear();

    dispatcher.advance(Duration.ofSeconds(3));

    assertThat(node.tasks()).isEmpty();
    assertThat(lines).noneMatch(line -> line.contains("answers again"));
  }

  @Test
  void taskOfAWorkerThatLeft_isToldAsLeft_onceAnotherWorkerComes() {
    peers.start("w:1");
    var _ = read();
    leave("w:1");

    peers.start("w:2");
    dispatcher.advance(Duration.ofSeconds(2));

    assertThat(lines).anyMatch(line -> line.contains("ended as its worker w:1 left"));
    assertThat(lines).noneMatch(line -> line.contains("ended with its worker"));
  }

  @Test
  void lostTask_thatNobodyReads_isMissedByNobody() {
    peers.start("w:1");
    peers.start("w:2");
    dispatcher.release(read());

    peers.lose("w:1");

    assertThat(lines)
        .anyMatch(line ->
            line.startsWith("INFO task 4000")
                && line.endsWith("its reader has left, and nobody misses the rest"));
    assertThat(lines).noneMatch(line -> line.contains("missing"));
  }

  @Test
  void workerOfAnEarlierLife_thatDoesNotAnswer_getsNoTask_andNoWarning() {
    peers.start("w:1");
    peers.start("w:2");
    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      TestPeers after = new TestPeers(restarted);
      after.start("w:2");
      lines.clear();
      long client = restarted.read("RangeDataset");

      restarted.advance(Duration.ofSeconds(12));

      assertThat(restarted.clientHeartbeat(client).getTaskInfoList())
          .singleElement()
          .satisfies(task -> assertThat(task.getWorkerAddress()).isEqualTo("w:2"));
    }
    assertThat(warnings()).isEmpty();
    assertThat(lines).anyMatch(line -> line.startsWith("INFO worker w:1 is gone"));
  }

  @Test
  void workerOfAnEarlierLife_whoseTaskNobodyReads_isGoneWithoutAWarning() {
    peers.start("w:1");
    dispatcher.release(read());
    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      lines.clear();

      restarted.advance(Duration.ofSeconds(12));
    }
    assertThat(warnings()).isEmpty();
    assertThat(lines)
        .filteredOn(line -> line.startsWith("INFO worker w:1 is gone"))
        .singleElement()
        .satisfies(line -> assertThat(line).endsWith("nobody reads its 1 tasks"));
  }

  @Test
  void workerOfAnEarlierLife_whoseTaskIsRead_isLostWithOneWarning() {
    peers.start("w:1");
    long client = read();
    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      lines.clear();
      for (int i = 0; i < 12; i++) {
        var _ = restarted.clientHeartbeat(client);
        restarted.advance(Duration.ofSeconds(1));
      }
    }
    assertThat(warnings())
        .singleElement()
        .satisfies(line -> assertThat(line).startsWith("WARNING worker w:1 is lost"));
  }

  @Test
  void workerOfAnEarlierLife_getsItsTask_onceItAnswers() {
    peers.start("w:1");
    try (TestDispatcher restarted =
        new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen())) {
      restarted.network().start("w:1");
      long client = restarted.read("RangeDataset");

      restarted.advance(Duration.ofSeconds(2));

      assertThat(restarted.clientHeartbeat(client).getTaskInfoCount()).isEqualTo(1);
    }
  }

  @Test
  void events_aboveTheirNumber_areCounted() {
    AtomicLong nanos = new AtomicLong();
    EventLog log = new EventLog(nanos::get);
    for (int i = 0; i < LogLimit.MAX_LINES + 7; i++) {
      log.forgotten("w:" + i);
    }
    assertThat(lines).hasSize(LogLimit.MAX_LINES);
    lines.clear();

    nanos.addAndGet(LogLimit.PERIOD.toNanos());
    log.forgotten("w:last");

    assertThat(lines)
        .containsExactly(
            "INFO 7 events were not logged, as there were too many",
            "INFO worker w:last is forgotten");
  }
}
