package io.headrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.inprocess.InProcessChannelBuilder;
import io.headrace.proto.data.TaskInfo;
import io.headrace.rpc.StreamItem;
import io.headrace.rpc.TaskOpening;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rows of a task reader whose sources break and are reopened by the test. */
final class TaskReaderTest {
  private final ConnectionPool connections =
      new ConnectionPool(address -> InProcessChannelBuilder.forName(address).build());
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Deque<FakeSource> sources = new ArrayDeque<>();
  private final List<TaskOpening> openings = new ArrayList<>();
  private final TaskReader reader =
      new TaskReader(
          TaskInfo.newBuilder().setTaskId(7).setWorkerAddress("there:1").build(),
          connections.open("there:1"),
          5,
          "",
          (_, opening) -> {
            openings.add(opening);
            return sources.remove();
          },
          timer,
          new Backoff(new Random(1)),
          () -> {});

  TaskReaderTest() {
    timer.shutdown(); // nothing is opened behind the test's back
  }

  @AfterEach
  void close() {
    reader.close();
  }

  @Test
  void sameTaskAgain_givesTheUnreadOnce_andTheConsumedNoMore() {
    sources.add(new FakeSource(1, rows(0, 2), rows(2, 2)).breaking(rows(4, 1)));
    reader.open();
    assertThat(take()).containsExactly(0, 1, 2, 3);

    sources.add(new FakeSource(1, rows(3, 3), end()));
    reader.open();
    assertThat(take()).containsExactly(4, 5);
    assertThat(reader.hasEnded()).isTrue();
  }

  /** The first worker honours the opening's first position; the second one is too old to. */
  @Test
  void rowsThatWereTaken_areNotAskedForInAnyPass_andPassedOverWhereTheyCome() {
    LongSet taken = new LongSet();
    taken.addRange(0, 3);
    taken.add(4);
    reader.passOver(new CopyProgress.Taken(taken, 2));
    sources.add(new FakeSource(1, rows(3, 3)).breaking());
    reader.open();
    assertThat(take()).containsExactly(3, 5);

    sources.add(new FakeSource(2, rows(0, 7), end()));
    reader.open();
    assertThat(take()).containsExactly(3, 5, 6);
    assertThat(openings)
        .extracting(opening -> List.of(opening.firstPosition(), opening.rowsWithoutError()))
        .containsExactly(List.of(3L, 2L), List.of(3L, 2L));
  }

  @Test
  void restartedWorker_givesWhatHadArrived_andThenItsTaskFromTheStart() {
    sources.add(new FakeSource(1, rows(0, 2)).breaking(rows(2, 2)));
    reader.open();
    assertThat(take()).containsExactly(0, 1);

    sources.add(new FakeSource(2, rows(0, 3), rows(3, 1), end()));
    reader.open();
    assertThat(take()).containsExactly(2, 3, 0, 1, 2, 3);
    assertThat(reader.hasEnded()).isTrue();
  }

  @Test
  void restartedWorker_breakingAgain_passesOverWhatWasConsumedOfTheNewPassOnly() {
    sources.add(new FakeSource(1, rows(0, 5)).breaking());
    reader.open();
    assertThat(take()).containsExactly(0, 1, 2, 3, 4);
    sources.add(new FakeSource(2, rows(0, 2)).breaking());
    reader.open();
    assertThat(take()).containsExactly(0, 1);
    sources.add(new FakeSource(2, rows(0, 4), end()));
    reader.open();
    assertThat(take()).containsExactly(2, 3);
  }

  @Test
  void lostWorker_givesWhatHadArrived_andEnds() {
    sources.add(new FakeSource(1, rows(0, 2)).breaking(rows(2, 2)));
    reader.open();
    assertThat(take()).containsExactly(0, 1);
    assertThat(reader.hasEnded()).isFalse();

    reader.lose();
    assertThat(take()).containsExactly(2, 3);
    assertThat(reader.hasEnded()).isTrue();
    assertThat(reader.reached()).isEqualTo(4);
  }

  @Test
  void workerLostWhileItsStreamIsSilent_givesWhatHadArrived_andEnds() {
    FakeSource silent = new FakeSource(1, rows(0, 2));
    sources.add(silent);
    reader.open();
    reader.lose();

    assertThat(take()).containsExactly(0, 1);
    assertThat(reader.hasEnded()).isTrue();
    assertThat(silent.closed).isTrue();
  }

  @Test
  void settledTask_givesWhatHadArrived_andNothingThatComes() {
    FakeSource talking = new FakeSource(1, rows(0, 2), rows(2, 3));
    sources.add(talking);
    reader.open();
    assertThat(positions(List.of(reader.poll()))).containsExactly(0, 1);
    reader.consumed(0, 2);

    assertThat(positions(reader.settle())).containsExactly(2, 3, 4);
    assertThat(talking.closed).isTrue();
    assertThat(take()).containsExactly(2, 3, 4);
    assertThat(reader.hasEnded()).isTrue();
  }

  @Test
  void settledTask_whoseStreamHadBrokenAndCameAgain_keepsRowsOnce() {
    sources.add(new FakeSource(1, rows(0, 2)).breaking(rows(2, 2)));
    reader.open();
    assertThat(take()).containsExactly(0, 1);
    sources.add(new FakeSource(1, rows(1, 4)));
    reader.open();

    assertThat(positions(reader.settle())).containsExactly(2, 3, 4);
    assertThat(take()).containsExactly(2, 3, 4);
  }

  @Test
  void settledTask_whoseStreamHadBroken_keepsTheUnread() {
    sources.add(new FakeSource(1, rows(0, 2)).breaking(rows(2, 2)));
    reader.open();
    assertThat(take()).containsExactly(0, 1);
    reader.lose();

    assertThat(positions(reader.settle())).containsExactly(2, 3);
    assertThat(take()).containsExactly(2, 3);
  }

  @Test
  void claimedRows_areAcknowledgedAtOnce_andNotAskedForAgain() {
    FakeSource first = new FakeSource(1, rows(0, 3), rows(3, 2)).breaking();
    sources.add(first);
    reader.open();
    assertThat(positions(List.of(reader.poll()))).containsExactly(0, 1, 2);
    reader.consumed(0, 1);

    assertThat(positions(reader.claim())).containsExactly(3, 4);
    assertThat(first.acknowledged).isEqualTo(5);
    reader.consumed(1, 2);
    assertThat(take()).containsExactly(3, 4);
    assertThat(first.acknowledged).isEqualTo(5);

    sources.add(new FakeSource(1, rows(0, 6), end()));
    reader.open();
    assertThat(take()).containsExactly(5);
    assertThat(reader.hasEnded()).isTrue();
  }

  @Test
  void claimedRows_ofATaskThatIsOver_areReadYet() {
    sources.add(new FakeSource(1, rows(0, 2)));
    reader.open();
    assertThat(positions(reader.claim())).containsExactly(0, 1);

    assertThat(reader.retire()).isTrue();
    assertThat(take()).containsExactly(0, 1);
    assertThat(reader.hasEnded()).isTrue();
    assertThat(reader.retire()).isFalse();
  }

  @Test
  void finishedTask_leavesTheUnreadToThoseWhoReadIt() {
    sources.add(new FakeSource(1, rows(0, 2)).breaking(rows(2, 2)));
    reader.open();
    assertThat(take()).containsExactly(0, 1);

    reader.finish();
    assertThat(take()).isEmpty();
    assertThat(reader.hasEnded()).isTrue();
  }

  @Test
  void endedTaskAtASecondLook_leavesTheUnreadToThoseWhoReadIt() {
    sources.add(new FakeSource(1, rows(0, 2)).breaking(rows(2, 2)));
    reader.open();
    assertThat(take()).containsExactly(0, 1);

    sources.add(new FakeSource(0, end()));
    reader.open();
    assertThat(take()).isEmpty();
    assertThat(reader.hasEnded()).isTrue();
  }

  /** The values that are ready now, each consumed at once. */
  private List<Integer> take() {
    List<Integer> values = new ArrayList<>();
    while (reader.poll() instanceof StreamItem.Rows(Chunk chunk)) {
      for (int i = 0; i < chunk.rows(); i++) {
        values.add((int) chunk.column(0).row(i).integer(0));
      }
      reader.consumed(chunk.position(), chunk.rows());
    }
    return values;
  }

  /** Rows whose values are their positions. */
  private static StreamItem rows(int position, int count) {
    long[] values = new long[count];
    for (int i = 0; i < count; i++) {
      values[i] = (long) position + i;
    }
    Column column = new Column.Stacked(Tensor.vector(values));
    return new StreamItem.Rows(Chunk.of(count, List.of(column)).withPosition(position));
  }

  private static StreamItem end() {
    return new StreamItem.End();
  }

  /** Yields the given items and may then break. */
  private static List<Integer> positions(List<StreamItem> items) {
    List<Integer> positions = new ArrayList<>();
    for (StreamItem item : items) {
      for (int i = 0; i < item.rows(); i++) {
        positions.add((int) item.position() + i);
      }
    }
    return positions;
  }

  private static final class FakeSource implements TaskSource {
    private final long incarnation;
    private final Deque<StreamItem> items;
    private List<StreamItem> unread = List.of();
    private boolean breaks;
    private boolean closed;
    private int acknowledged;

    FakeSource(long incarnation, StreamItem... items) {
      this.incarnation = incarnation;
      this.items = new ArrayDeque<>(List.of(items));
    }

    FakeSource breaking(StreamItem... withUnread) {
      unread = List.of(withUnread);
      breaks = true;
      return this;
    }

    @Override
    public @Nullable StreamItem poll() {
      StreamItem item = items.poll();
      if (item == null && breaks) {
        throw new StatusException(StatusCode.UNAVAILABLE, "the connection broke");
      }
      return item;
    }

    @Override
    public long incarnation() {
      return incarnation;
    }

    @Override
    public List<StreamItem> unread() {
      return unread;
    }

    @Override
    public void consumed(int rows) {
      acknowledged += rows;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
