package io.headrace.dispatcher.state;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.headrace.dispatcher.DispatcherConfig;
import io.headrace.dispatcher.TestDispatcher;
import io.headrace.dispatcher.decide.Caller;
import io.headrace.dispatcher.decide.DatasetDecisions;
import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.IterationDecisions;
import io.headrace.dispatcher.decide.JobDecisions;
import io.headrace.dispatcher.decide.LivenessView;
import io.headrace.dispatcher.decide.TaskPlanning;
import io.headrace.dispatcher.decide.WorkerDecisions;
import io.headrace.dispatcher.decide.WorkerReport;
import io.headrace.dispatcher.graph.PreparedDataset;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.GetOrCreateIterationRequest;
import io.headrace.proto.data.GetOrCreateJobRequest;
import io.headrace.proto.data.TaskProgress;
import io.headrace.proto.data.WorkerUpdateRequest;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.journal.IterationCreated;
import io.headrace.proto.headrace.journal.JobCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The state machine alone, without server, journal, time or network, driven from a seed. */
final class DispatcherStateTest {
  private static final int STEPS = 400;

  static LongStream seeds() {
    return LongStream.range(0, 50);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void replay_ofAllRecords_givesTheSameState(long seed) {
    RandomRun run = new RandomRun(seed);
    run.steps();

    assertThat(replay(run.records).snapshot()).isEqualTo(run.state.snapshot());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void replay_ofASnapshot_givesTheSameState(long seed) {
    RandomRun run = new RandomRun(seed);
    run.steps();

    DispatcherState copy = replay(run.state.snapshot());

    assertThat(copy.snapshot()).isEqualTo(run.state.snapshot());
    assertThat(copy.iterations().unfinished())
        .extracting(Iteration::id)
        .containsExactlyInAnyOrderElementsOf(
            run.state.iterations().unfinished().stream().map(Iteration::id).toList());
  }

  @Test
  void snapshot_ofAnIterationWithOneOfTwoTasksFinished_isUnfinished() {
    DispatcherState state = new DispatcherState();
    List.of(
            JournalRecords.of(JobCreated.newBuilder().setJobId(5000).build()),
            JournalRecords.of(
                IterationCreated.newBuilder()
                    .setIterationId(2000)
                    .setJobId(5000)
                    .setRepetition(1)
                    .build()),
            JournalRecords.taskCreated(Task.active(4000, 2000, "w:1", OptionalLong.empty())),
            JournalRecords.taskCreated(Task.active(4001, 2000, "w:2", OptionalLong.empty())),
            JournalRecords.taskFinished(4000))
        .forEach(state::apply);

    assertThat(replay(state.snapshot()).iterations().unfinished())
        .extracting(Iteration::id)
        .containsExactly(2000L);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyIteration_endsOnceItsWorkersAreDoneOrLost(long seed) {
    RandomRun run = new RandomRun(seed);
    run.steps();
    run.letAllEnd();

    assertThat(run.state.iterations().unfinished())
        .allSatisfy(iteration -> assertThat(iteration.tasks()).noneMatch(Task::isActive));
    assertThat(run.state.iterations().all())
        .filteredOn(Iteration::isFinished)
        .allSatisfy(iteration ->
            assertThat(iteration.tasks())
                .satisfiesAnyOf(
                    tasks -> assertThat(tasks).isEmpty(),
                    tasks -> assertThat(tasks).anyMatch(Task::isFinished)));
  }

  private static DispatcherState replay(List<JournalRecord> records) {
    DispatcherState state = new DispatcherState();
    records.forEach(state::apply);
    return state;
  }

  /** A random sequence of decisions from a seed. */
  private static final class RandomRun implements LivenessView {
    private final Random random;
    private final DispatcherState state = new DispatcherState();
    private final List<JournalRecord> records = new ArrayList<>();
    private final Set<String> lost = new TreeSet<>();
    private final TaskPlanning planning = new TaskPlanning(TestDispatcher.SMALL);
    private final DatasetDecisions datasets = new DatasetDecisions(TestDispatcher.SMALL);
    private final JobDecisions jobs =
        new JobDecisions(TestDispatcher.SMALL, Guarantee.AT_MOST_ONCE);
    private final WorkerDecisions workers = new WorkerDecisions(TestDispatcher.SMALL, planning);
    private final IterationDecisions iterations =
        new IterationDecisions(
            TestDispatcher.SMALL,
            planning,
            DispatcherConfig.defaults().deploymentMode(),
            List.of("a", "b"));

    RandomRun(long seed) {
      random = new Random(seed);
    }

    @Override
    public boolean isLost(String address) {
      return lost.contains(address);
    }

    @Override
    public boolean isUnheard(String address) {
      return false;
    }

    @Override
    public boolean hasLeft(RegisteredWorker worker) {
      return false;
    }

    @Override
    public Stream<String> aliveAfter(String address) {
      return state.workers().all().stream()
          .map(RegisteredWorker::address)
          .filter(worker -> !lost.contains(worker));
    }

    @Override
    public Set<String> lostWorkers() {
      return lost;
    }

    @Override
    public List<Long> unservedShares(long iterationId) {
      return List.of();
    }

    @Override
    public boolean wasPresent(long taskId, long probe) {
      return taskId % 3 != 0;
    }

    @Override
    public OptionalLong position(long taskId) {
      return taskId % 2 == 0 ? OptionalLong.of(taskId) : OptionalLong.empty();
    }

    void steps() {
      for (int i = 0; i < STEPS; i++) {
        try {
          apply(step().records());
        } catch (StatusException e) {
          assertThat(e.code().isRetriable()).isFalse();
        }
      }
    }

    /** All lost workers return, and every task finishes. */
    void letAllEnd() {
      lost.clear();
      for (RegisteredWorker worker : List.copyOf(state.workers().all())) {
        for (Task task : state.iterations().activeOn(worker.address())) {
          apply(finish(task.id(), worker.address()).records());
        }
      }
    }

    private Decision<?> step() {
      return switch (random.nextInt(10)) {
        case 0 -> datasets.getOrRegister(state, "", metadata(), prepared());
        case 1 -> jobs.getOrCreate(state, job(), Optional.empty(), random.nextLong());
        case 2, 3 ->
            iterations.getOrCreate(
                state, this, iteration(), Optional.of(SplitSourceFinder.Found.NOTHING));
        case 4 -> iterations.release(state, 3000 + random.nextInt(20));
        case 5 -> heartbeat();
        case 6 -> lose();
        case 7, 8 -> finish(4000 + random.nextInt(40), address());
        default -> collect();
      };
    }

    private Decision<?> heartbeat() {
      String address = address();
      lost.remove(address);
      RegisteredWorker worker =
          new RegisteredWorker(
              address,
              List.of(),
              List.of(),
              -1,
              Set.of(),
              0,
              false,
              OptionalLong.empty(),
              "",
              false);
      return workers.heartbeat(
          state, this, new WorkerReport(worker, Set.of(), Map.of(), Map.of(), Caller.IN_PROCESS));
    }

    private Decision<?> lose() {
      String address = address();
      if (!state.workers().contains(address) || !lost.add(address)) {
        return Decision.answer(true);
      }
      return new Decision<>(TaskPlanning.whenLost(state, this, List.of(address)), true);
    }

    private Decision<?> finish(long task, String address) {
      return workers.update(
          state,
          this,
          WorkerUpdateRequest.newBuilder()
              .setWorkerAddress(address)
              .addUpdates(TaskProgress.newBuilder().setTaskId(task).setCompleted(true))
              .build(),
          Caller.IN_PROCESS);
    }

    private Decision<?> collect() {
      List<JournalRecord> collected =
          state.iterations().all().stream()
              .filter(iteration -> iteration.numClients() == 0 && random.nextBoolean())
              .map(iteration -> JournalRecords.iterationCollected(iteration.id()))
              .toList();
      return new Decision<>(collected, true);
    }

    private void apply(List<JournalRecord> decided) {
      decided.forEach(state::apply);
      records.addAll(decided);
    }

    private String address() {
      return "w:" + random.nextInt(4);
    }

    private GetOrCreateJobRequest job() {
      GetOrCreateJobRequest.Builder request =
          GetOrCreateJobRequest.newBuilder().setDatasetId("1000");
      return (random.nextBoolean() ? request : request.setJobName("j" + random.nextInt(2))).build();
    }

    private GetOrCreateIterationRequest iteration() {
      return GetOrCreateIterationRequest.newBuilder()
          .setJobId(5000 + random.nextInt(3))
          .setRepetition(random.nextInt(3))
          .build();
    }

    private static DataServiceMetadata metadata() {
      return DataServiceMetadata.getDefaultInstance();
    }

    private static PreparedDataset prepared() {
      return new PreparedDataset(DatasetDef.getDefaultInstance(), ByteString.EMPTY, List.of());
    }
  }
}
