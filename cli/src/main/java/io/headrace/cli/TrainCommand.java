package io.headrace.cli;

import java.io.PrintWriter;
import java.io.Writer;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code headrace train-aot}: makes the JVM see what servers and readers do, so that the launcher
 * can keep what it learnt (the AOT cache) for the next start. Leaves nothing behind.
 */
@Command(name = "train-aot", hidden = true, description = "Warm up for the AOT cache.")
final class TrainCommand implements Runnable {
  @Override
  public void run() {
    for (CommandLine command : Headrace.commandLine().getSubcommands().values()) {
      command.usage(new PrintWriter(Writer.nullWriter()));
    }
  }
}
