package io.headrace.cli;

import io.headrace.client.DispatcherInspection;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.rpc.GrpcTargets;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headrace stats}: shows where the time of a job goes, and what limits it. */
@Command(
    name = "stats",
    sortOptions = false,
    description = {
      "Show where the time of a job goes, stage by stage, and what limits it.",
      "The figures are of the last ten to twenty seconds. It changes nothing at the dispatcher."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class StatsCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "JOB",
      description = "The job's name, or its id in headrace status. Needed.")
  String job = "";

  @Option(
      names = {"--dispatcher-address", "--dispatcher"},
      paramLabel = "HOST:PORT",
      required = true,
      description = "The dispatcher, which must be Headrace's. Needed.")
  String dispatcherAddress = "";

  @Option(
      names = "--json",
      description =
          "Print a JSON object with the fields of JobStatistics (headrace/admin.proto), which keep"
              + " their names.")
  boolean json;

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "10000",
      description = "Milliseconds to wait for the answer. Default: ${DEFAULT-VALUE}.")
  long timeoutMs;

  @Override
  public Integer call() {
    String target = GrpcTargets.ofAddress(Flags.address("--dispatcher-address", dispatcherAddress));
    try (DispatcherInspection dispatcher =
        DispatcherInspection.of(target, Flags.millis("--timeout-ms", timeoutMs))) {
      JobStatistics statistics = dispatcher.statistics(job);
      PrintWriter out = Headrace.out(spec);
      if (json) {
        out.println(ProtoJson.indented(statistics));
      } else {
        new StatsText(statistics).lines().forEach(out::println);
      }
      out.flush();
      return 0;
    }
  }
}
