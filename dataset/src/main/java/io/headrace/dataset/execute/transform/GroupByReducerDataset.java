package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.CapturedFunction;
import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.FunctionDataset;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.RowFunction;
import io.headrace.dataset.execute.pass.UnaryIterator;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One element for each key of the input, in the order of the keys: what {@code finish} makes of the
 * state that {@code init} began and {@code reduce} updated with each element of the key.
 */
public record GroupByReducerDataset(
    DatasetValue input,
    CapturedFunction key,
    CapturedFunction init,
    CapturedFunction reduce,
    CapturedFunction finish,
    ElementSpec spec)
    implements FunctionDataset {
  public static final Op OP =
      DatasetOp.define(
              "GroupByReducerDataset(input_dataset: variant,"
                  + " key_func_other_arguments: [Tkey_func_other_arguments],"
                  + " init_func_other_arguments: [Tinit_func_other_arguments],"
                  + " reduce_func_other_arguments: [Treduce_func_other_arguments],"
                  + " finalize_func_other_arguments: [Tfinalize_func_other_arguments])")
          .attrs(
              "key_func: func",
              "init_func: func",
              "reduce_func: func",
              "finalize_func: func",
              "Tkey_func_other_arguments: list(type)",
              "Tinit_func_other_arguments: list(type)",
              "Treduce_func_other_arguments: list(type)",
              "Tfinalize_func_other_arguments: list(type)",
              "output_types: list(type)",
              "output_shapes: list(shape)")
          .kernel(DatasetKernel.making(GroupByReducerDataset::of));

  private static GroupByReducerDataset of(OpArguments in) {
    return new GroupByReducerDataset(
        in.dataset("input_dataset"),
        in.function("key_func", "key_func_other_arguments"),
        in.function("init_func", "init_func_other_arguments"),
        in.function("reduce_func", "reduce_func_other_arguments"),
        in.function("finalize_func", "finalize_func_other_arguments"),
        in.spec());
  }

  @Override
  public CapturedFunction function() {
    return key;
  }

  private List<CapturedFunction> functions() {
    return List.of(key, init, reduce, finish);
  }

  @Override
  public boolean touchesResources() {
    return input.touchesResources()
        || functions().stream().anyMatch(CapturedFunction::touchesResources);
  }

  @Override
  public boolean changesResources() {
    return input.changesResources()
        || functions().stream().anyMatch(CapturedFunction::changesResources);
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(),
        "GroupByReducerDataset",
        "an element is made of all the input's elements of its key, which do not tell");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context);
  }

  private final class Iterator extends UnaryIterator {
    private final RowFunction keyOf;
    private final RowFunction begin;
    private final RowFunction update;
    private final RowFunction resultOf;
    private final TreeMap<Long, List<Tensor>> states = new TreeMap<>();
    private volatile boolean closed;
    private boolean inputEnded;

    Iterator(IteratorContext context) {
      super(context.open(GroupByReducerDataset.this.input));
      this.keyOf = key.open(context);
      this.begin = init.open(context);
      this.update = reduce.open(context);
      this.resultOf = finish.open(context);
    }

    /** After an error the pass continues behind the element, or the key, that caused it. */
    @Override
    public @Nullable Chunk next(int maxRows) {
      while (!inputEnded) {
        Chunk row = input.next(1);
        if (row == null) {
          inputEnded = true;
        } else {
          add(row.row(0));
        }
      }
      Map.Entry<Long, List<Tensor>> first = closed ? null : states.pollFirstEntry();
      return first == null ? null : Chunk.ofElement(resultOf.call(first.getValue()));
    }

    private void add(List<Tensor> element) {
      Tensor rowKey = keyOf(element);
      List<Tensor> state = states.get(rowKey.integer(0));
      if (state == null) {
        state = begin.call(List.of(rowKey));
        states.put(rowKey.integer(0), state);
      }
      List<Tensor> arguments = new ArrayList<>(state);
      arguments.addAll(element);
      List<Tensor> updated = update.call(arguments);
      states.put(rowKey.integer(0), updated.stream().map(Tensor::detach).toList());
    }

    private Tensor keyOf(List<Tensor> element) {
      List<Tensor> results = keyOf.call(element);
      if (results.size() == 1
          && results.getFirst().dtype() == DataType.INT64
          && results.getFirst().elements() == 1) {
        return results.getFirst();
      }
      throw StatusException.invalidArgument("`key_func` must return a scalar int64.");
    }

    @Override
    public void close() {
      closed = true;
      super.close();
    }
  }
}
