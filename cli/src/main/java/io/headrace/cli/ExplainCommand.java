package io.headrace.cli;

import io.headrace.cli.text.ExplainText;
import io.headrace.cli.text.ProtoJson;
import io.headrace.client.DispatcherInspection;
import io.headrace.dispatcher.DatasetExplanation;
import io.headrace.proto.headrace.DatasetPlan;
import io.headrace.runtime.status.StatusException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headrace explain}: shows the plan of a dataset before it runs. */
@Command(
    name = "explain",
    sortOptions = false,
    description = {
      "Show the plan of a dataset before it runs: its stages, which of their ops run in fused"
          + " loops, by columns or row by row and why, what each sharding policy makes of it, which"
          + " guarantee it can have, and what stands in the way.",
      "It reads no element. The dataset's sources are evaluated, which may list files: by the"
          + " dispatcher, or by this command for a graph in a file."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class ExplainCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "DATASET|JOB|FILE",
      description =
          "With --dispatcher the id of a dataset, or the name or id of a job; otherwise a file with"
              + " the graph of a dataset: a GraphDef as text or binary, as tf.data's"
              + " DatasetToGraphV2 makes it. Needed.")
  String name = "";

  @Option(
      names = {"--dispatcher-address", "--dispatcher"},
      paramLabel = "HOST:PORT",
      description =
          "The dispatcher that has the dataset or job, which must be Headrace's. Default: none, for"
              + " a graph in a file.")
  Optional<String> dispatcherAddress = Optional.empty();

  @Option(
      names = "--timeout-ms",
      paramLabel = "MS",
      defaultValue = "60000",
      description =
          "Milliseconds to wait for the dispatcher, which may list files. Default:"
              + " ${DEFAULT-VALUE}.")
  long timeoutMs;

  @Option(names = "--job", description = "It is a job's name or id, even if a dataset has that id.")
  boolean job;

  @Option(
      names = "--json",
      description =
          "Print a JSON object with the fields of DatasetPlan (headrace/admin.proto), which keep"
              + " their names.")
  boolean json;

  @Override
  public Integer call() {
    DatasetPlan plan = plan();
    PrintWriter out = Headrace.out(spec);
    if (json) {
      out.println(ProtoJson.indented(plan));
    } else {
      new ExplainText(plan).lines().forEach(out::println);
    }
    out.flush();
    return 0;
  }

  private DatasetPlan plan() {
    if (dispatcherAddress.isPresent()) {
      try (DispatcherInspection dispatcher =
          InspectionFlags.inspect(dispatcherAddress.get(), timeoutMs)) {
        return dispatcher.explain(name, job);
      }
    }
    Path file = Path.of(name);
    if (job || !Files.exists(file)) {
      throw StatusException.invalidArgument(
          "%s is no file: for a dataset or job of a dispatcher, add --dispatcher=HOST:PORT", name);
    }
    return DatasetExplanation.of(GraphFile.read(file));
  }
}
