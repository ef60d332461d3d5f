package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headrace.rpc.StreamItem;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A task that two consumers read in step. */
final class ConsumerRoundsTest {
  private final RowQueue queue = new RowQueue(new FakeTicker(), RowQueue.MAX_FRAME_BYTES, () -> {});
  private final Queue<Runnable> waits = new ArrayDeque<>();
  private final ConsumerRounds rounds = new ConsumerRounds(queue, 2, () -> {}, waits::add);
  private long position;

  /** Rounds whose dataset is loaded. */
  ConsumerRoundsTest() {
    queue.begin();
  }

  @Test
  void round_begins_whenAllConsumersAsk_andTheirRowsAreConsecutive() {
    produce(4);
    Answer b = ask(1, 0);
    assertThat(b.told()).isEmpty();
    Answer a = ask(0, 0);
    assertThat(a.told()).containsExactly("row 0");
    assertThat(b.told()).containsExactly("row 1");
    assertThat(askBoth(1)).containsExactly("row 2", "row 3");
  }

  @Test
  void request_thatIsRepeated_getsTheSameRow() {
    produce(4);
    var _ = askBoth(0);
    assertThat(ask(1, 0).told()).containsExactly("row 1");
    assertThat(ask(0, 0).told()).containsExactly("row 0");
  }

  @Test
  void request_thatIsRepeatedBeforeItsAnswer_isAnsweredOnce() {
    produce(2);
    Answer first = ask(0, 0);
    Answer again = ask(0, 0);
    var _ = ask(1, 0);
    assertThat(first.told()).containsExactly("CANCELLED");
    assertThat(again.told()).containsExactly("row 0");
  }

  @Test
  void slowRows_areSkippedByAll_andServeTheNextRound() {
    produce(1);
    List<Answer> answers = List.of(ask(0, 0), ask(1, 0));
    assertThat(answers).allSatisfy(answer -> assertThat(answer.told()).isEmpty());
    waits.remove().run();
    assertThat(answers).allSatisfy(answer -> assertThat(answer.told()).containsExactly("skip"));
    produce(1);
    assertThat(askBoth(1)).containsExactly("row 0", "row 1");
  }

  @Test
  void rowsThatComeInTime_areServed_andTheEndOfTheWaitChangesNothing() {
    produce(1);
    List<Answer> answers = List.of(ask(0, 0), ask(1, 0));
    produce(1);
    assertThat(answers.getFirst().told()).containsExactly("row 0");
    assertThat(answers.getLast().told()).containsExactly("row 1");
    waits.remove().run();
    assertThat(ask(0, 0).told()).containsExactly("row 0");
  }

  @Test
  void consumerThatDoesNotAllowSkips_waits() {
    Answer a = ask(0, 0);
    Answer b = new Answer();
    rounds.ask(new ConsumerRounds.Request(1, 0, false, false, b));
    assertThat(waits).isEmpty();
    produce(2);
    assertThat(a.told()).containsExactly("row 0");
    assertThat(b.told()).containsExactly("row 1");
  }

  @Test
  void roundThatIsOver_isAnError() {
    produce(4);
    var _ = askBoth(0);
    var _ = askBoth(1);
    assertThat(ask(0, 0).told()).containsExactly("FAILED_PRECONDITION");
  }

  @Test
  void afterARestart_consumersThatAreARoundBehind_catchUp() {
    produce(4);
    Answer ahead = ask(0, 8);
    Answer behind = ask(1, 7);
    assertThat(behind.told()).containsExactly("row 1");
    assertThat(ahead.told()).isEmpty();
    assertThat(ask(1, 8).told()).containsExactly("row 3");
    assertThat(ahead.told()).containsExactly("row 2");
  }

  @Test
  void afterARestart_aRoundThatOthersSkipped_isSkipped() {
    produce(2);
    Answer ahead = new Answer();
    rounds.ask(new ConsumerRounds.Request(0, 8, true, true, ahead));
    assertThat(ask(1, 7).told()).containsExactly("skip");
    assertThat(ask(1, 8).told()).containsExactly("row 1");
    assertThat(ahead.told()).containsExactly("row 0");
  }

  @Test
  void errorInPlaceOfARow_endsAllRounds() {
    produce(1);
    queue.put(new StreamItem.RowFailure(1, new StatusException(StatusCode.DATA_LOSS, "torn")));
    assertThat(ask(0, 0).told()).containsExactly("DATA_LOSS");
    produce(2);
    assertThat(ask(1, 0).told()).containsExactly("DATA_LOSS");
  }

  @Test
  void endOfTheTask_failsTheRequestsThatWait_evenIfRowsAreReady() {
    produce(8);
    Answer waiting = ask(0, 0);
    queue.stop(new StatusException(StatusCode.CANCELLED, "deleted"));
    assertThat(waiting.told()).containsExactly("CANCELLED");
    assertThat(ask(1, 0).told()).containsExactly("CANCELLED");
  }

  @Test
  void failureToLoad_failsTheRequestsThatWait_andTheNextOnesTryAgain() {
    Answer first = ask(0, 0);
    queue.fail(new StatusException(StatusCode.NOT_FOUND, "no file"), () -> {});
    assertThat(first.told()).containsExactly("NOT_FOUND");
    produce(2);
    assertThat(askBoth(0)).containsExactly("row 0", "row 1");
  }

  @Test
  void requestThatIsForgotten_doesNotCount() {
    produce(2);
    Answer gone = new Answer();
    ConsumerRounds.Request request = new ConsumerRounds.Request(0, 0, false, true, gone);
    rounds.ask(request);
    rounds.forget(request);
    Answer other = ask(1, 0);
    assertThat(other.told()).isEmpty();
    assertThat(ask(0, 0).told()).containsExactly("row 0");
    assertThat(other.told()).containsExactly("row 1");
    assertThat(gone.told()).isEmpty();
  }

  @Test
  void consumersAndRounds_thatDoNotExist_areRefused() {
    assertThatThrownBy(() -> ask(2, 0)).hasMessageContaining("configured for only 2 consumers");
    assertThatThrownBy(() -> ask(-1, 0)).hasMessageContaining("needs to know the consumer index");
    assertThatThrownBy(() -> ask(0, -1)).hasMessageContaining("needs to know the consumer index");
  }

  private void produce(int rows) {
    long[] values = LongStream.range(position, position + rows).toArray();
    Column column = new Column.Stacked(Tensor.vector(values));
    queue.put(new StreamItem.Rows(Chunk.of(rows, List.of(column)).withPosition(position)));
    position += rows;
  }

  private Answer ask(long consumer, long round) {
    Answer answer = new Answer();
    rounds.ask(new ConsumerRounds.Request(consumer, round, false, true, answer));
    return answer;
  }

  /** The answers to both consumers, in order. */
  private List<String> askBoth(long round) {
    Answer first = ask(0, round);
    Answer second = ask(1, round);
    List<String> told = new ArrayList<>(first.told());
    told.addAll(second.told());
    return told;
  }

  /** A reply that notes the answers. */
  private record Answer(List<String> told) implements ConsumerRounds.Reply {
    Answer() {
      this(new ArrayList<>());
    }

    @Override
    public void row(TakeResult.Row row) {
      told.add("row " + row.chunk().columns().getFirst().row(row.index()).integer(0));
    }

    @Override
    public void skip() {
      told.add("skip");
    }

    @Override
    public void fail(StatusException reason) {
      told.add(reason.code().name());
    }
  }
}
