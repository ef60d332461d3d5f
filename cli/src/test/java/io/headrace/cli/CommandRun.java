package io.headrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** The output and exit status of a command that ran in this JVM. */
record CommandRun(int status, String out, String err) {
  static CommandRun of(String... args) {
    var out = new StringWriter();
    var err = new StringWriter();
    CommandLine command =
        Headrace.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int status = command.execute(args);
    return new CommandRun(status, out.toString(), err.toString());
  }
}
