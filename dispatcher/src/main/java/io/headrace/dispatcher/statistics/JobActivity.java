package io.headrace.dispatcher.statistics;

import io.headrace.proto.headrace.JobEvent;
import java.util.List;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/**
 * The work of jobs: ten minutes of it by seconds, and sums since the dispatcher's start. A part of
 * its soft state. Not thread-safe.
 */
public final class JobActivity {
  /** The name under which all anonymous jobs are summed. */
  public static final String ANONYMOUS = "(anonymous)";

  private final JobHistories histories = new JobHistories();
  private final JobTotals totals = new JobTotals();
  private final JobEvents events = new JobEvents();

  /**
   * A job, as its activity is kept.
   *
   * @param id the job
   * @param name its name, or {@link #ANONYMOUS}
   */
  public record Key(long id, String name) {}

  /** A job has come. */
  public void begin(Key job) {
    totals.begin(job.name());
  }

  /** Notes the load of one of its tasks. */
  public void worked(Key job, TaskInterval interval) {
    histories.worked(job.id(), interval);
    totals.worked(job.name(), interval);
  }

  /** Notes the progress of one of its readers. */
  public void read(Key job, long reader, ReadingInterval interval) {
    histories.read(job.id(), reader, interval);
    totals.read(job.name(), interval);
  }

  /** One of its tasks was lost, and with it at most so many splits and elements. */
  public void lost(Key job, long splits, long elements) {
    totals.lost(job.name(), splits, elements);
  }

  /** A task of a job was lost, or a settlement began or ended. */
  public void tell(long job, long nanos, String text) {
    events.add(job, nanos, text);
  }

  /** Forgets the history of a job. */
  public void forget(long job) {
    histories.forget(job);
    events.forget(job);
  }

  /** Forgets the jobs whose ids and names the arguments hold for. */
  public void forgetIf(LongPredicate endedId, Predicate<String> endedName) {
    histories.forgetIf(endedId);
    events.forgetIf(endedId);
    totals.forgetIf(name -> !name.equals(ANONYMOUS) && endedName.test(name));
  }

  /** A copy of the history of a job; empty if nothing is known of it. */
  public Optional<JobSeries> history(long job) {
    return histories.of(job);
  }

  /** The losses and settlements that were told of a job, the latest last. */
  public List<JobEvent> events(long job, long nowNanos) {
    return events.of(job, nowNanos);
  }

  /** The sums of all jobs. */
  public List<JobTotal> totals() {
    return totals.all();
  }

  /** How often a job or stage was left out of the sums for want of room. */
  public long leftOut() {
    return totals.leftOut();
  }
}
