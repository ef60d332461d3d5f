package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The distinct elements of the input, each at its first occurrence. */
public record UniqueDataset(DatasetValue input) implements UnaryDataset {
  public static final Op OP =
      DatasetOp.of("UniqueDataset(input_dataset: variant)", UniqueDataset::of);

  private static UniqueDataset of(OpArguments in) {
    DatasetValue input = in.dataset("input_dataset");
    ElementKind kind = input.outputTypes().getFirst().kind();
    boolean comparable =
        switch (kind) {
          case INT, LONG, BYTES -> true;
          case BYTE, SHORT, FLOAT, DOUBLE, FLOAT_PAIR, DOUBLE_PAIR, REFERENCE -> false;
        };
    if (input.outputTypes().size() != 1 || !comparable) {
      throw in.invalid(
          "elements must have one component, int32, int64 or string, and have %s",
          input.outputTypes());
    }
    return new UniqueDataset(input);
  }

  @Override
  public long cardinality() {
    return UNKNOWN;
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(),
        "UniqueDataset",
        "which of equal elements is the first depends on the order of all elements, and each worker"
            + " has an order of its own");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input));
  }

  private static final class Iterator extends UnaryIterator {
    private final Set<Object> seen = new HashSet<>();

    Iterator(ChunkIterator input) {
      super(input);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (true) {
        Chunk rows = input.next(maxRows);
        if (rows == null) {
          return null;
        }
        int[] indices = new int[rows.rows()];
        int count = 0;
        for (int i = 0; i < rows.rows(); i++) {
          if (seen.add(keyOf(rows.column(0).row(i)))) {
            indices[count++] = i;
          }
        }
        if (count > 0) {
          return rows.gather(indices, count);
        }
      }
    }
  }

  private static Object keyOf(Tensor row) {
    List<Object> key = new ArrayList<>(row.elements() + 1);
    key.add(row.shape());
    for (int i = 0; i < row.elements(); i++) {
      key.add(
          TensorMemory.array(row) instanceof byte[][]
              ? ByteBuffer.wrap(row.string(i))
              : row.integer(i));
    }
    return key;
  }
}
