package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** A dataset made of one other; what it does not say itself is as its input says. */
public interface UnaryDataset extends DatasetValue {
  /** The dataset that it is made of. */
  DatasetValue input();

  @Override
  default List<DataType> outputTypes() {
    return input().outputTypes();
  }

  @Override
  default List<Shape> outputShapes() {
    return input().outputShapes();
  }

  @Override
  default List<SplitSource> splitSources() {
    return input().splitSources();
  }

  @Override
  default long cardinality() {
    return input().cardinality();
  }

  @Override
  default boolean touchesResources() {
    return input().touchesResources();
  }

  @Override
  default boolean changesResources() {
    return input().changesResources();
  }
}
