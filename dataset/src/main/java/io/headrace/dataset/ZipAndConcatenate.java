package io.headrace.dataset;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** Builds the nodes of {@code concatenate} and {@code zip}. */
final class ZipAndConcatenate {
  private ZipAndConcatenate() {}

  /**
   * The elements of {@code first}, followed by those of {@code next}.
   *
   * @throws StatusException INVALID_ARGUMENT if their types differ
   */
  static Dataset concatenate(Dataset first, Dataset next) {
    Structure both = common(first.structure(), next.structure(), "concatenated");
    return new Dataset(
        both,
        target ->
            DatasetNodeBuilder.typed(
                target
                    .graph()
                    .op("ConcatenateDataset")
                    .input(target.build(first))
                    .input(target.build(next)),
                both));
  }

  /**
   * The structure of elements of either dataset.
   *
   * @throws StatusException INVALID_ARGUMENT if their types differ: they cannot be {@code joined}
   */
  static Structure common(Structure first, Structure next, String joined) {
    if (!first.types().equals(next.types())) {
      throw StatusException.invalidArgument(
          "datasets of %s and of %s cannot be %s: their dtypes differ", first, next, joined);
    }
    List<Shape> others = new ArrayList<>(next.shapes());
    return first.mapShapes(shape -> common(shape, others.removeFirst()));
  }

  /** The shape of tensors of either shape. */
  static Shape common(Shape a, Shape b) {
    if (a.rank() < 0 || a.rank() != b.rank()) {
      return Shape.UNKNOWN;
    }
    long[] sizes = a.dimensions();
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = sizes[i] == b.size(i) ? sizes[i] : Shape.UNKNOWN_DIMENSION;
    }
    return Shape.of(sizes);
  }

  /** Tuples of one element of each input. */
  static Dataset zip(List<Dataset> inputs) {
    Structure zipped = new Structure.Tuple(inputs.stream().map(Dataset::structure).toList());
    return new Dataset(
        zipped,
        target ->
            DatasetNodeBuilder.typed(
                target
                    .graph()
                    .op("ZipDataset")
                    .inputs(inputs.stream().map(target::build).toList())
                    .attr("N", inputs.size()),
                zipped));
  }
}
