package io.headrace.cli;

import io.headrace.cli.text.ProtoJson;
import io.headrace.cli.text.TopText;
import io.headrace.client.DispatcherInspection;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatistics;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code headrace top}: shows live where the time of jobs goes. */
@Command(
    name = "top",
    sortOptions = false,
    description = {
      "Show live what the jobs of a dispatcher do and what limits each, with the stages of the one"
          + " whose readers wait the most; on a terminal of 80 columns and 24 lines or more,"
          + " redrawn. Elsewhere a line for each job, each time.",
      "It changes nothing at the dispatcher, and takes ten of its turns at the most each time."
    })
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class TopCommand implements Callable<Integer> {
  @Spec CommandSpec spec = CommandSpec.create();

  @Mixin InspectionFlags asked = new InspectionFlags();

  @Option(
      names = "--job",
      paramLabel = "JOB",
      description = "Show the stages of this job, by name or id. Default: whose readers wait most.")
  Optional<String> job = Optional.empty();

  @Option(
      names = "--interval-ms",
      paramLabel = "MS",
      defaultValue = "2000",
      description =
          "Milliseconds between two looks. Workers and readers report every two seconds. Default:"
              + " ${DEFAULT-VALUE}.")
  long intervalMs;

  @Option(
      names = "--times",
      paramLabel = "NUMBER",
      description = "How often to look before it ends. Default: until it is stopped.")
  Optional<Long> times = Optional.empty();

  @Option(
      names = "--json",
      description =
          "Print for each job, each time, a JSON object with the fields of JobStatistics"
              + " (headrace/admin.proto) on a line.")
  boolean json;

  @Override
  public Integer call() throws InterruptedException {
    long looks = times.map(number -> Flags.positive("--times", number)).orElse(Long.MAX_VALUE);
    LiveOutput output = new LiveOutput(spec.commandLine());
    try (DispatcherInspection dispatcher = asked.inspect()) {
      output.repeat(
          Flags.millis("--interval-ms", intervalMs), looks, () -> show(dispatcher, output));
    }
    return 0;
  }

  private void show(DispatcherInspection dispatcher, LiveOutput output) {
    // One page: of more jobs, the latest.
    GetStatusResponse status = dispatcher.status(500);
    TopText text = new TopText(status, statistics(dispatcher, status), job);
    if (json) {
      text.jobs().forEach(shown -> Headrace.out(spec).println(ProtoJson.line(shown)));
      Headrace.out(spec).flush();
    } else {
      output.show(output.isTerminal() ? text.screen() : text.lines());
    }
  }

  /** The statistics of the jobs that are read, those with the most readers. */
  private List<JobStatistics> statistics(
      DispatcherInspection dispatcher, GetStatusResponse status) {
    List<JobStatus> read =
        status.getJobsList().stream()
            .filter(of -> readers(of) > 0 || isAskedFor(of))
            .sorted(
                Comparator.comparing((JobStatus of) -> !isAskedFor(of))
                    .thenComparing(Comparator.comparingLong(TopCommand::readers).reversed()))
            .limit(TopText.MOST_JOBS)
            .toList();
    List<JobStatistics> statistics = new ArrayList<>();
    for (JobStatus of : read) {
      try {
        statistics.add(dispatcher.statistics(Long.toString(of.getId())));
      } catch (StatusException e) {
        if (e.code() != StatusCode.NOT_FOUND) {
          throw e;
        }
        // It has ended since.
      }
    }
    return statistics;
  }

  private boolean isAskedFor(JobStatus of) {
    return job.isPresent()
        && (of.getName().equals(job.get()) || Long.toString(of.getId()).equals(job.get()));
  }

  private static long readers(JobStatus job) {
    return job.getIterationsList().stream().mapToLong(IterationStatus::getReaders).sum();
  }
}
