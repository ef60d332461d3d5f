package io.headrace.dispatcher;

import io.headrace.dispatcher.state.Job;
import io.headrace.dispatcher.statistics.JobSeries;
import io.headrace.proto.headrace.JobEvent;
import io.headrace.proto.headrace.JobHistory;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The material of a job's history, copied in one turn of the {@link CommitLoop}: {@link #message},
 * which is expensive, is called elsewhere, and once.
 *
 * @param job the job
 * @param series what is known of its last minutes
 * @param events its losses and settlements
 * @param ageNanos how long reports may be on their way
 * @param nowNanos the time of the copy
 */
record HistoryPage(
    Job job, Optional<JobSeries> series, List<JobEvent> events, long ageNanos, long nowNanos) {
  JobHistory message() {
    long ageSeconds = TimeUnit.NANOSECONDS.toSeconds(ageNanos) + 1;
    return series
        .map(of -> of.message(nowNanos - TimeUnit.SECONDS.toNanos(ageSeconds)))
        .orElseGet(JobHistory::newBuilder)
        .setJobId(job.id())
        .setJobName(job.name())
        .setAgeSeconds(ageSeconds)
        .addAllEvents(events)
        .build();
  }
}
