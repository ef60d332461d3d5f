package io.headrace.cli;

import io.headrace.cli.text.ProtoJson;
import io.headrace.cli.text.StatusRates;
import io.headrace.cli.text.StatusText;
import io.headrace.client.DispatcherInspection;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.runtime.time.SystemTicker;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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

  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin InspectionFlags asked = new InspectionFlags();

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

  @Override
  public Integer call() throws InterruptedException {
    long rows = Math.min(MAX_ENTRIES, Flags.positive("--limit", limit.orElse(ROWS)));
    try (DispatcherInspection dispatcher = asked.inspect()) {
      if (watch) {
        watch(dispatcher, rows);
        return 0;
      }
      GetStatusResponse status = dispatcher.status(entries());
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
  private long entries() {
    return json ? Math.min(MAX_ENTRIES, limit.orElse(MAX_ENTRIES)) : MAX_ENTRIES;
  }

  /** Shows the status each second, until a signal ends the process or nobody reads the output. */
  private void watch(DispatcherInspection dispatcher, long rows) throws InterruptedException {
    LiveOutput output = new LiveOutput(spec.commandLine());
    StatusRates rates = new StatusRates();
    output.repeat(
        PERIOD,
        Long.MAX_VALUE,
        () -> {
          GetStatusResponse status = dispatcher.status(entries());
          rates.see(status, SystemTicker.INSTANCE.nanoTime());
          show(status, rates, rows, output);
        });
  }

  private void show(GetStatusResponse status, StatusRates rates, long rows, LiveOutput output) {
    StatusText text = new StatusText(status, rows, Optional.of(rates));
    if (json) {
      Headrace.out(spec).println(ProtoJson.line(status));
      Headrace.out(spec).flush();
    } else if (output.isTerminal()) {
      output.show(text.lines());
    } else {
      output.show(text.summary());
    }
  }
}
