package io.headrace.dispatcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.dataset.Dataset;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.proto.data.GetSplitRequest;
import io.headrace.proto.headrace.Guarantee;
import io.headrace.proto.headrace.TakeSplitsRequest;
import io.headrace.proto.headrace.WatchIterationResponse;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The number of splits reported lost with a worker, where lost work is not made again. */
final class LostSplitsTest {
  private static final Duration REFUSALS = Duration.ofSeconds(5);

  private TestDispatcher dispatcher = new TestDispatcher();

  @AfterEach
  void close() {
    dispatcher.close();
  }

  @Test
  void lostTask_ofOurWorker_isSaidToHaveTakenItsSplits() {
    long client = begin("w:1", "w:2");
    take(4000, 1, 7);
    take(4000, 2, 5);
    take(4001, 1, 3);
    TestDispatcher.Watch watch = dispatcher.watch(client);

    lose("w:1");

    assertThat(lostSplits(watch.last())).isEqualTo(12);
    assertThat(dispatcher.statistics().numSplitsLost()).isEqualTo(12);
    assertThat(dispatcher.statistics().recentlyLost())
        .singleElement()
        .satisfies(lost -> assertThat(lost.splits()).hasValue(12));
  }

  @Test
  void requestThatIsRepeated_countsOnce() {
    long client = begin("w:1", "w:2");
    take(4000, 1, 7);
    take(4000, 1, 7);
    TestDispatcher.Watch watch = dispatcher.watch(client);

    lose("w:1");

    assertThat(lostSplits(watch.last())).isEqualTo(7);
  }

  @Test
  void splitsTaken_areKnownAfterARestart_andAfterACompaction() {
    var _ = begin("w:1", "w:2");
    take(4000, 1, 7);
    take(4001, 1, 3);
    split(2000);
    lose("w:1");
    DispatcherState compacted = replay();

    assertThat(compacted.snapshot()).isEqualTo(dispatcher.snapshot());
    assertThat(lostSplits(compacted, 4000)).hasValue(7);
    assertThat(compacted.iterations().find(2000).orElseThrow().splitsLostWith(4001)).hasValue(3);
    dispatcher.close();
    dispatcher = new TestDispatcher(DispatcherConfig.defaults(), dispatcher.memory().reopen());
    assertThat(dispatcher.snapshot()).isEqualTo(compacted.snapshot());
  }

  @Test
  void stockWorkers_splitsCountWithTheFirstOfThemThatIsLost() {
    var _ = begin("w:1", "w:2", "w:3");
    split(2000);
    split(2000);

    lose("w:2");
    split(2000);
    assertThat(replay().snapshot()).isEqualTo(dispatcher.snapshot());
    lose("w:1");

    assertThat(lostSplits(replay(), 4001)).hasValue(2);
    assertThat(lostSplits(replay(), 4000)).hasValue(1);
    assertThat(dispatcher.statistics().numSplitsLost()).isEqualTo(3);
  }

  @Test
  void withoutSharding_thereAreNoSplitsToLose() {
    dispatcher.startWorker("w:1");
    dispatcher.startWorker("w:2");
    var _ = dispatcher.read("RangeDataset");

    lose("w:1");

    assertThat(lostSplits(replay(), 4000)).isEmpty();
    assertThat(dispatcher.statistics().numTasksLost()).isEqualTo(1);
    assertThat(dispatcher.statistics().numSplitsLost()).isZero();
  }

  /** Joins an iteration over a hundred numbers whose lost work is not made again. */
  private long begin(String... workers) {
    for (String worker : workers) {
      var _ = dispatcher.startWorker(worker);
    }
    TestPeers peers = new TestPeers(dispatcher);
    return peers
        .join(peers.request(Dataset.range(100)).setGuarantee(Guarantee.AT_MOST_ONCE))
        .getIterationClientId();
  }

  private void take(long task, long request, long splits) {
    var _ =
        dispatcher
            .extensions()
            .takeSplits(
                TakeSplitsRequest.newBuilder()
                    .setTaskId(task)
                    .setMaxSplits(splits)
                    .setRequestNumber(request)
                    .build());
  }

  private void split(long iteration) {
    var _ =
        dispatcher.stub().getSplit(GetSplitRequest.newBuilder().setIterationId(iteration).build());
  }

  private void lose(String worker) {
    dispatcher.network().stop(worker);
    dispatcher.advance(REFUSALS);
  }

  private DispatcherState replay() {
    DispatcherState state = new DispatcherState();
    dispatcher.snapshot().forEach(state::apply);
    return state;
  }

  private static OptionalLong lostSplits(DispatcherState state, long task) {
    return state.iterations().findTask(task).orElseThrow().lostSplits();
  }

  private static long lostSplits(WatchIterationResponse told) {
    assertThat(told.getLostTasksList()).hasSize(1);
    return told.getLostTasks(0).getNumSplits();
  }
}
