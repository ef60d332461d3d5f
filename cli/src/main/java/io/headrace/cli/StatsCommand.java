package io.headrace.cli;

import io.headrace.cli.text.ProtoJson;
import io.headrace.cli.text.StatsText;
import io.headrace.client.DispatcherInspection;
import io.headrace.proto.headrace.JobStatistics;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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

  @Mixin JobArgument job = new JobArgument();

  @Mixin InspectionFlags asked = new InspectionFlags();

  @Option(
      names = "--json",
      description =
          "Print a JSON object with the fields of JobStatistics (headrace/admin.proto), which keep"
              + " their names.")
  boolean json;

  @Override
  public Integer call() {
    try (DispatcherInspection dispatcher = asked.inspect()) {
      JobStatistics statistics = dispatcher.statistics(job.in(dispatcher));
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
