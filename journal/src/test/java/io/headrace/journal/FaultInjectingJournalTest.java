package io.headrace.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class FaultInjectingJournalTest implements JournalContract {
  private InMemoryJournal inner = new InMemoryJournal();

  @Override
  public FaultInjectingJournal open() {
    inner = inner.reopen();
    return new FaultInjectingJournal(inner);
  }

  @Test
  void hold_appendsWaitUntilReleased() {
    FaultInjectingJournal journal = open();
    journal.hold();
    CompletableFuture<Long> append = journal.append(batch());

    assertThat(append).isNotDone();
    journal.release();
    assertThat(append).isCompletedWithValue(1L);
  }

  @Test
  void failNextAppend_keepsNothing() {
    FaultInjectingJournal journal = open();
    journal.failNextAppend();

    assertThat(journal.append(batch())).isCompletedExceptionally();
    assertThat(replay(journal)).isEmpty();
  }

  @Test
  void failNextAppendButKeepIt_keepsTheRecords() {
    FaultInjectingJournal journal = open();
    journal.failNextAppendButKeepIt();

    assertThat(journal.append(batch())).isCompletedExceptionally();
    assertThat(replay(journal)).hasSize(1);
  }

  @Test
  void append_afterAFailure_failsUntilReplayed() {
    FaultInjectingJournal journal = open();
    journal.failNextAppend();
    var _ = journal.append(batch());

    assertThat(journal.append(batch())).isCompletedExceptionally();
    replay(journal);
    assertThat(journal.append(batch())).isCompletedWithValue(1L);
  }

  private static List<byte[]> batch() {
    return List.of(new byte[] {7});
  }

  private static List<byte[]> replay(Journal journal) {
    List<byte[]> records = new ArrayList<>();
    journal.replay(records::add);
    return records;
  }
}
