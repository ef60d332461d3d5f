package io.headrace.client;

import static java.util.Objects.requireNonNull;

import io.headrace.dataset.Checkpoint;
import io.headrace.runtime.status.StatusException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

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
 * @param dispatcherTimeout how long the first contact with the dispatcher may take; a dispatcher
 *     that has answered once is waited for without end
 * @param consumer the reader's place among those that read in step
 * @param trainerId with a cross-trainer cache, the trainer that the reader belongs to
 * @param targetWorkers the workers that are read; all readers of a job name the same
 * @param maxOutstandingRequests the most elements that the reader has asked for ahead, at least 1;
 *     empty for as many as fit into its buffers
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
    boolean strictNames,
    Duration dispatcherTimeout,
    Optional<ConsumerPlace> consumer,
    Optional<String> trainerId,
    TargetWorkers targetWorkers,
    OptionalLong maxOutstandingRequests) {
  /** How long the first contact may take by default. */
  static final Duration DISPATCHER_TIMEOUT = Duration.ofMinutes(1);

  /** The options for {@code mode} with an anonymous job, and TensorFlow's defaults otherwise. */
  public static DistributeOptions of(ProcessingMode mode) {
    requireNonNull(mode, "mode is null");
    return new DistributeOptions(
        mode,
        Optional.empty(),
        ServiceCompression.AUTO,
        Transfer.AUTO,
        Duration.ofSeconds(1),
        new ReadStatistics(),
        Optional.empty(),
        Optional.empty(),
        false,
        DISPATCHER_TIMEOUT,
        Optional.empty(),
        Optional.empty(),
        TargetWorkers.AUTO,
        OptionalLong.empty());
  }

  /** Validates the options as far as possible without the dispatcher. */
  public DistributeOptions {
    requireNonNull(jobName, "jobName is null");
    requireNonNull(taskRefreshInterval, "taskRefreshInterval is null");
    requireNonNull(dispatcherTimeout, "dispatcherTimeout is null");
    requireNonNull(trainerId, "trainerId is null");
    requireNonNull(maxOutstandingRequests, "maxOutstandingRequests is null");
    requireNonNull(mode, "mode is null");
    requireNonNull(compression, "compression is null");
    requireNonNull(transfer, "transfer is null");
    requireNonNull(statistics, "statistics is null");
    requireNonNull(guarantee, "guarantee is null");
    requireNonNull(resumed, "resumed is null");
    requireNonNull(consumer, "consumer is null");
    requireNonNull(targetWorkers, "targetWorkers is null");
    if (jobName.isPresent() && jobName.get().isEmpty()) {
      throw StatusException.invalidArgument("the job name must not be empty");
    }
    if (!taskRefreshInterval.isPositive()) {
      throw StatusException.invalidArgument(
          "the task refresh interval must be positive: %s", taskRefreshInterval);
    }
    if (!dispatcherTimeout.isPositive()) {
      throw StatusException.invalidArgument(
          "the dispatcher timeout must be positive: %s", dispatcherTimeout);
    }
    trainerId.ifPresent(TrainerPlace::new);
    maxOutstandingRequests.ifPresent(most -> RequestBudget.check(most, transfer));
  }

  /** A copy with a job name, under which others may share the job. */
  public DistributeOptions withJobName(String name) {
    requireNonNull(name, "name is null");
    return with(fields -> fields.jobName = Optional.of(name));
  }

  /** A copy with another compression. */
  public DistributeOptions withCompression(ServiceCompression compression) {
    requireNonNull(compression, "compression is null");
    return with(fields -> fields.compression = compression);
  }

  /** A copy with another transfer. */
  public DistributeOptions withTransfer(Transfer transfer) {
    requireNonNull(transfer, "transfer is null");
    return with(fields -> fields.transfer = transfer);
  }

  /** A copy with another interval of polling for tasks. */
  public DistributeOptions withTaskRefreshInterval(Duration taskRefreshInterval) {
    requireNonNull(taskRefreshInterval, "taskRefreshInterval is null");
    return with(fields -> fields.taskRefreshInterval = taskRefreshInterval);
  }

  /** A copy with the caller's statistics. */
  public DistributeOptions withStatistics(ReadStatistics statistics) {
    requireNonNull(statistics, "statistics is null");
    return with(fields -> fields.statistics = statistics);
  }

  /** A copy with a guarantee; reading fails if the job can't have it. */
  public DistributeOptions withGuarantee(Guarantee guarantee) {
    requireNonNull(guarantee, "guarantee is null");
    return with(fields -> fields.guarantee = Optional.of(guarantee));
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
   * replaces the previous one. Reading fails with FAILED_PRECONDITION if another reader of the
   * group is there whose checkpoint is of another read, or that has the same number or says another
   * number of readers.
   */
  public DistributeOptions resumedFrom(Checkpoint checkpoint, int reader, int readers) {
    Resumption resumption = new Resumption(checkpoint, reader, readers);
    return with(fields -> fields.resumed = Optional.of(resumption));
  }

  /**
   * A copy that reads only what it asks for. A job goes by its name: who joins it reads the dataset
   * of its first reader, and the dispatcher's log warns if that is another one. With strict names,
   * reading fails with INVALID_ARGUMENT instead, naming the difference. Names of nodes and
   * functions, devices, and the seeds of shuffles may differ.
   */
  public DistributeOptions withStrictNames() {
    return with(fields -> fields.strictNames = true);
  }

  /**
   * A copy with another bound on the first contact with the dispatcher: DEADLINE_EXCEEDED if it
   * does not answer for so long. The default is a minute.
   */
  public DistributeOptions withDispatcherTimeout(Duration dispatcherTimeout) {
    requireNonNull(dispatcherTimeout, "dispatcherTimeout is null");
    return with(fields -> fields.dispatcherTimeout = dispatcherTimeout);
  }

  /**
   * A copy that reads in step with the other consumers of a job with a name (coordinated reads). In
   * each round each of the {@code count} consumers gets one element from each worker; what a worker
   * gives in a round are consecutive elements of its dataset, in the order of the consumers'
   * indexes. Consumers wait for each other, so all must read on, and the dataset must not end. It
   * is read at most once.
   *
   * @param index the number of this consumer, from 0
   * @param count the number of consumers, the same for all
   */
  public DistributeOptions withConsumers(int index, int count) {
    ConsumerPlace place = new ConsumerPlace(index, count);
    return with(fields -> fields.consumer = Optional.of(place));
  }

  /**
   * A copy that reads the elements of a job with a name together with other trainers, each of which
   * gets all of them at its own pace (cross-trainer cache). Each worker keeps the latest elements
   * in a window of bounded size. The trainer that is furthest ahead extends it; one that falls
   * behind skips the elements that have left it. So expensive elements are made once, for all
   * trainers: for instance those of a search for hyperparameters.
   *
   * <p>The dataset must be infinite, and is read once in a process: INVALID_ARGUMENT otherwise. It
   * is read at most once and has no checkpoints. A worker that starts again begins its dataset
   * anew.
   *
   * @param trainer the trainer that this reader belongs to; readers of one trainer share its
   *     elements. Not empty
   */
  public DistributeOptions withCrossTrainerCache(String trainer) {
    requireNonNull(trainer, "trainer is null");
    return with(fields -> fields.trainerId = Optional.of(trainer));
  }

  /**
   * A copy that reads from other workers. With LOCAL, each trainer has a worker in its own process,
   * and takes that one's rows by reference: with dynamic sharding the trainers share the dataset.
   */
  public DistributeOptions withTargetWorkers(TargetWorkers targetWorkers) {
    requireNonNull(targetWorkers, "targetWorkers is null");
    return with(fields -> fields.targetWorkers = targetWorkers);
  }

  /**
   * A copy that has asked for at most {@code most} elements ahead of those that were returned, over
   * all workers: requests that are on their way, and elements that wait to be returned. TensorFlow
   * calls it {@code max_outstanding_requests}. It bounds memory where elements are large, and the
   * work that is lost with the reader.
   *
   * <p>Each request is a unary call for one element, as stock readers make them. So with {@link
   * Transfer#AUTO} no streams are read, and the job is not read exactly once; {@link
   * Transfer#STREAM} is refused, with INVALID_ARGUMENT. With {@link Transfer#LOCAL}, and for
   * consumers in step, nothing is asked for ahead anyway. By default a reader asks each worker for
   * up to 4 MiB.
   *
   * @param most at least 1; INVALID_ARGUMENT otherwise
   */
  public DistributeOptions withMaxOutstandingRequests(long most) {
    return with(fields -> fields.maxOutstandingRequests = OptionalLong.of(most));
  }

  /** A copy with another processing mode. */
  public DistributeOptions withMode(ProcessingMode mode) {
    requireNonNull(mode, "mode is null");
    return with(fields -> fields.mode = mode);
  }

  private DistributeOptions with(Consumer<Fields> change) {
    Fields fields = new Fields(this);
    change.accept(fields);
    return fields.build();
  }

  /** The components of a copy. */
  private static final class Fields {
    private ProcessingMode mode;
    private Optional<String> jobName;
    private ServiceCompression compression;
    private Transfer transfer;
    private Duration taskRefreshInterval;
    private ReadStatistics statistics;
    private Optional<Guarantee> guarantee;
    private Optional<Resumption> resumed;
    private boolean strictNames;
    private Duration dispatcherTimeout;
    private Optional<ConsumerPlace> consumer;
    private Optional<String> trainerId;
    private TargetWorkers targetWorkers;
    private OptionalLong maxOutstandingRequests;

    Fields(DistributeOptions from) {
      mode = from.mode;
      jobName = from.jobName;
      compression = from.compression;
      transfer = from.transfer;
      taskRefreshInterval = from.taskRefreshInterval;
      statistics = from.statistics;
      guarantee = from.guarantee;
      resumed = from.resumed;
      strictNames = from.strictNames;
      dispatcherTimeout = from.dispatcherTimeout;
      consumer = from.consumer;
      trainerId = from.trainerId;
      targetWorkers = from.targetWorkers;
      maxOutstandingRequests = from.maxOutstandingRequests;
    }

    DistributeOptions build() {
      return new DistributeOptions(
          mode,
          jobName,
          compression,
          transfer,
          taskRefreshInterval,
          statistics,
          guarantee,
          resumed,
          strictNames,
          dispatcherTimeout,
          consumer,
          trainerId,
          targetWorkers,
          maxOutstandingRequests);
    }
  }
}
