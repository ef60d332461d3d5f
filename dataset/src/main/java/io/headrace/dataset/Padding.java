package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * The shapes to which {@link Dataset#paddedBatch} pads, and the values with which it does.
 *
 * @param shapes a shape for each component, in which -1 stands for the largest size in the batch;
 *     if empty, the components' own shapes
 * @param values a scalar of the component's dtype for each component; if empty, zeros, false and
 *     empty strings
 */
public record Padding(List<Shape> shapes, List<Tensor> values) {
  /** Pads each unknown dimension to the largest size in the batch. */
  public static final Padding TO_LONGEST = new Padding(List.of(), List.of());

  /** Copies the lists. */
  public Padding {
    requireNonNull(shapes, "shapes is null");
    requireNonNull(values, "values is null");
    shapes = List.copyOf(shapes);
    values = List.copyOf(values);
  }

  /** Pads to {@code shapes}, one for each component. */
  public static Padding to(Shape... shapes) {
    requireNonNull(shapes, "shapes is null");
    return new Padding(List.of(shapes), List.of());
  }

  /** Pads with {@code newValues}, a scalar for each component. */
  public Padding with(Tensor... newValues) {
    requireNonNull(newValues, "newValues is null");
    return new Padding(shapes, List.of(newValues));
  }
}
