package io.headrace.client;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.proto.data.ProcessingModeDef;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
    Duration taskRefreshInterval,
    List<DataType> outputTypes,
    List<Shape> outputShapes,
    ReadSession session)
    implements DatasetValue {

  ReadStatistics statistics() {
    return session.statistics();
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
    return new ServiceIterator(this, session.nextRepetition(), context);
  }
}
