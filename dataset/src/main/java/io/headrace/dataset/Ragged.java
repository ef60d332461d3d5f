package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Ops;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A ragged component, as {@link Dataset#raggedBatch} makes it, in a traced lambda: rows of
 * different lengths, as values and row splits.
 *
 * <pre>{@code
 * // [1], [2, 3] are the values [1, 2, 3] with the row splits [0, 1, 3]
 * vectors.raggedBatch(2).mapElement(batch -> Ragged.of(batch).toTensor(Tensor.scalar(-1L)))
 * }</pre>
 *
 * @param flatValues the values of all rows, without the ragged dimensions
 * @param rowSplits for each ragged dimension, outermost first, an int64 vector of where each row
 *     begins, and where the last one ends
 */
public record Ragged(Output flatValues, List<Output> rowSplits) {
  /** The part of an element that holds the values. */
  public static final String FLAT_VALUES = "flat_values";

  /** Copies the list. */
  public Ragged {
    requireNonNull(flatValues, "flatValues is null");
    requireNonNull(rowSplits, "rowSplits is null");
    rowSplits = List.copyOf(rowSplits);
  }

  /** The part of an element that holds the splits of ragged dimension {@code depth}, from 0. */
  public static String rowSplits(int depth) {
    return "row_splits_" + depth;
  }

  /**
   * The ragged component in {@code element}.
   *
   * @throws io.headrace.runtime.status.StatusException INVALID_ARGUMENT if it is no ragged
   *     component
   */
  public static Ragged of(SymbolicElement element) {
    requireNonNull(element, "element is null");
    Output values = element.get(FLAT_VALUES).output();
    List<Output> splits = new ArrayList<>();
    for (int depth = 0; depth < element.parts().size() - 1; depth++) {
      splits.add(element.get(rowSplits(depth)).output());
    }
    return new Ragged(values, splits);
  }

  /** The number of values, or of inner rows, of each row. */
  public Output rowLengths() {
    Output splits = rowSplits.getFirst();
    Output rows = splits.shapeTensor().at(0).sub(1);
    Output ends = splits.slice(new long[] {1}, new long[] {-1});
    return ends.sub(firsts(splits, rows));
  }

  private static Output firsts(Output splits, Output count) {
    return GraphBuilder.current()
        .op("Slice")
        .input(splits)
        .input(Tensor.vector(0))
        .input(count.expandDims(0))
        .build();
  }

  /** The rows as a dense tensor, each filled to the longest with {@code padding}, a scalar. */
  public Output toTensor(Tensor padding) {
    requireNonNull(padding, "padding is null");
    GraphBuilder graph = GraphBuilder.current();
    return graph
        .op("RaggedTensorToTensor")
        .input(Ops.constant(Tensor.scalar(-1L)))
        .input(flatValues)
        .input(padding)
        .inputs(rowSplits)
        .strings("row_partition_types", Collections.nCopies(rowSplits.size(), "ROW_SPLITS"))
        .build();
  }
}
