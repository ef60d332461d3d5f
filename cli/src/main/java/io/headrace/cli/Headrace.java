package io.headrace.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The {@code headrace} command. Exit statuses: 0 success, 1 failure, 2 a usage error (an invalid
 * flag, a port in use, an unsupported feature), explained in one line on standard error.
 */
@Command(
    name = "headrace",
    description = "Feeds trainers: runs input pipelines on workers near the data.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      QuickstartCommand.class,
      DispatcherCommand.class,
      WorkerCommand.class,
      ServerCommand.class,
      DevicesCommand.class,
      RunCommand.class,
      ExampleCommand.class,
      CatCommand.class,
      StatusCommand.class,
      StatsCommand.class,
      TraceCommand.class,
      TopCommand.class,
      ExplainCommand.class,
      DrainCommand.class,
      EndCommand.class,
      ForgetCommand.class,
      JournalCommand.class,
      DrillCommand.class,
      OpsCommand.class,
      MetricsCommand.class,
      VersionCommand.class,
      TrainAotCommand.class
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
public final class Headrace implements Runnable {
  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--help",
      usageHelp = true,
      scope = ScopeType.INHERIT,
      order = 1_000,
      description = "Explain the command and its flags.")
  boolean help;

  @Option(
      names = "--log-level",
      paramLabel = "LEVEL",
      defaultValue = "info",
      scope = ScopeType.INHERIT,
      order = 999,
      description =
          "The verbosity of standard error: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  void logLevel(LogLevel level) {
    Logging.configure(level);
  }

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "text",
      scope = ScopeType.INHERIT,
      order = 999,
      description =
          "The form of standard error's lines: ${COMPLETION-CANDIDATES}. Default:"
              + " ${DEFAULT-VALUE}.")
  void logFormat(LogFormat format) {
    Logging.use(format);
  }

  private Headrace() {}

  /** Runs the command in {@code args}, and exits with its status. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command with all its subcommands, on the standard streams. */
  static CommandLine commandLine() {
    return new CommandLine(new Headrace())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false)
        .setUsageHelpAutoWidth(true)
        .setParameterExceptionHandler(OneLineErrors::onBadFlag)
        .setExecutionExceptionHandler(OneLineErrors::onFailure);
  }

  /** Reports the missing command. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }

  /** The stream of a command's result; everything else goes to standard error. */
  static PrintWriter out(CommandSpec spec) {
    return spec.commandLine().getOut();
  }
}
