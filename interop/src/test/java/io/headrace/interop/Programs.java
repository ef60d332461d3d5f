package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Stock programs that use a service, from the folder {@code programs}. */
final class Programs {
  private static final int SECONDS = 300;

  private Programs() {}

  /**
   * The output of a program.
   *
   * @param command its name and arguments, with the word DISPATCHER for the address
   */
  record Printed(String command, int status, List<String> lines) {

    /** Fails if the program did. */
    void check() {
      assertThat(status).as("the status of %s", command).isZero();
    }
  }

  /** Runs programs side by side, with {@code dispatcher} for the word DISPATCHER. */
  static List<Printed> run(String dispatcher, String... commands) throws InterruptedException {
    List<ManagedProcess> processes = new ArrayList<>();
    try {
      for (String command : commands) {
        String[] words = command.replace("DISPATCHER", dispatcher).split(" ", -1);
        String[] arguments = Arrays.copyOfRange(words, 1, words.length);
        processes.add(
            ManagedProcess.start(
                "program",
                StockTensorFlow.command("programs/" + words[0], arguments),
                StockTensorFlow.ENVIRONMENT));
      }
      List<Printed> printed = new ArrayList<>();
      for (int i = 0; i < commands.length; i++) {
        List<String> lines = processes.get(i).awaitLines(SECONDS);
        printed.add(new Printed(commands[i], processes.get(i).awaitEnd(SECONDS), lines));
      }
      return printed;
    } finally {
      processes.forEach(ManagedProcess::close);
    }
  }
}
