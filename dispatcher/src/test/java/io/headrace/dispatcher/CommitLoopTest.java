package io.headrace.dispatcher;

import static io.headrace.dispatcher.StatusAssertions.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.headrace.dispatcher.decide.DatasetDecisions;
import io.headrace.dispatcher.decide.Decision;
import io.headrace.dispatcher.decide.DispatcherLimits;
import io.headrace.dispatcher.graph.PreparedDataset;
import io.headrace.dispatcher.state.DispatcherState;
import io.headrace.dispatcher.state.JournalRecords;
import io.headrace.dispatcher.state.RegisteredWorker;
import io.headrace.dispatcher.state.Workers;
import io.headrace.journal.FaultInjectingJournal;
import io.headrace.journal.InMemoryJournal;
import io.headrace.journal.Journal;
import io.headrace.proto.data.DataServiceMetadata;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.DisableCompressionAtRuntimeRequest;
import io.headrace.proto.data.GetOrRegisterDatasetResponse;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class CommitLoopTest {
  private static final int MAX_WAITING = 4;
  private static final int COMPACT_AFTER = 5;

  private final InMemoryJournal memory = new InMemoryJournal();
  private final FaultInjectingJournal journal = new FaultInjectingJournal(memory);
  private final DatasetDecisions datasets = new DatasetDecisions(DispatcherLimits.defaults());
  private final List<JournalRecord> committed = new ArrayList<>();
  private Optional<JournalRecord> consequence = Optional.empty();
  private Optional<Place> broken = Optional.empty();
  private final CommitLoop loop = open();

  private CommitLoop open() {
    CommitLoop opened =
        new CommitLoop(
            Runnable::run,
            new BreakingJournal(),
            new VirtualTime(),
            new Follower(),
            MAX_WAITING,
            COMPACT_AFTER);
    opened.open();
    return opened;
  }

  @Test
  void submit_tooManyWaiting_isUnavailable() {
    journal.hold();
    for (int i = 0; i <= MAX_WAITING; i++) {
      var _ = register();
    }

    assertFails(StatusCode.UNAVAILABLE, () -> await(register()))
        .hasMessageContaining("too many requests");
  }

  @Test
  void submit_deciderOverflowsTheStack_failsThatRequestOnly() {
    CompletableFuture<Integer> overflow = loop.submit((_, _) -> Decision.answer(overflow(0)));

    assertThat(overflow).isCompletedExceptionally();
    assertThat(register()).isCompleted();
  }

  @Test
  void submit_decisionThatDoesNotFitTheState_failsAndLeavesNoTrace() {
    var _ = register();
    CompletableFuture<Boolean> contradiction =
        loop.submit((_, _) -> new Decision<>(List.of(JournalRecords.taskFinished(7)), true));

    assertThat(contradiction).isCompletedExceptionally();
    assertThat(size()).isEqualTo(1);
  }

  @Test
  void close_refusesWaitingAndLaterRequests() {
    journal.hold();
    var _ = register();
    CompletableFuture<?> waiting = register();
    loop.close();

    assertFails(StatusCode.UNAVAILABLE, () -> await(waiting)).hasMessageContaining("stopping");
    assertFails(StatusCode.UNAVAILABLE, () -> await(register())).hasMessageContaining("stopping");
  }

  @Test
  void committed_isToldOfEveryRecordOnce() {
    for (int i = 0; i < 20; i++) {
      var _ = register();
    }

    assertThat(committed)
        .extracting(record -> record.getDatasetRegistered().getDatasetId())
        .containsExactlyElementsOf(
            IntStream.range(1000, 1020).mapToObj(Integer::toString).toList());
  }

  @Test
  void compaction_keepsTheStateAndItsIds() {
    for (int i = 0; i < 20; i++) {
      var _ = register();
      var _ = loop.submit((state, _) -> datasets.disableCompression(state, first()));
    }

    assertThat(size()).isEqualTo(20);
    assertThat(register().join().getDatasetId()).isEqualTo("1020");
  }

  @Test
  void compaction_leavesTheFewestRecords() {
    for (int i = 0; i < 40; i++) {
      long id = 3000L + i;
      var _ =
          loop.submit((state, _) ->
              new Decision<>(
                  List.of(
                      JournalRecords.of(Workers.registration(worker(id))),
                      JournalRecords.workerRemoved(worker(id).address())),
                  true));
    }

    List<byte[]> records = new ArrayList<>();
    memory.replay(records::add);
    assertThat(records).hasSizeLessThanOrEqualTo(COMPACT_AFTER + 2);
  }

  @Test
  void compaction_ofLargeRecords_comesBeforeThereAreMany() {
    for (int i = 0; i < 40; i++) {
      RegisteredWorker large =
          new RegisteredWorker(
              "w:" + i,
              List.of(),
              List.of("x".repeat(1000)),
              -1,
              Set.of(),
              0,
              false,
              OptionalLong.empty(),
              "",
              false);
      var _ =
          loop.submit((state, _) ->
              new Decision<>(
                  List.of(
                      JournalRecords.of(Workers.registration(large)),
                      JournalRecords.workerRemoved(large.address())),
                  true));
    }

    List<byte[]> records = new ArrayList<>();
    memory.replay(records::add);
    assertThat(records.stream().mapToLong(record -> record.length).sum()).isLessThan(4_000);
  }

  @Test
  void compaction_doesNotReadTheJournalAgain() {
    int replays = journal.replays();
    for (int i = 0; i < 4 * COMPACT_AFTER; i++) {
      var _ = register();
    }

    assertThat(size()).isEqualTo(4 * COMPACT_AFTER);
    assertThat(journal.replays()).isEqualTo(replays);
  }

  @Test
  void compaction_fails_keepsTheState() {
    for (int i = 0; i < COMPACT_AFTER - 1; i++) {
      var _ = register();
    }
    journal.failNextCompaction();
    var _ = register();

    assertThat(size()).isEqualTo(COMPACT_AFTER);
    assertThat(register()).isCompleted();
  }

  @Test
  void journalOutage_replaysTheJournalOnce() {
    var _ = register();
    for (int i = 0; i < 10; i++) {
      journal.failNextAppend();

      assertFails(StatusCode.UNAVAILABLE, () -> await(register()));
      assertThat(size()).isEqualTo(1);
    }

    assertThat(journal.replays()).isEqualTo(2);
    assertThat(register().join().getDatasetId()).isEqualTo("1001");
  }

  @Test
  void afterAnOutage_heldRequestsAreDecided() {
    journal.failNextAppend();
    assertFails(StatusCode.UNAVAILABLE, () -> await(register()));
    journal.hold();
    List<CompletableFuture<?>> waiting = List.of(register(), register());

    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    journal.release();
    assertThat(waiting).allMatch(reply -> reply.isDone() && !reply.isCompletedExceptionally());
    assertThat(committed).hasSize(2);
  }

  @Test
  void afterAnOutage_heldRequestsAreDecidedOnTheNewState() {
    journal.failNextAppend();
    assertFails(StatusCode.UNAVAILABLE, () -> await(register()));
    journal.hold();
    CompletableFuture<?> first = register();
    CompletableFuture<String> second =
        loop.submit((state, _) -> {
          if (state.datasets().size() > 0) {
            throw new StatusException(StatusCode.NOT_FOUND, "the last place is gone");
          }
          return new Decision<>(
              List.of(JournalRecords.of(Workers.registration(worker(1)))),
              "you have the last place");
        });
    journal.release();

    assertThat(first).isCompleted();
    assertFails(StatusCode.NOT_FOUND, () -> await(second));
  }

  @Test
  void afterAnOutage_consequencesAreJournaled() {
    consequence = Optional.of(JournalRecords.of(Workers.registration(worker(1))));
    journal.failNextAppend();
    assertFails(StatusCode.UNAVAILABLE, () -> await(register()));

    assertThat(size()).isZero();
    assertThat(size()).isZero();
    assertThat(committed).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void errorAnywhere_failsAllRequestsAndEndsTheLoop(Place place) {
    List<CompletableFuture<?>> requests = new ArrayList<>(List.of(register(), register()));
    journal.hold();
    requests.add(register());
    requests.add(submitBreaking(place));
    requests.add(register());
    broken = Optional.of(place);

    journal.release();
    requests.add(register());

    assertThat(requests).allMatch(CompletableFuture::isDone);
    assertFails(StatusCode.UNAVAILABLE, () -> await(requests.getLast()))
        .hasMessageContaining("ended because of an internal error (java.lang.OutOfMemoryError");
    assertThat(loop.ended()).isCompleted();
  }

  @Test
  void executorThatCannotRunATurn_endsTheLoop() {
    CommitLoop threadless =
        new CommitLoop(
            _ -> {
              throw new OutOfMemoryError("unable to create native thread");
            },
            journal,
            new VirtualTime(),
            new Follower(),
            MAX_WAITING,
            COMPACT_AFTER);
    threadless.open();

    assertThat(threadless.submit((_, _) -> Decision.answer(1))).isCompletedExceptionally();
    assertThat(threadless.submit((_, _) -> Decision.answer(1))).isCompletedExceptionally();
    assertThat(threadless.ended()).isCompleted();
  }

  @Test
  void close_isNoEndByItself() {
    loop.close();
    var _ = register();

    assertThat(loop.ended()).isNotDone();
  }

  @Test
  void loopThatHasEnded_hasItsChangesInTheJournal() {
    var _ = register();
    broken = Optional.of(Place.COMMITTED);
    var _ = register();
    broken = Optional.empty();

    assertThat(loop.ended()).isCompleted();
    CommitLoop next = open();
    assertThat(next.submit((state, _) -> Decision.answer(state.datasets().size())).join())
        .isEqualTo(2);
  }

  private CompletableFuture<?> submitBreaking(Place place) {
    return switch (place) {
      case DECIDE ->
          loop.submit((_, _) -> {
            throw new OutOfMemoryError("of a test");
          });
      case APPLY -> loop.submit((_, _) -> new Decision<>(new BreakingList(), true));
      default -> register();
    };
  }

  private void breakIf(Place place) {
    if (broken.equals(Optional.of(place))) {
      throw new OutOfMemoryError("of a test");
    }
  }

  private CompletableFuture<GetOrRegisterDatasetResponse> register() {
    PreparedDataset prepared =
        new PreparedDataset(DatasetDef.getDefaultInstance(), ByteString.EMPTY, List.of());
    return loop.submit((state, _) ->
        datasets.getOrRegister(state, "", DataServiceMetadata.getDefaultInstance(), prepared));
  }

  private static DisableCompressionAtRuntimeRequest first() {
    return DisableCompressionAtRuntimeRequest.newBuilder().setDatasetId("1000").build();
  }

  private static RegisteredWorker worker(long port) {
    return new RegisteredWorker(
        "w:" + port, List.of(), List.of(), -1, Set.of(), 0, false, OptionalLong.empty(), "", false);
  }

  private int size() {
    return loop.submit((state, _) -> Decision.answer(state.datasets().size())).join();
  }

  @SuppressWarnings("InfiniteRecursion") // On purpose.
  private static int overflow(int depth) {
    return overflow(depth + 1) + 1;
  }

  private static void await(CompletableFuture<?> reply) throws Throwable {
    try {
      reply.join();
    } catch (CompletionException e) {
      throw UnaryCalls.cause(e);
    }
  }

  /** The places where foreign code runs on the loop. */
  enum Place {
    DECIDE,
    APPLY,
    CONSEQUENCES,
    APPEND,
    COMMITTED,
    REPLAY,
    REBUILT,
    COMPACT
  }

  /** A decision's records of which the second can't be applied for want of memory. */
  private static final class BreakingList extends AbstractList<JournalRecord> {
    @Override
    public JournalRecord get(int index) {
      if (index == 1) {
        throw new OutOfMemoryError("of a test");
      }
      return JournalRecords.of(Workers.registration(worker(1)));
    }

    @Override
    public int size() {
      return 2;
    }
  }

  /** The journal, unless it is broken. */
  private final class BreakingJournal implements Journal {
    @Override
    public UUID id() {
      return journal.id();
    }

    @Override
    public long epoch() {
      return journal.epoch();
    }

    @Override
    public void replay(Consumer<byte[]> reader) {
      breakIf(Place.REPLAY);
      journal.replay(reader);
    }

    @Override
    public CompletableFuture<Long> append(List<byte[]> records) {
      breakIf(Place.APPEND);
      if (broken.equals(Optional.of(Place.REPLAY)) || broken.equals(Optional.of(Place.REBUILT))) {
        journal.failNextAppend();
      }
      return journal.append(records);
    }

    @Override
    public void resume() {
      journal.resume();
    }

    @Override
    public CompletableFuture<Long> compact(List<byte[]> records) {
      breakIf(Place.COMPACT);
      return journal.compact(records);
    }

    @Override
    public void close() {
      journal.close();
    }
  }

  private final class Follower implements CommitLoop.Observer {
    @Override
    public List<JournalRecord> consequences(DispatcherState state) {
      breakIf(Place.CONSEQUENCES);
      return consequence.filter(_ -> state.workers().size() == 0).stream().toList();
    }

    @Override
    public void committed(DispatcherState state, List<JournalRecord> records) {
      breakIf(Place.COMMITTED);
      committed.addAll(records);
    }

    @Override
    public void rebuilt(DispatcherState state, long nowNanos) {
      breakIf(Place.REBUILT);
    }
  }
}
