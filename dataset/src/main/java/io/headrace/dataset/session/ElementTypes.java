package io.headrace.dataset.session;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * What is declared of the components of elements.
 *
 * @param types their dtypes
 * @param shapes their shapes, as far as they are known
 */
record ElementTypes(List<DataType> types, List<Shape> shapes) {
  /** What the attrs {@code output_types} and {@code output_shapes} say. */
  static ElementTypes of(Attrs attrs) {
    return new ElementTypes(attrs.types("output_types"), attrs.shapes("output_shapes"));
  }

  /** INVALID_ARGUMENT unless elements of {@code dataset} can be such. */
  void check(DatasetValue dataset) {
    checkTypes(dataset.outputTypes());
    checkShapes(dataset.outputShapes());
  }

  /**
   * INVALID_ARGUMENT unless both can be declared of the same elements; nothing declared fits all.
   */
  void check(ElementTypes other) {
    if (!other.types.isEmpty()) {
      checkTypes(other.types);
    }
    if (!other.shapes.isEmpty()) {
      checkShapes(other.shapes);
    }
  }

  /** INVALID_ARGUMENT unless {@code row} is such an element. */
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
