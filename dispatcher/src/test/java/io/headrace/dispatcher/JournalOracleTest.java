package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.LossReason;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JobCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The ledger's check for two tasks of one part. */
final class JournalOracleTest {
  private final Simulation simulation = new Simulation(0, (_, _) -> {});

  @Test
  void twoSharesOnOneWorker_areTwoParts() {
    iteration(2);
    write(created(4000, "w:1", OptionalLong.of(0)), created(4001, "w:2", OptionalLong.of(1)));
    write(JournalRecords.taskFinished(4000));
    write(
        created(4002, "w:1", OptionalLong.of(1)),
        JournalRecords.taskLost(4001, OptionalLong.empty(), LossReason.WORKER_LOST));

    assertThatCode(simulation::requireUnbroken).doesNotThrowAnyException();
  }

  @Test
  void oneShareOnTwoWorkers_isOnePart() {
    iteration(2);
    write(created(4000, "w:1", OptionalLong.of(0)));
    write(created(4001, "w:2", OptionalLong.of(0)));

    assertThatThrownBy(simulation::requireUnbroken).hasMessageContaining("[4000, 4001]");
  }

  @Test
  void twoTasksOnOneWorker_withoutShares_areOnePart() {
    iteration(0);
    write(created(4000, "w:1", OptionalLong.empty()));
    write(created(4001, "w:1", OptionalLong.empty()));

    assertThatThrownBy(simulation::requireUnbroken).hasMessageContaining("[4000, 4001]");
  }

  private void iteration(long numShards) {
    write(
        JournalRecords.of(JobCreated.newBuilder().setJobId(5000).build()),
        JournalRecords.of(
            IterationCreated.newBuilder()
                .setIterationId(2000)
                .setJobId(5000)
                .setRepetition(1)
                .setNumShards(numShards)
                .build()));
  }

  private static JournalRecord created(long id, String address, OptionalLong shard) {
    return JournalRecords.taskCreated(Task.active(id, 2000, address, shard));
  }

  private void write(JournalRecord... records) {
    simulation.ledger().written(Stream.of(records).map(JournalRecord::toByteArray).toList());
  }
}
