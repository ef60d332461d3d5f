package io.headrace.client;

import io.headrace.dataset.Checkpoint;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.Optional;

/**
 * How a distributed dataset is read.
 *
 * @param mode how elements are divided among workers
 * @param jobName readers that name the same job share its elements; empty for a job of one's own
 * @param compression how elements are compressed where they travel by unary calls
 * @param transfer how elements come from workers
 * @param taskRefreshInterval how often the dispatcher is asked for tasks where it cannot say by
 *     itself when they change, as a stock one cannot
 * @param statistics counts what is read
 * @param guarantee what becomes of elements when processes die; empty for the strongest that the
 *     job can have. {@link ReadStatistics#guarantee} says which that is
 * @param resumed a checkpoint of earlier readers of the same dataset, after which this one goes on
 */
public record DistributeOptions(
    ProcessingMode mode,
    Optional<String> jobName,
    ServiceCompression compression,
    Transfer transfer,
    Duration taskRefreshInterval,
    ReadStatistics statistics,
    Optional<Guarantee> guarantee,
    Optional<Resumption> resumed) {
  /** Options for {@code mode} with a job of one's own, TensorFlow's defaults otherwise. */
  public static DistributeOptions of(ProcessingMode mode) {
    return new DistributeOptions(
        mode,
        Optional.empty(),
        ServiceCompression.AUTO,
        Transfer.AUTO,
        Duration.ofSeconds(1),
        new ReadStatistics(),
        Optional.empty(),
        Optional.empty());
  }

  /** Checks what can be checked before anyone is asked. */
  public DistributeOptions {
    if (jobName.isPresent() && jobName.get().isEmpty()) {
      throw StatusException.invalidArgument("the job name must not be empty");
    }
    if (!taskRefreshInterval.isPositive()) {
      throw StatusException.invalidArgument(
          "the task refresh interval must be positive: %s", taskRefreshInterval);
    }
  }

  /** With a job that others may share by its name. */
  public DistributeOptions withJobName(String name) {
    return new DistributeOptions(
        mode,
        Optional.of(name),
        compression,
        transfer,
        taskRefreshInterval,
        statistics,
        guarantee,
        resumed);
  }

  /** With another compression. */
  public DistributeOptions withCompression(ServiceCompression other) {
    return new DistributeOptions(
        mode, jobName, other, transfer, taskRefreshInterval, statistics, guarantee, resumed);
  }

  /** With another transfer. */
  public DistributeOptions withTransfer(Transfer other) {
    return new DistributeOptions(
        mode, jobName, compression, other, taskRefreshInterval, statistics, guarantee, resumed);
  }

  /** With another interval between questions for tasks. */
  public DistributeOptions withTaskRefreshInterval(Duration other) {
    return new DistributeOptions(
        mode, jobName, compression, transfer, other, statistics, guarantee, resumed);
  }

  /** With statistics that the caller holds. */
  public DistributeOptions withStatistics(ReadStatistics other) {
    return new DistributeOptions(
        mode, jobName, compression, transfer, taskRefreshInterval, other, guarantee, resumed);
  }

  /** With a guarantee; it is refused where it can't be had. */
  public DistributeOptions withGuarantee(Guarantee other) {
    return new DistributeOptions(
        mode,
        jobName,
        compression,
        transfer,
        taskRefreshInterval,
        statistics,
        Optional.of(other),
        resumed);
  }

  /**
   * Going on after {@code checkpoint}, in the same dataset and processing mode. Where a job with
   * this name goes on, this reader takes the place of the one that the checkpoint is of.
   */
  public DistributeOptions resumedFrom(Checkpoint checkpoint) {
    return resumedFrom(checkpoint, 0, 1);
  }

  /**
   * Going on as the {@code reader}th, from 0, of {@code readers} that share a job and go on
   * together: each from its own checkpoint, or all from one that was merged of them. Elements come
   * when all have come. A reader that goes on anew under the same number from the same checkpoint
   * takes the place of the one before.
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
        Optional.of(new Resumption(checkpoint, reader, readers)));
  }
}
