package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowIndices;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The input, checked to have {@code cardinality} elements. */
public record AssertCardinalityDataset(DatasetValue input, long cardinality)
    implements UnaryDataset {
  public static final Op OP =
      DatasetOp.define("AssertCardinalityDataset(input_dataset: variant, cardinality: int64)")
          .attrs("output_types: list(type)", "output_shapes: list(shape)")
          .kernel(
              DatasetKernel.making(in ->
                  new AssertCardinalityDataset(
                      in.dataset("input_dataset"), in.integer("cardinality"))));

  @Override
  public DatasetValue select(RowIndices rows) {
    return input.select(rows);
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "AssertCardinalityDataset", "it counts all elements, and each worker has only some");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input));
  }

  private final class Iterator extends UnaryIterator {
    private long rows;

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      // Requests the excess row alone, so that the rows before it are returned first.
      long most = rows < cardinality ? Math.min(maxRows, cardinality - rows) : 1;
      Chunk chunk = input.next((int) most);
      if (chunk != null) {
        rows += chunk.rows();
      }
      if (cardinality != UNKNOWN) {
        check(chunk);
      }
      return chunk;
    }

    private void check(@Nullable Chunk chunk) {
      if (chunk == null && rows != cardinality) {
        long found = rows;
        rows = cardinality;
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "Input dataset was expected to contain %s but contained only %s.",
            elements(cardinality),
            elements(found));
      }
      if (cardinality >= 0 && rows > cardinality) {
        throw StatusException.of(
            StatusCode.FAILED_PRECONDITION,
            "Input dataset was expected to contain %s but contained at least %s.",
            elements(cardinality),
            elements(rows));
      }
    }

    private static String elements(long count) {
      return count == INFINITE
          ? "an infinite number of elements"
          : count + (count == 1 ? " element" : " elements");
    }
  }
}
