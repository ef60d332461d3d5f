package io.headrace.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stock programs that use a service, from the folder {@code programs}. Not thread-safe; closing
 * kills those that run.
 */
final class Programs implements AutoCloseable {
  private static final int SECONDS = 300;

  private final ManagedProcess runner =
      ManagedProcess.start(
          "programs", StockTensorFlow.command("programs.py"), StockTensorFlow.ENVIRONMENT);

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
  List<Printed> run(String dispatcher, String... commands) throws InterruptedException {
    runner.say(
        Stream.of(commands)
            .map(command -> command.replace("DISPATCHER", dispatcher))
            .collect(Collectors.joining(" ; ")));
    List<Printed> printed = new ArrayList<>();
    for (String command : commands) {
      printed.add(await(command));
    }
    return printed;
  }

  private Printed await(String command) throws InterruptedException {
    List<String> lines = new ArrayList<>();
    String line = runner.awaitLine("", SECONDS);
    while (line.startsWith("|")) {
      lines.add(line.substring(1));
      line = runner.awaitLine("", SECONDS);
    }
    return new Printed(command, Integer.parseInt(line.replace("ended ", "")), lines);
  }

  @Override
  public void close() {
    runner.close();
  }
}
