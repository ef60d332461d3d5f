package io.headrace.cli;

import io.headrace.client.DispatcherInspection;
import io.headrace.proto.headrace.GetStatusResponse;
import io.headrace.proto.headrace.IterationStatus;
import io.headrace.proto.headrace.JobStatus;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Parameters;

/** The argument of commands that show one job. */
@SuppressWarnings("FieldCanBeFinal") // picocli sets the annotated fields
final class JobArgument {
  /** The jobs that a refusal names, and that are looked at. */
  private static final int MOST_NAMED = 8;

  @Parameters(
      arity = "0..1",
      paramLabel = "JOB",
      description = "The job's name, or its id in headrace status. Default: the only job.")
  String job = "";

  /**
   * The job's name or id as given; otherwise that of the only job that is being read, or of the
   * only one.
   *
   * @throws StatusException INVALID_ARGUMENT if several jobs may be meant; NOT_FOUND without one
   */
  String in(DispatcherInspection dispatcher) {
    if (!job.isEmpty()) {
      return job;
    }
    GetStatusResponse status = dispatcher.status(MOST_NAMED);
    List<JobStatus> jobs = status.getJobsList();
    if (jobs.isEmpty()) {
      throw new StatusException(
          StatusCode.NOT_FOUND,
          "the dispatcher has no job: one begins when a program reads a distributed dataset");
    }
    List<JobStatus> read = jobs.stream().filter(JobArgument::isRead).toList();
    if (status.getJobsLeftOut() == 0 && read.size() == 1) {
      return named(read.getFirst());
    }
    if (status.getJobsLeftOut() == 0 && jobs.size() == 1) {
      return named(jobs.getFirst());
    }
    throw StatusException.invalidArgument(
        "JOB is needed, for there are several jobs: %s%s",
        jobs.stream().map(JobArgument::named).collect(Collectors.joining(", ")),
        status.getJobsLeftOut() == 0 ? "" : ", and " + status.getJobsLeftOut() + " more");
  }

  private static boolean isRead(JobStatus job) {
    return job.getIterationsList().stream().anyMatch(JobArgument::isRead);
  }

  private static boolean isRead(IterationStatus iteration) {
    return !iteration.getFinished() && iteration.getReaders() > 0;
  }

  private static String named(JobStatus job) {
    return job.getAnonymous() ? Long.toString(job.getId()) : job.getName();
  }
}
