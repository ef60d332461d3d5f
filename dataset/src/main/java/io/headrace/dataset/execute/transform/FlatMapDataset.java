package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.DroppedOrigins;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FlatMappingDataset;
import io.headrace.dataset.execute.pass.InnerPasses;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.SequentialInnerPasses;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/** The concatenation of the datasets that a function returns for the input's elements. */
public record FlatMapDataset(DatasetValue input, CapturedFunction function, ElementSpec spec)
    implements FlatMappingDataset {
  public static final Op OP =
      DatasetOp.of(
          "FlatMapDataset(input_dataset: variant, other_arguments: [Targuments])",
          in ->
              new FlatMapDataset(
                  in.dataset("input_dataset"), in.function("f", "other_arguments"), in.spec()),
          "f: func",
          "Targuments: list(type)");

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(
        new SequentialInnerPasses(context.open(input), function.open(context), context));
  }

  private static final class Iterator implements ChunkIterator {
    private final InnerPasses passes;
    private final DroppedOrigins dropped = new DroppedOrigins();
    private volatile @Nullable ChunkIterator current;
    private volatile boolean closed;

    Iterator(InnerPasses passes) {
      this.passes = passes;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (true) {
        ChunkIterator inner = current;
        Chunk rows = inner == null ? null : inner.next(maxRows);
        if (rows != null) {
          return dropped.joinTo(rows);
        }
        if (inner != null) {
          current = null;
          dropped.add(inner.rest());
          inner.close();
        }
        if (closed || !openNext()) {
          return null;
        }
      }
    }

    private boolean openNext() {
      ChunkIterator opened = passes.next();
      current = opened;
      if (opened != null && closed) {
        opened.close();
      }
      return opened != null;
    }

    @Override
    public Origins rest() {
      dropped.add(passes.rest());
      return dropped.take();
    }

    @Override
    public void close() {
      closed = true;
      ChunkIterator inner = current;
      if (inner != null) {
        inner.close();
      }
      passes.close();
    }
  }
}
