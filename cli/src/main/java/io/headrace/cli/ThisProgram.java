package io.headrace.cli;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** The command line that runs this program again. */
final class ThisProgram {
  private ThisProgram() {}

  /** The same JVM with the same flags and class path, without arguments. */
  static List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Headrace.class.getName());
    return command;
  }
}
