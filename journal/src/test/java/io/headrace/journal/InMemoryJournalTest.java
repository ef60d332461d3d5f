package io.headrace.journal;

final class InMemoryJournalTest implements JournalContract {
  private InMemoryJournal journal = new InMemoryJournal();

  @Override
  public Journal open() {
    journal = journal.reopen();
    return journal;
  }
}
