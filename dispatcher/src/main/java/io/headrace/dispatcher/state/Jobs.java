package io.headrace.dispatcher.state;

import io.headrace.proto.headrace.journal.FinishedPass;
import io.headrace.proto.headrace.journal.JobCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The jobs, one of the tables of {@link DispatcherState}. */
public final class Jobs {
  private static final long FIRST_ID = 5000;

  /** The number of latest finished repetitions whose readers' records are kept. */
  static final int MAX_FINISHED_PASSES = 8;

  private final SequencedMap<Long, Job> byId = new LinkedHashMap<>();
  private final Map<String, Job> byName = new LinkedHashMap<>();
  private final Map<Long, LongSet> finishedRepetitions = new HashMap<>();
  private final Map<Long, TreeMap<Long, FinishedPass>> finishedPasses = new HashMap<>();
  private final Map<String, Integer> numByDataset = new HashMap<>();
  private long nextId = FIRST_ID;

  public Optional<Job> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /**
   * The job with {@code id}.
   *
   * @throws StatusException NOT_FOUND, with TensorFlow's message
   */
  public Job get(long id) {
    @Nullable Job job = byId.get(id);
    if (job == null) {
      throw StatusException.of(StatusCode.NOT_FOUND, "Job with id %d not found", id);
    }
    return job;
  }

  /**
   * The job that an operator names, by its name or else its id.
   *
   * @throws StatusException NOT_FOUND without such a job
   */
  public Job named(String nameOrId) {
    return findNamed(nameOrId)
        .orElseThrow(() ->
            StatusException.of(
                StatusCode.NOT_FOUND,
                "no job has the name or id \"%s\"; headrace status lists the jobs",
                nameOrId));
  }

  /** The job that an operator names, by its name or else its id. */
  public Optional<Job> findNamed(String nameOrId) {
    return find(nameOrId)
        .or(() ->
            nameOrId.matches("\\d{1,18}")
                ? Optional.ofNullable(byId.get(Long.valueOf(nameOrId)))
                : Optional.empty());
  }

  public boolean contains(long id) {
    return byId.containsKey(id);
  }

  public Collection<Job> all() {
    return Collections.unmodifiableCollection(byId.values());
  }

  /** All jobs, the latest first. */
  public Collection<Job> latestFirst() {
    return Collections.unmodifiableCollection(byId.reversed().values());
  }

  public int size() {
    return byId.size();
  }

  /** Whether any job reads the dataset. */
  public boolean isDatasetInUse(String datasetId) {
    return numByDataset.containsKey(datasetId);
  }

  /** Whether the job's repetition was read to its end and its iteration has been collected. */
  public boolean hasFinished(Job job, long repetition) {
    return finishedRepetitions.getOrDefault(job.id(), LongSet.EMPTY).contains(repetition);
  }

  /** The records that each reader took of a finished repetition, while they are kept. */
  public Optional<FinishedPass> finishedPass(Job job, long repetition) {
    return Optional.ofNullable(
        finishedPasses.getOrDefault(job.id(), new TreeMap<>()).get(repetition));
  }

  public long nextId() {
    return nextId;
  }

  void create(JobCreated change) {
    Job job = Job.of(change);
    byId.put(job.id(), job);
    byName.put(job.name(), job);
    var _ = numByDataset.merge(job.datasetId(), 1, Integer::sum);
    for (int i = 0; i + 1 < change.getFinishedRepetitionsCount(); i += 2) {
      finished(job.id())
          .addRange(change.getFinishedRepetitions(i), change.getFinishedRepetitions(i + 1));
    }
    change.getFinishedPassesList().forEach(pass -> keep(job, pass));
    useIdsTo(job.id() + 1);
  }

  void forget(long id) {
    Job job = get(id);
    byName.remove(job.name());
    byId.remove(id);
    finishedRepetitions.remove(id);
    finishedPasses.remove(id);
    var _ = numByDataset.computeIfPresent(job.datasetId(), (_, n) -> n == 1 ? null : n - 1);
  }

  /** Records that a repetition was read to its end, as its iteration is collected. */
  void finish(Job job, long repetition, Optional<FinishedPass> pass) {
    finished(job.id()).add(repetition);
    pass.ifPresent(known -> keep(job, known));
  }

  private void keep(Job job, FinishedPass pass) {
    TreeMap<Long, FinishedPass> passes =
        finishedPasses.computeIfAbsent(job.id(), _ -> new TreeMap<>());
    passes.put(pass.getRepetition(), pass);
    if (passes.size() > MAX_FINISHED_PASSES) {
      passes.pollFirstEntry();
    }
  }

  /** Reopens a finished repetition, part of which is read again. */
  void beginAgain(Job job, long repetition) {
    LongSet again = new LongSet();
    again.add(repetition);
    finishedRepetitions.put(job.id(), finished(job.id()).minus(again));
    finishedPasses.getOrDefault(job.id(), new TreeMap<>()).remove(repetition);
  }

  private LongSet finished(long id) {
    return finishedRepetitions.computeIfAbsent(id, _ -> new LongSet());
  }

  void useIdsTo(long id) {
    nextId = Math.max(nextId, id);
  }

  void snapshot(List<JournalRecord> records) {
    for (Job job : byId.values()) {
      JobCreated.Builder creation = job.creation().toBuilder();
      finishedRepetitions
          .getOrDefault(job.id(), LongSet.EMPTY)
          .forEachRange(
              (from, to) -> creation.addFinishedRepetitions(from).addFinishedRepetitions(to));
      creation.addAllFinishedPasses(
          finishedPasses.getOrDefault(job.id(), new TreeMap<>()).values());
      records.add(JournalRecords.of(creation.build()));
    }
  }
}
