package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.resource.TensorQueue.Kind;
import io.headrace.kernels.resource.TensorQueue.Spec;
import io.headrace.kernels.variant.TensorList;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks elements against a queue's dtypes and shapes, and batches elements into one tensor per
 * component.
 */
final class QueueShapes {
  private QueueShapes() {}

  /** INVALID_ARGUMENT unless {@code element} matches {@code spec}. */
  static void checkElement(Spec spec, List<Tensor> element) {
    checkTypes(spec, element);
    for (int i = 0; i < spec.shapes().size(); i++) {
      checkShape(i, spec.shapes().get(i), element.get(i).shape());
    }
  }

  /** INVALID_ARGUMENT unless the rows of {@code components} match {@code spec}. */
  static void checkMany(Spec spec, List<Tensor> components) {
    checkTypes(spec, components);
    for (int i = 0; i < components.size(); i++) {
      if (components.get(i).shape().rank() == 0) {
        throw invalidArgument(
            "Component %d is a scalar; it must have a dimension for the elements", i);
      }
    }
    long count = components.getFirst().shape().size(0);
    for (int i = 0; i < spec.shapes().size(); i++) {
      checkShape(i, spec.shapes().get(i).prepend(count), components.get(i).shape());
    }
    for (int i = 1; i < components.size(); i++) {
      if (components.get(i).shape().size(0) != count) {
        throw invalidArgument(
            "All input tensors must have the same size in the 0th dimension. Component %d has %d,"
                + " and should have %d",
            i, components.get(i).shape().size(0), count);
      }
    }
  }

  private static void checkShape(int component, Shape expected, Shape given) {
    if (!expected.isCompatibleWith(given)) {
      throw invalidArgument(
          "Shape mismatch in tuple component %d. Expected %s, got %s", component, expected, given);
    }
  }

  private static void checkTypes(Spec spec, List<Tensor> tuple) {
    if (tuple.size() != spec.types().size()) {
      throw invalidArgument(
          "Wrong number of components in tuple. Expected %d, got %d",
          spec.types().size(), tuple.size());
    }
    for (int i = 0; i < tuple.size(); i++) {
      if (tuple.get(i).dtype() != spec.types().get(i)) {
        throw invalidArgument(
            "Type mismatch in tuple component %d. Expected %s, got %s",
            i, spec.types().get(i).tfName(), tuple.get(i).dtype().tfName());
      }
    }
  }

  /** INVALID_ARGUMENT unless the shapes of the components are declared. */
  static void checkBatched(Spec spec) {
    if (spec.shapes().isEmpty()) {
      throw invalidArgument(
          "%s's DequeueMany and DequeueUpTo require the components to have specified shapes.",
          spec.kind().opName());
    }
  }

  /** A batch of no elements; unknown dimensions become 0. */
  static List<Tensor> emptyBatch(Spec spec) {
    List<Tensor> batch = new ArrayList<>();
    for (int i = 0; i < spec.shapes().size(); i++) {
      long[] sizes = spec.shapes().get(i).dimensions();
      for (int axis = 0; axis < sizes.length; axis++) {
        sizes[axis] = Math.max(sizes[axis], 0);
      }
      DataType dtype = spec.types().get(i);
      batch.add(Tensor.wrap(dtype, Shape.of(sizes).prepend(0), dtype.kind().newArray(0)));
    }
    return batch;
  }

  /**
   * Stacks elements, each component along a new first dimension, padding at the end of dimensions
   * where shapes differ.
   */
  static List<Tensor> batch(Spec spec, List<List<Tensor>> elements) {
    List<Tensor> batch = new ArrayList<>();
    for (int i = 0; i < spec.types().size(); i++) {
      int component = i;
      List<Tensor> tensors = elements.stream().map(element -> element.get(component)).toList();
      boolean isPadded = spec.kind() == Kind.PADDING_FIFO && !spec.shapes().get(i).isKnown();
      batch.add(isPadded ? padded(spec.shapes().get(i), tensors) : Column.stackRows(tensors));
    }
    return batch;
  }

  private static Tensor padded(Shape declared, List<Tensor> tensors) {
    long[] sizes = declared.dimensions();
    for (int axis = 0; axis < sizes.length; axis++) {
      if (sizes[axis] < 0) {
        sizes[axis] = 0;
        for (Tensor tensor : tensors) {
          sizes[axis] = Math.max(sizes[axis], tensor.shape().size(axis));
        }
      }
    }
    Shape shape = Shape.of(sizes);
    int width = shape.elements();
    Tensor batch = TensorList.zeros(tensors.getFirst().dtype(), shape.prepend(tensors.size()));
    for (int i = 0; i < tensors.size(); i++) {
      if (tensors.get(i).elements() > 0) {
        place(tensors.get(i), 0, batch, shape, i * width);
      }
    }
    return batch;
  }

  /**
   * Copies a tensor to the origin of the slice of {@code shape} that begins at offset {@code at}.
   */
  private static void place(Tensor from, int axis, Tensor to, Shape shape, int at) {
    int rank = shape.rank();
    if (rank - axis <= 1) {
      from.dtype()
          .kind()
          .copy(
              TensorMemory.array(from),
              TensorMemory.offset(from),
              TensorMemory.array(to),
              at,
              from.elements());
      return;
    }
    int stride = shape.sub(axis + 1, rank).elements();
    for (int i = 0; i < from.shape().size(0); i++) {
      place(from.row(i), axis + 1, to, shape, at + i * stride);
    }
  }
}
