package io.headrace.journal;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A process that writes to a journal and prints each acknowledgement, until it is killed. */
final class CrashingWriter {
  private static final int BATCHES = 4;

  private CrashingWriter() {}

  /** Runs the script on the journal in the directory {@code args[0]}. */
  @SuppressWarnings("SystemOut") // the channel to the test
  public static void main(String[] args) throws InterruptedException {
    PrintStream out = System.out;
    try (RocksDbJournal journal = RocksDbJournal.open(Path.of(args[0]), false)) {
      out.println("opened");
      for (List<String> state : states().subList(1, states().size())) {
        String last = state.getLast();
        if (last.startsWith("snapshot")) {
          journal.compact(Records.of(state.toArray(String[]::new))).join();
        } else {
          Records.append(journal, last + " first", last);
        }
        out.println("acknowledged");
      }
      journal.awaitShrunk();
    }
    out.println("closed");
  }

  /** The journal's records at the start and after each step. */
  static List<List<String>> states() {
    List<List<String>> states = new ArrayList<>();
    states.add(List.of());
    for (int i = 0; i < BATCHES; i++) {
      states.add(with(states.getLast(), "batch " + i));
    }
    states.add(List.of("of all", "snapshot"));
    states.add(with(states.getLast(), "batch after"));
    return states;
  }

  private static List<String> with(List<String> state, String batch) {
    List<String> longer = new ArrayList<>(state);
    longer.add(batch + " first");
    longer.add(batch);
    return longer;
  }
}
