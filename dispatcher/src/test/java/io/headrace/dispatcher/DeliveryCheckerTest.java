package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.Task;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JobCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The check of a pass whose readers go back to their merged token twice, as two each time. */
final class DeliveryCheckerTest {
  private static final long ITERATION = 2000;
  private static final long TASK = 4000;
  private static final Set<Long> BEGINNERS = Set.of(1L, 2L);
  private static final Set<Long> GROUP = Set.of(11L, 12L);
  private static final SimulatedDataset SOURCES = new SimulatedDataset(3, 0, 1);

  private final Simulation simulation = new Simulation(0, (_, _) -> {});
  private final DeliveryChecker checker = simulation.judge();
  private final SimulatedToken merged = token(BEGINNERS);

  @BeforeEach
  void resumeOnce() {
    write(
        JournalRecords.of(JobCreated.newBuilder().setJobId(5000).build()),
        JournalRecords.of(
            IterationCreated.newBuilder()
                .setIterationId(ITERATION)
                .setJobId(5000)
                .setRepetition(1)
                .build()),
        JournalRecords.taskCreated(Task.active(TASK, ITERATION, "w:1", OptionalLong.empty())));
    joins(1, 3001);
    joins(2, 3002);
    checker.beginsAgain(GROUP, BEGINNERS, merged);
    goOnAndJoin(11, 3011);
    goOnAndJoin(12, 3012);
  }

  private void resumeAgain() {
    checker.beginsAgain(GROUP, Set.of(1L, 2L, 11L, 12L), merged);
    goOnAndJoin(11, 3021);
    goOnAndJoin(12, 3022);
  }

  private void goOnAndJoin(long reader, long client) {
    checker.goesOn(reader, merged);
    joins(reader, client);
  }

  private void joins(long reader, long client) {
    checker.joins(
        ITERATION,
        client,
        SOURCES,
        Guarantee.EXACTLY_ONCE,
        new DeliveryChecker.Who(reader, "job", 1),
        new RecordSet());
  }

  private static SimulatedToken token(Set<Long> readers) {
    TreeMap<Long, SimulatedToken.Pass> passes = new TreeMap<>();
    passes.put(1L, new SimulatedToken.Pass(readers, new RecordSet(), ITERATION));
    return new SimulatedToken(readers, passes, Set.of(), 0, 0, 1);
  }

  private static RecordSet splits(long first, long number) {
    RecordSet splits = new RecordSet();
    splits.add(0, Origins.SPLITS, first, number);
    return splits;
  }

  private void write(JournalRecord... records) {
    simulation.ledger().written(Stream.of(records).map(JournalRecord::toByteArray).toList());
  }

  private void end() {
    write(JournalRecords.taskFinished(TASK));
    checker.judge();
  }

  @Test
  void whatAMemberTook_counts_ifItDiesBeforeItComesBack() {
    resumeAgain();
    checker.took(3022, splits(0, 1));
    checker.goesOn(12, token(Set.of(12L)));
    checker.dies(3022);
    checker.took(3021, splits(1, 2));

    end();

    assertThatCode(simulation::requireUnbroken).doesNotThrowAnyException();
  }

  @Test
  void whatAMemberTookBeforeItsGroupWentBack_isMissing() {
    checker.took(3012, splits(0, 1));
    resumeAgain();
    checker.took(3021, splits(1, 2));

    end();

    assertThatThrownBy(simulation::requireUnbroken).hasMessageContaining("were taken");
  }

  @Test
  void whatAMemberTookBeforeItsGroupWentBack_mayBeTakenAgain() {
    checker.took(3012, splits(0, 1));
    checker.reported(3012, splits(0, 1));
    resumeAgain();
    checker.took(3021, splits(0, 3));

    end();

    assertThatCode(simulation::requireUnbroken).doesNotThrowAnyException();
  }

  @Test
  void whatAMemberTook_mayBeTakenAgain_onceItGoesBackToTheGroupsToken() {
    checker.took(3012, splits(0, 1));
    checker.reported(3012, splits(0, 1));
    checker.goesOn(12, merged);
    checker.dies(3012); // and its request arrives
    checker.took(3011, splits(0, 3));

    end();

    assertThatCode(simulation::requireUnbroken).doesNotThrowAnyException();
  }

  @Test
  void whatAMemberTook_isNotTakenByAnother() {
    resumeAgain();
    checker.took(3022, splits(0, 1));
    checker.reported(3022, splits(0, 1));
    checker.took(3021, splits(0, 3));

    assertThatThrownBy(simulation::requireUnbroken).hasMessageContaining("client 3022 has taken");
  }
}
