package io.headrace.cli;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** What runs this program once more. */
final class ThisProgram {
  private ThisProgram() {}

  /** The same JVM with the same flags on the same class path, without arguments. */
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
