package io.headrace.cli;

import io.headrace.client.DispatcherOperations;
import io.headrace.proto.headrace.EndJobResponse;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code headrace end}: ends a job. */
@Command(
    name = "end",
    sortOptions = false,
    description = {
      "End a job: its readers fail with FAILED_PRECONDITION, which says that an operator ended it,"
          + " its tasks end, and its name is forgotten, so that whoever uses it next creates"
          + " another job.",
      "Runs on the dispatcher's host, with a loopback address."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class EndCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "JOB",
      description = "The job's name, or its id in headrace status. Needed.")
  String job = "";

  @Mixin InspectionFlags asked = new InspectionFlags();

  @Override
  public Integer call() {
    try (DispatcherOperations dispatcher = asked.operate()) {
      EndJobResponse ended = dispatcher.endJob(job);
      PrintWriter out = Headrace.out(spec);
      out.println(
          "job %d (%s) has ended, with %,d readers and %,d tasks"
              .formatted(
                  ended.getJobId(), ended.getJobName(), ended.getReaders(), ended.getTasks()));
      out.flush();
      return 0;
    }
  }
}
