package io.headrace.dispatcher;

import io.headrace.proto.headrace.journal.JobCreated;
import io.headrace.proto.headrace.journal.JournalRecord;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The jobs: a part of {@link DispatcherState}. */
final class Jobs {
  private static final long FIRST_ID = 5000;

  private final Map<Long, Job> byId = new LinkedHashMap<>();
  private final Map<String, Job> byName = new LinkedHashMap<>();
  private long nextId = FIRST_ID;

  Optional<Job> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** The job with {@code id}, or NOT_FOUND in TensorFlow's words. */
  Job get(long id) {
    @Nullable Job job = byId.get(id);
    if (job == null) {
      throw StatusException.of(StatusCode.NOT_FOUND, "Job with id %d not found", id);
    }
    return job;
  }

  boolean contains(long id) {
    return byId.containsKey(id);
  }

  Collection<Job> all() {
    return Collections.unmodifiableCollection(byId.values());
  }

  int size() {
    return byId.size();
  }

  long nextId() {
    return nextId;
  }

  void create(JobCreated change) {
    Job job =
        new Job(
            change.getJobId(),
            change.getJobName(),
            change.getAnonymous(),
            change.getDatasetId(),
            change.getProcessingModeDef(),
            change.getTargetWorkers());
    byId.put(job.id(), job);
    byName.put(job.name(), job);
    useIdsTo(job.id() + 1);
  }

  void forget(long id) {
    byName.remove(get(id).name());
    byId.remove(id);
  }

  void useIdsTo(long id) {
    nextId = Math.max(nextId, id);
  }

  void snapshot(List<JournalRecord> records) {
    for (Job job : byId.values()) {
      records.add(
          Records.of(
              JobCreated.newBuilder()
                  .setJobId(job.id())
                  .setJobName(job.name())
                  .setAnonymous(job.anonymous())
                  .setDatasetId(job.datasetId())
                  .setProcessingModeDef(job.processingMode())
                  .setTargetWorkers(job.targetWorkers())
                  .build()));
    }
  }
}
