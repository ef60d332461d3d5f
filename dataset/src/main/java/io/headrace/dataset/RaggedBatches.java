package io.headrace.dataset;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Composes {@code raggedBatch}, as TensorFlow does: components of varying shape become variants,
 * which are stacked, and the stacks become values and row splits.
 */
final class RaggedBatches {
  private RaggedBatches() {}

  static Dataset of(Dataset input, long size, boolean dropRemainder) {
    Structure given = input.structure();
    given.checkTensors("ragged_batch");
    if (given.shapes().stream().anyMatch(Shape::isUnknownRank)) {
      throw StatusException.invalidArgument(
          "ragged_batch takes components of known rank, and was given %s", given);
    }
    return input
        .mapElement(element -> packed(given, element.components(), RaggedBatches::encoded))
        .batch(size, dropRemainder)
        .mapElement(batch -> packed(given, batch.components(), RaggedBatches::decoded));
  }

  /** Changes the component of a declared shape. */
  private interface Change {
    Object of(Structure.Component declared, Output component);
  }

  /** {@code components} in the nesting of {@code structure}, each changed. */
  private static Object packed(Structure structure, List<Output> components, Change change) {
    return switch (structure) {
      case Structure.Component c -> change.of(c, components.getFirst());
      case Structure.Nested n -> throw new AssertionError(n);
      case Structure.Tuple t -> {
        List<Object> parts = new ArrayList<>();
        int at = 0;
        for (Structure part : t.parts()) {
          parts.add(packed(part, components.subList(at, at + part.size()), change));
          at += part.size();
        }
        yield parts;
      }
      case Structure.Dict d -> {
        Map<String, Object> parts = new TreeMap<>();
        int at = 0;
        for (Map.Entry<String, Structure> part : d.parts().entrySet()) {
          int count = part.getValue().size();
          parts.put(
              part.getKey(), packed(part.getValue(), components.subList(at, at + count), change));
          at += count;
        }
        yield parts;
      }
    };
  }

  /** The last dimension that varies: the ragged rank of an element; -1 if none does. */
  private static int raggedRank(Shape shape) {
    int last = -1;
    for (int axis = 0; axis < shape.rank(); axis++) {
      last = shape.size(axis) == Shape.UNKNOWN_DIMENSION ? axis : last;
    }
    return last;
  }

  private static Output encoded(Structure.Component declared, Output component) {
    int rank = raggedRank(declared.shape());
    if (rank < 0) {
      return component;
    }
    List<Output> splits = new ArrayList<>();
    Output values = component;
    if (rank > 0) {
      Output sizes = component.shapeTensor().cast(DataType.INT64);
      Output rows = sizes.at(0);
      for (int axis = 1; axis <= rank; axis++) {
        splits.add(Ops.range(rows.add(1)).mul(sizes.at(axis)));
        rows = rows.mul(sizes.at(axis));
      }
      Output inner = sizes.slice(new long[] {rank + 1}, new long[] {-1});
      Output shape = Ops.concat(List.of(rows.expandDims(0), inner), 0);
      values = GraphBuilder.current().op("Reshape").input(component).input(shape).build();
    }
    return GraphBuilder.current()
        .op("RaggedTensorToVariant")
        .inputs(splits)
        .input(values)
        .attr("Tsplits", DataType.INT64)
        .attr("batched_input", false)
        .build();
  }

  private static Object decoded(Structure.Component declared, Output batch) {
    int rank = raggedRank(declared.shape());
    if (rank < 0) {
      return batch;
    }
    List<Output> parts =
        GraphBuilder.current()
            .op("RaggedTensorFromVariant")
            .input(batch)
            .attr("input_ragged_rank", rank)
            .attr("output_ragged_rank", rank + 1)
            .attr("Tvalues", declared.dtype())
            .attr("Tsplits", DataType.INT64)
            .buildAll();
    Map<String, Output> result = new TreeMap<>();
    for (int i = 0; i <= rank; i++) {
      result.put(Ragged.rowSplits(i), shaped(parts.get(i), Shape.of(Shape.UNKNOWN_DIMENSION)));
    }
    Shape inner = declared.shape().dropFirst(rank + 1);
    result.put(Ragged.FLAT_VALUES, shaped(parts.getLast(), inner.prepend(Shape.UNKNOWN_DIMENSION)));
    return result;
  }

  /** {@code output} with a shape that is known, and checked when it runs. */
  private static Output shaped(Output output, Shape shape) {
    return GraphBuilder.current().op("EnsureShape").input(output).attr("shape", shape).build();
  }
}
