package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.List;

/** A dataset made of one other, with elements of other types, which it declares. */
public interface DeclaredDataset extends UnaryDataset {
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
