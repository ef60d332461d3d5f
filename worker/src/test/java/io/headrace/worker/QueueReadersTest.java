package io.headrace.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.rpc.PeerConnection;
import org.junit.jupiter.api.Test;

final class QueueReadersTest {
  private static final long READER = 3000;

  private final QueueReaders readers = new QueueReaders();

  @Test
  void queue_hasNoReaderAtFirst() {
    assertThat(readers.areAny(0)).isFalse();
  }

  @Test
  void readerOfAStream_isOneUntilItLeaves() {
    readers.open(READER);
    assertThat(readers.areAny(0)).isTrue();

    readers.leave();

    assertThat(readers.areAny(0)).isFalse();
  }

  @Test
  void readerWhoseStreamBroke_isOneWhileItMayComeBack() {
    long timeout = HeldRows.HOLD_TIMEOUT.toNanos();
    readers.open(READER);

    readers.breakStream(READER, 7);

    assertThat(readers.areAny(7 + timeout)).isTrue();
    assertThat(readers.areAny(8 + timeout)).isFalse();
  }

  @Test
  void readerThatCameBack_isGoneAsSoonAsItLeaves() {
    readers.open(READER);
    readers.breakStream(READER, 7);
    readers.open(READER);

    readers.leave();

    assertThat(readers.areAny(7)).isFalse();
  }

  @Test
  void oneOfTwoReaders_isStillThere_whenTheOtherLeaves() {
    readers.open(READER);
    readers.open(READER + 1);

    readers.leave();

    assertThat(readers.areAny(0)).isTrue();
  }

  @Test
  void readerOfSingleElements_isOneUntilItsConnectionCloses() {
    PeerConnection connection = new PeerConnection();
    connection.onClose(readers::close);
    readers.ask(connection, 0);
    assertThat(readers.areAny(Long.MAX_VALUE / 2)).isTrue();

    connection.close();
    readers.ask(connection, 0);

    assertThat(readers.areAny(0)).isFalse();
  }

  @Test
  void readerOfSingleElements_whoseConnectionIsUnknown_mayAlwaysComeBack() {
    readers.ask(null, 0);

    assertThat(readers.areAny(Long.MAX_VALUE / 2)).isTrue();
  }
}
