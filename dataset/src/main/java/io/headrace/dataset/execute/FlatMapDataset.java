package io.headrace.dataset.execute;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Chunk;
import org.jspecify.annotations.Nullable;

/**
 * The elements of the datasets that a function makes of the input's elements, one after another.
 */
record FlatMapDataset(DatasetValue input, CapturedFunction function, ElementSpec spec)
    implements FunctionDataset {
  static final Op OP =
      DatasetOp.of(
          "FlatMapDataset(input_dataset: variant, other_arguments: [Targuments])",
          in ->
              new FlatMapDataset(
                  in.dataset("input_dataset"), in.function("f", "other_arguments"), in.spec()),
          "f: func",
          "Targuments: list(type)");

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(input.iterator(context), function.open(context), context);
  }

  private static final class Iterator extends UnaryIterator {
    private final RowFunction function;
    private final IteratorContext context;
    private volatile @Nullable ChunkIterator current;
    private volatile boolean closed;

    Iterator(ChunkIterator input, RowFunction function, IteratorContext context) {
      super(input);
      this.function = function;
      this.context = context;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (true) {
        ChunkIterator inner = current;
        Chunk rows = inner == null ? null : inner.next(maxRows);
        if (rows != null) {
          return rows;
        }
        if (inner != null) {
          current = null;
          inner.close();
        }
        if (closed || !openNext()) {
          return null;
        }
      }
    }

    private boolean openNext() {
      Chunk row = input.next(1);
      if (row == null) {
        return false;
      }
      ChunkIterator opened = function.callForDataset(row.row(0)).iterator(context);
      current = opened;
      if (closed) {
        opened.close();
      }
      return true;
    }

    @Override
    public void close() {
      closed = true;
      ChunkIterator inner = current;
      if (inner != null) {
        inner.close();
      }
      super.close();
    }
  }
}
