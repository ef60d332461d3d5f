package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** A dataset made of one other, whose properties it has unless it overrides them. */
public interface UnaryDataset extends DatasetValue {
  /** The input dataset. */
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

  /** One with elements of other types than its input's, which it declares. */
  interface Declared extends UnaryDataset {
    /** The declared types of the elements. */
    ElementSpec spec();

    @Override
    default List<DataType> outputTypes() {
      return spec().types();
    }

    @Override
    default List<Shape> outputShapes() {
      return spec().shapes();
    }
  }
}
