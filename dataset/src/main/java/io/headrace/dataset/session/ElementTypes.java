package io.headrace.dataset.session;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * The declared types of elements.
 *
 * @param types the dtype of each component
 * @param shapes the static shape of each component
 */
record ElementTypes(List<DataType> types, List<Shape> shapes) {
  /** Reads the attrs {@code output_types} and {@code output_shapes}. */
  static ElementTypes of(Attrs attrs) {
    return new ElementTypes(attrs.types("output_types"), attrs.shapes("output_shapes"));
  }

  /** INVALID_ARGUMENT unless the elements of {@code dataset} can have these types. */
  void check(DatasetValue dataset) {
    checkTypes(dataset.outputTypes());
    checkShapes(dataset.outputShapes());
  }

  /**
   * INVALID_ARGUMENT unless the two declarations are compatible; an empty one is compatible with
   * all.
   */
  void check(ElementTypes other) {
    if (!other.types.isEmpty()) {
      checkTypes(other.types);
    }
    if (!other.shapes.isEmpty()) {
      checkShapes(other.shapes);
    }
  }

  /** INVALID_ARGUMENT unless {@code row} has these types. */
  void check(List<Tensor> row) {
    checkTypes(row.stream().map(Tensor::dtype).toList());
    checkShapes(row.stream().map(Tensor::shape).toList());
  }

  private void checkTypes(List<DataType> found) {
    if (found.size() != types.size()) {
      throw StatusException.invalidArgument(
          "Number of components does not match: expected %d types but got %d.",
          types.size(), found.size());
    }
    for (int i = 0; i < types.size(); i++) {
      if (found.get(i) != types.get(i)) {
        throw StatusException.invalidArgument(
            "Data type mismatch at component %d: expected %s but got %s.",
            i, types.get(i).tfName(), found.get(i).tfName());
      }
    }
  }

  private void checkShapes(List<Shape> found) {
    if (found.size() != shapes.size()) {
      throw StatusException.invalidArgument(
          "Number of components does not match: expected %d shapes but got %d.",
          shapes.size(), found.size());
    }
    for (int i = 0; i < shapes.size(); i++) {
      if (!found.get(i).isCompatibleWith(shapes.get(i))) {
        throw StatusException.invalidArgument(
            "Incompatible shapes at component %d: expected %s but got %s.",
            i, shapes.get(i), found.get(i));
      }
    }
  }
}
