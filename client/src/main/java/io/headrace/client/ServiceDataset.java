package io.headrace.client;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.kernels.variant.CompressedElements;
import io.headrace.kernels.variant.CompressedVariant;
import io.headrace.proto.data.DeploymentMode;
import io.headrace.proto.data.DispatcherServiceGrpc;
import io.headrace.proto.data.GetDataServiceConfigRequest;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The elements of a registered dataset as the workers of a service produce them. Each pass is the
 * next repetition of the job.
 */
record ServiceDataset(
    String address,
    String datasetId,
    ProcessingModeDef processingMode,
    Optional<String> jobName,
    Transfer transfer,
    OptionalLong maxOutstandingRequests,
    TargetWorkers targetWorkers,
    Duration taskRefreshInterval,
    List<DataType> outputTypes,
    List<Shape> outputShapes,
    Optional<ConsumerPlace> consumer,
    Optional<TrainerPlace> cache,
    ReadSession session)
    implements DatasetValue {

  /** This dataset, read from the workers in the reader's process. */
  ServiceDataset fromLocalWorkers() {
    return new ServiceDataset(
        address,
        datasetId,
        processingMode,
        jobName,
        Transfer.LOCAL,
        maxOutstandingRequests,
        TargetWorkers.LOCAL,
        taskRefreshInterval,
        outputTypes,
        outputShapes,
        consumer,
        cache,
        session);
  }

  /**
   * This dataset as a reader of {@code client} reads it. Where workers and trainers share their
   * processes (the deployment mode COLOCATED), a share of a dataset that is divided statically is
   * read by the trainer beside it, unless the reader names its workers.
   */
  ServiceDataset placed(DispatcherClient client, Cancellation cancellation) {
    if (targetWorkers != TargetWorkers.AUTO || !isStatic()) {
      return this;
    }
    DeploymentMode deployment =
        client
            .call(
                DispatcherServiceGrpc.getGetDataServiceConfigMethod(),
                GetDataServiceConfigRequest.getDefaultInstance(),
                cancellation)
            .getConfig()
            .getDeploymentMode();
    return deployment == DeploymentMode.DEPLOYMENT_MODE_COLOCATED ? fromLocalWorkers() : this;
  }

  private boolean isStatic() {
    return switch (processingMode.getShardingPolicy()) {
      case FILE, DATA, FILE_OR_DATA, HINT -> true;
      case OFF, DYNAMIC, UNRECOGNIZED -> false;
    };
  }

  /** The trainer that the reader belongs to; empty without a cross-trainer cache. */
  String trainerId() {
    return cache.map(TrainerPlace::trainerId).orElse("");
  }

  ReadStatistics statistics() {
    return session.statistics();
  }

  /** Counts {@code more} elements that ignore_errors left out on workers. */
  void countIgnored(long more, IteratorContext context) {
    if (more > 0) {
      statistics().ignored(more);
      context.progress().ignoredElsewhere(more);
    }
  }

  /**
   * Whether the elements are declared compressed: a graph that a stock client has serialized
   * uncompresses them in a map behind this dataset.
   */
  boolean isCompressed() {
    return outputTypes.equals(List.of(DataType.VARIANT))
        && outputShapes.equals(List.of(Shape.SCALAR));
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  /** Workers send the origins of rows if the job is read exactly once. */
  @Override
  public Lineage lineage() {
    return Lineage.Told.SEVERAL;
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    long repetition = session.nextRepetition();
    return consumer.isPresent()
        ? new ConsumerIterator(this, consumer.get(), repetition, context)
        : new ServiceIterator(this, repetition, context);
  }

  /** A chunk from {@code worker} in the declared form; a StatusException if it has another one. */
  Chunk checked(Chunk received, String worker) {
    Chunk chunk = isCompressed() ? compressed(received) : received;
    int expected = outputTypes().size();
    if (chunk.columns().size() != expected) {
      throw StatusException.of(
          StatusCode.INTERNAL,
          "Expected %d components but got %d from worker %s",
          expected,
          chunk.columns().size(),
          worker);
    }
    for (int i = 0; i < expected; i++) {
      if (chunk.column(i).dtype() != outputTypes().get(i)) {
        throw StatusException.invalidArgument(
            "Data type mismatch at component %d: expected %s but got %s from worker %s",
            i, outputTypes().get(i).tfName(), chunk.column(i).dtype().tfName(), worker);
      }
    }
    return chunk;
  }

  /** The rows as compressed elements, unless they are variants already. */
  private static Chunk compressed(Chunk chunk) {
    if (chunk.columns().size() == 1 && chunk.column(0).dtype() == DataType.VARIANT) {
      return chunk;
    }
    List<Tensor> rows = new ArrayList<>(chunk.rows());
    for (int i = 0; i < chunk.rows(); i++) {
      rows.add(Tensor.variant(new CompressedVariant(CompressedElements.compress(chunk.row(i)))));
    }
    return chunk.withColumns(List.of(new Column.Listed(DataType.VARIANT, rows)));
  }
}
