package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FunctionDataset;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.RowFunction;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The elements of the datasets that {@code reduce} makes of a key and a window: up to {@code
 * windowSize} successive elements of the input with that key.
 */
public record GroupByWindowDataset(
    DatasetValue input,
    CapturedFunction key,
    CapturedFunction reduce,
    CapturedFunction windowSize,
    ElementSpec spec)
    implements FunctionDataset {
  public static final Op OP =
      DatasetOp.of(
          "GroupByWindowDataset(input_dataset: variant,"
              + " key_func_other_arguments: [Tkey_func_other_arguments],"
              + " reduce_func_other_arguments: [Treduce_func_other_arguments],"
              + " window_size_func_other_arguments: [Twindow_size_func_other_arguments])",
          in ->
              new GroupByWindowDataset(
                  in.dataset("input_dataset"),
                  in.function("key_func", "key_func_other_arguments"),
                  in.function("reduce_func", "reduce_func_other_arguments"),
                  in.function("window_size_func", "window_size_func_other_arguments"),
                  in.spec()),
          "key_func: func",
          "reduce_func: func",
          "window_size_func: func",
          "Tkey_func_other_arguments: list(type)",
          "Treduce_func_other_arguments: list(type)",
          "Twindow_size_func_other_arguments: list(type)");

  @Override
  public CapturedFunction function() {
    return key;
  }

  @Override
  public boolean touchesResources() {
    return key.touchesResources()
        || reduce.touchesResources()
        || windowSize.touchesResources()
        || input.touchesResources();
  }

  @Override
  public boolean changesResources() {
    return key.changesResources()
        || reduce.changesResources()
        || windowSize.changesResources()
        || input.changesResources();
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(),
        "GroupByWindowDataset",
        "the elements of a window are datasets of their own, which do not tell");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context);
  }

  /** The rows collected for one key. */
  private static final class Window {
    private final long size;
    private final List<Chunk> rows = new ArrayList<>();

    Window(long size) {
      this.size = size;
    }
  }

  private final class Iterator extends UnaryIterator {
    private final IteratorContext context;
    private final RowFunction keyOf;
    private final RowFunction reduceOf;
    private long reductions;
    private final RowFunction sizeOf;
    private final Map<Long, Window> windows = new TreeMap<>();
    private volatile @Nullable ChunkIterator current;
    private volatile boolean closed;
    private boolean inputEnded;

    Iterator(IteratorContext context) {
      super(context.open(GroupByWindowDataset.this.input));
      this.context = context;
      this.keyOf = key.open(context);
      this.reduceOf = reduce.open(context);
      this.sizeOf = windowSize.open(context);
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      while (!closed) {
        ChunkIterator reduced = current;
        Chunk rows = reduced == null ? null : reduced.next(maxRows);
        if (rows != null) {
          return rows;
        }
        if (reduced != null) {
          current = null;
          reduced.close();
        }
        if (!advance()) {
          return null;
        }
      }
      return null;
    }

    /**
     * Reads until a window is complete; at the end of the input, takes the incomplete windows by
     * key.
     */
    private boolean advance() {
      while (!inputEnded) {
        Chunk row = input.next(1);
        if (row == null) {
          inputEnded = true;
        } else if (add(row)) {
          return true;
        }
      }
      if (windows.isEmpty()) {
        return false;
      }
      reduce(windows.keySet().iterator().next());
      return true;
    }

    private boolean add(Chunk row) {
      long rowKey = keyOf.callForInteger(row.row(0), "key_func");
      Window window = windows.get(rowKey);
      if (window == null) {
        window = new Window(sizeOfWindow(rowKey));
        windows.put(rowKey, window);
      }
      window.rows.add(detach(row));
      if (window.rows.size() < window.size) {
        return false;
      }
      reduce(rowKey);
      return true;
    }

    private long sizeOfWindow(long rowKey) {
      long size = sizeOf.callForInteger(List.of(Tensor.scalar(rowKey)), "window_size_func");
      if (size < 1) {
        throw StatusException.invalidArgument(
            "Window size must be greater than zero, but got %d.", size);
      }
      return size;
    }

    private void reduce(long rowKey) {
      Window window = windows.remove(rowKey);
      if (window == null) {
        throw new IllegalStateException("no window of key " + rowKey);
      }
      DatasetValue rows =
          new InMemoryDataset(
              List.of(Chunk.concat(window.rows)),
              new ElementSpec(spec.node(), input().outputTypes(), input().outputShapes()));
      DatasetValue made =
          reduceOf.reduceToDataset(List.of(Tensor.scalar(rowKey), Tensor.variant(rows)));
      ChunkIterator reduced = context.withoutSplits().at(reductions++).open(made);
      current = reduced;
      if (closed) {
        reduced.close();
      }
    }

    private DatasetValue input() {
      return GroupByWindowDataset.this.input;
    }

    @Override
    public void close() {
      closed = true;
      ChunkIterator reduced = current;
      if (reduced != null) {
        reduced.close();
      }
      super.close();
    }
  }

  /** Copies the single row of {@code row}, so that it retains no larger array. */
  private static Chunk detach(Chunk row) {
    return Chunk.ofElement(row.row(0).stream().map(Tensor::detach).toList());
  }
}
