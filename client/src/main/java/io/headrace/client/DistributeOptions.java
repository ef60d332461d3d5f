package io.headrace.client;

import io.headrace.dataset.Checkpoint;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a distributed dataset.
 *
 * @param mode how the dataset is sharded among workers
 * @param jobName readers that name the same job share its elements, those of its first reader's
 *     dataset; empty for an anonymous job
 * @param compression the compression of elements that travel by unary calls
 * @param transfer the transfer of elements from workers
 * @param taskRefreshInterval how often a stock dispatcher is polled for tasks; Headrace dispatchers
 *     push changes
 * @param statistics counts the elements that are read
 * @param guarantee the delivery guarantee when processes die; empty for the strongest that the job
 *     can have, which {@link ReadStatistics#guarantee} returns
 * @param resumed the checkpoint of earlier readers of the same dataset from which this one resumes
 * @param strictNames a job of this name that reads another dataset is not joined
 */
public record DistributeOptions(
    ProcessingMode mode,
    Optional<String> jobName,
    ServiceCompression compression,
    Transfer transfer,
    Duration taskRefreshInterval,
    ReadStatistics statistics,
    Optional<Guarantee> guarantee,
    Optional<Resumption> resumed,
    boolean strictNames) {
  /** The options for {@code mode} with an anonymous job, and TensorFlow's defaults otherwise. */
  public static DistributeOptions of(ProcessingMode mode) {
    return new DistributeOptions(
        mode,
        Optional.empty(),
        ServiceCompression.AUTO,
        Transfer.AUTO,
        Duration.ofSeconds(1),
        new ReadStatistics(),
        Optional.empty(),
        Optional.empty(),
        false);
  }

  /** Validates the options as far as possible without the dispatcher. */
  public DistributeOptions {
    if (jobName.isPresent() && jobName.get().isEmpty()) {
      throw StatusException.invalidArgument("the job name must not be empty");
    }
    if (!taskRefreshInterval.isPositive()) {
      throw StatusException.invalidArgument(
          "the task refresh interval must be positive: %s", taskRefreshInterval);
    }
  }

  /** A copy with a job name, under which others may share the job. */
  public DistributeOptions withJobName(String name) {
    return new DistributeOptions(
        mode,
        Optional.of(name),
        compression,
        transfer,
        taskRefreshInterval,
        statistics,
        guarantee,
        resumed,
        strictNames);
  }

  /** A copy with another compression. */
  public DistributeOptions withCompression(ServiceCompression other) {
    return new DistributeOptions(
        mode,
        jobName,
        other,
        transfer,
        taskRefreshInterval,
        statistics,
        guarantee,
        resumed,
        strictNames);
  }

  /** A copy with another transfer. */
  public DistributeOptions withTransfer(Transfer other) {
    return new DistributeOptions(
        mode,
        jobName,
        compression,
        other,
        taskRefreshInterval,
        statistics,
        guarantee,
        resumed,
        strictNames);
  }

  /** A copy with another interval of polling for tasks. */
  public DistributeOptions withTaskRefreshInterval(Duration other) {
    return new DistributeOptions(
        mode, jobName, compression, transfer, other, statistics, guarantee, resumed, strictNames);
  }

  /** A copy with the caller's statistics. */
  public DistributeOptions withStatistics(ReadStatistics other) {
    return new DistributeOptions(
        mode,
        jobName,
        compression,
        transfer,
        taskRefreshInterval,
        other,
        guarantee,
        resumed,
        strictNames);
  }

  /** A copy with a guarantee; reading fails if the job can't have it. */
  public DistributeOptions withGuarantee(Guarantee other) {
    return new DistributeOptions(
        mode,
        jobName,
        compression,
        transfer,
        taskRefreshInterval,
        statistics,
        Optional.of(other),
        resumed,
        strictNames);
  }

  /**
   * A copy that resumes from {@code checkpoint}, in the same dataset and processing mode. If a job
   * of this name still runs, this reader replaces the one that made the checkpoint.
   */
  public DistributeOptions resumedFrom(Checkpoint checkpoint) {
    return resumedFrom(checkpoint, 0, 1);
  }

  /**
   * A copy that resumes as number {@code reader}, from 0, of {@code readers} that share a job and
   * resume together: each from its own checkpoint, or all from a merged one. Elements arrive once
   * all readers have joined. A reader that resumes again with the same number and checkpoint
   * replaces the previous one.
   */
  public DistributeOptions resumedFrom(Checkpoint checkpoint, int reader, int readers) {
    return new DistributeOptions(
        mode,
        jobName,
        compression,
        transfer,
        taskRefreshInterval,
        statistics,
        guarantee,
        Optional.of(new Resumption(checkpoint, reader, readers)),
        strictNames);
  }

  /**
   * A copy that reads only what it asks for. A job goes by its name: who joins it reads the dataset
   * of its first reader, and the dispatcher's log warns if that is another one. With strict names,
   * reading fails with INVALID_ARGUMENT instead, naming the difference. Names of nodes and
   * functions, devices, and the seeds of shuffles may differ.
   */
  public DistributeOptions withStrictNames() {
    return new DistributeOptions(
        mode,
        jobName,
        compression,
        transfer,
        taskRefreshInterval,
        statistics,
        guarantee,
        resumed,
        true);
  }
}
