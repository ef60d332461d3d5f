package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.ChunkIterator;
import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.IteratorContext;
import io.headrace.dataset.execute.pass.Lineage;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SplitSource;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** For each number of the selector, an element of the input with that index. */
public record DirectedInterleaveDataset(
    DatasetValue selector,
    List<DatasetValue> inputs,
    List<Shape> outputShapes,
    boolean stopsOnEmpty)
    implements DatasetValue {
  public static final Op OP =
      DatasetOp.define(
              "DirectedInterleaveDataset(selector_input_dataset: variant,"
                  + " data_input_datasets: N * variant)")
          .attrs(
              "output_types: list(type)",
              "output_shapes: list(shape)",
              "N: int",
              "stop_on_empty_dataset: bool = false")
          .kernel(DatasetKernel.making(DirectedInterleaveDataset::of));

  private static DirectedInterleaveDataset of(OpArguments in) {
    DatasetValue selector = in.dataset("selector_input_dataset");
    if (!selector.outputTypes().equals(List.of(DataType.INT64))) {
      throw in.invalid("The selector input must be a dataset of scalar int64 elements.");
    }
    List<DatasetValue> inputs = in.datasets("data_input_datasets");
    List<Shape> shapes = inputs.getFirst().outputShapes();
    for (DatasetValue input : inputs) {
      if (!input.outputTypes().equals(inputs.getFirst().outputTypes())) {
        throw in.invalid(
            "All inputs must have the same output_types, and have %s and %s",
            ElementSpec.names(inputs.getFirst().outputTypes()),
            ElementSpec.names(input.outputTypes()));
      }
      shapes = ElementSpec.common(shapes, input.outputShapes());
    }
    return new DirectedInterleaveDataset(
        selector, inputs, shapes, in.attrs().bool("stop_on_empty_dataset"));
  }

  @Override
  public List<DataType> outputTypes() {
    return inputs.getFirst().outputTypes();
  }

  @Override
  public long cardinality() {
    return inputs.stream().anyMatch(input -> input.cardinality() == INFINITE) ? INFINITE : UNKNOWN;
  }

  @Override
  public List<SplitSource> splitSources() {
    return all().stream().flatMap(input -> input.splitSources().stream()).toList();
  }

  /** The selector, followed by the inputs. */
  private List<DatasetValue> all() {
    return Stream.concat(Stream.of(selector), inputs.stream()).toList();
  }

  @Override
  public boolean touchesResources() {
    return selector.touchesResources() || inputs.stream().anyMatch(DatasetValue::touchesResources);
  }

  @Override
  public boolean changesResources() {
    return selector.changesResources() || inputs.stream().anyMatch(DatasetValue::changesResources);
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.of(
        "DirectedInterleaveDataset",
        "which element comes next depends on the order of all elements, and each worker has an"
            + " order of its own");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context);
  }

  private final class Iterator implements ChunkIterator {
    private final ChunkIterator numbers;
    private final List<ChunkIterator> passes;
    private final boolean[] ended = new boolean[inputs.size()];
    private int active = inputs.size();
    private boolean done;
    private @Nullable StatusException failure;

    Iterator(IteratorContext context) {
      List<DatasetValue> all = all();
      List<IteratorContext> contexts = context.forEach(all);
      List<ChunkIterator> begun = new ArrayList<>();
      for (int i = 0; i < contexts.size(); i++) {
        begun.add(contexts.get(i).open(all.get(i)));
      }
      this.numbers = begun.getFirst();
      this.passes = begun.subList(1, begun.size());
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      if (failure != null) {
        StatusException thrown = failure;
        failure = null;
        throw thrown;
      }
      List<Chunk> rows = new ArrayList<>();
      try {
        while (rows.size() < maxRows && !done) {
          Chunk row = nextRow();
          if (row != null) {
            rows.add(row);
          }
        }
      } catch (StatusException e) {
        if (rows.isEmpty()) {
          throw e;
        }
        failure = e;
      }
      return rows.isEmpty() ? null : Chunk.concat(rows);
    }

    private @Nullable Chunk nextRow() {
      Chunk number = numbers.next(1);
      if (number == null) {
        done = true;
        return null;
      }
      long selected = number.column(0).row(0).integer(0);
      if (selected < 0 || selected >= ended.length) {
        throw StatusException.invalidArgument(
            "Selector index out of range: %d >= %d", selected, ended.length);
      }
      int index = (int) selected;
      Chunk row = ended[index] ? null : passes.get(index).next(1);
      if (row == null && !ended[index]) {
        ended[index] = true;
        active--;
        done = stopsOnEmpty || active == 0;
      }
      return row;
    }

    @Override
    public void close() {
      numbers.close();
      passes.forEach(ChunkIterator::close);
    }
  }
}
