package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** A dataset made of one other by a function. */
public interface FunctionDataset extends UnaryDataset {
  /** The function that runs for the input's rows. */
  CapturedFunction function();

  /** What the elements are. */
  ElementSpec spec();

  @Override
  default List<DataType> outputTypes() {
    return spec().types();
  }

  @Override
  default List<Shape> outputShapes() {
    return spec().shapes();
  }

  @Override
  default long cardinality() {
    return UNKNOWN;
  }

  @Override
  default boolean touchesResources() {
    return function().touchesResources() || input().touchesResources();
  }

  @Override
  default boolean changesResources() {
    return function().changesResources() || input().changesResources();
  }

  /**
   * Whether rows must come one at a time, because both the function and what lies before it touch
   * resources, and one of them changes some.
   */
  default boolean goesRowByRow() {
    return function().touchesResources() && input().touchesResources() && changesResources();
  }
}
