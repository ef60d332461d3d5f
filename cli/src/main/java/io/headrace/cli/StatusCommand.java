package io.headrace.cli;

import io.headrace.client.DispatcherInspection;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.rpc.GrpcTargets;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.time.SystemTicker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace status}: shows what a dispatcher does. */
@Command(
    name = "status",
    sortOptions = false,
    description = {
      "Show what a running dispatcher does: its journal, workers, jobs, readers and datasets.",
      "It changes nothing there, and takes one short turn of the dispatcher for each 500 entries."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class StatusCommand implements Callable<Integer> {
  /** Most entries of a list that are asked for. */
  private static final long MAX_ENTRIES = 10_000;

  private static final long ROWS = 20;
  private static final Duration PERIOD = Duration.ofSeconds(1);
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"--dispatcher-address", "--dispatcher"},
      paramLabel = "HOST:PORT",
      required = true,
      description = "The dispatcher, which must be Headrace's. Needed.")
  String dispatcherAddress = "";

  @Option(
      names = "--json",
      description =
          "Print a JSON object with the fields of GetStatusResponse (headrace/admin.proto), which"
              + " keep their names; with --watch one on each line.")
  boolean json;

  @Option(
      names = "--watch",
      description =
          "Ask again each second, and show rates: redrawn on a terminal, otherwise a line a"
              + " second.")
  boolean watch;

  @Option(
      names = "--limit",
      paramLabel = "ENTRIES",
      description =
          "The most entries of each list, at most 10000. Default: 20, or 10000 with --json.")
  Optional<Long> limit = Optional.empty();

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "10000",
      description = "Milliseconds to wait for each answer. Default: ${DEFAULT-VALUE}.")
  long timeoutMs;

  @Override
  public Integer call() throws InterruptedException {
    long rows = Math.min(MAX_ENTRIES, Flags.positive("--limit", limit.orElse(ROWS)));
    String target = GrpcTargets.ofAddress(Flags.address("--dispatcher-address", dispatcherAddress));
    try (DispatcherInspection dispatcher =
        DispatcherInspection.of(target, Flags.millis("--timeout-ms", timeoutMs))) {
      if (watch) {
        watch(dispatcher, rows);
        return 0;
      }
      GetStatusResponse status = dispatcher.status(asked());
      PrintWriter out = Headrace.out(spec);
      if (json) {
        out.println(ProtoJson.indented(status));
      } else {
        new StatusText(status, rows, Optional.empty()).lines().forEach(out::println);
      }
      out.flush();
      return 0;
    }
  }

  /** The number of entries to ask for: a table shows the most interesting ones of all. */
  private long asked() {
    return json ? Math.min(MAX_ENTRIES, limit.orElse(MAX_ENTRIES)) : MAX_ENTRIES;
  }

  /** Shows the status each second, until a signal ends the process or nobody reads the output. */
  private void watch(DispatcherInspection dispatcher, long rows) throws InterruptedException {
    PrintWriter out = Headrace.out(spec);
    StatusRates rates = new StatusRates();
    show(dispatcher.status(asked()), rates, rows, out);
    // A closed pipe, as behind head, is an error of the output.
    while (!out.checkError()) {
      Thread.sleep(PERIOD);
      try {
        show(dispatcher.status(asked()), rates, rows, out);
      } catch (StatusException e) {
        // It may be about to come back.
        OneLineErrors.note(spec.commandLine(), e.message());
      }
    }
  }

  private void show(GetStatusResponse status, StatusRates rates, long rows, PrintWriter out) {
    rates.see(status, SystemTicker.INSTANCE.nanoTime());
    StatusText text = new StatusText(status, rows, Optional.of(rates));
    if (json) {
      out.println(ProtoJson.line(status));
    } else if (Terminals.isTerminal(Terminals.OUT)) {
      out.print(CLEAR_SCREEN);
      text.lines().forEach(out::println);
    } else {
      out.println(text.summary());
    }
    out.flush();
  }
}
