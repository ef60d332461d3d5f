package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.UnaryDataset;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Each of the input's batches in {@code replicas} parts of equal size, of which the last ones may
 * be smaller, or empty.
 */
public record ReplicaBatchDataset(DatasetValue input, long replicas, ElementSpec spec)
    implements UnaryDataset.Declared {
  public static final Op OP =
      DatasetOp.define("RebatchDataset(input_dataset: variant, num_replicas: int64)")
          .attrs(
              "output_types: list(type)", "output_shapes: list(shape)", "use_fallback: bool = true")
          .kernel(DatasetKernel.making(ReplicaBatchDataset::of));

  private static ReplicaBatchDataset of(OpArguments in) {
    long replicas = in.integer("num_replicas");
    if (replicas < 1) {
      throw in.invalid("num_replicas must be greater than zero.");
    }
    return new ReplicaBatchDataset(in.dataset("input_dataset"), replicas, in.spec());
  }

  @Override
  public long cardinality() {
    long batches = input.cardinality();
    return batches < 0 ? batches : batches * replicas;
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(), "RebatchDataset", "it cuts elements into parts of which some may be lost");
  }

  @Override
  public String iteratorName() {
    return "Rebatch";
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input));
  }

  private final class Iterator extends UnaryIterator {
    private List<Tensor> batch = List.of();
    private long part;

    Iterator(ChunkIterator batches) {
      super(batches);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (part == 0) {
        Chunk next = input.next(1);
        if (next == null) {
          return null;
        }
        batch = next.row(0);
        checkBatch();
      }
      List<Tensor> components = new ArrayList<>();
      for (Tensor component : batch) {
        long rows = component.shape().size(0);
        long size = (rows + replicas - 1) / replicas;
        long from = Math.min(part * size, rows);
        long to = Math.min(from + size, rows);
        components.add(component.rows((int) from, (int) to));
      }
      part = (part + 1) % replicas;
      return Chunk.ofElement(components);
    }

    private void checkBatch() {
      for (int i = 0; i < batch.size(); i++) {
        if (batch.get(i).shape().rank() == 0) {
          throw StatusException.invalidArgument(
              "Cannot rebatch dataset: All components must have at least one dimension. Perhaps"
                  + " your input dataset is not batched? Component %d is scalar.",
              i);
        }
      }
    }
  }
}
