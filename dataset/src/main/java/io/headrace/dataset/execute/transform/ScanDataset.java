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
import io.headrace.runtime.op.Op;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The results of a function of a state and an element of the input; its other result is the next
 * state.
 */
public record ScanDataset(
    DatasetValue input,
    List<Tensor> initialState,
    CapturedFunction function,
    ElementSpec spec,
    boolean preservesCardinality)
    implements FunctionDataset {
  public static final Op OP =
      DatasetOp.of(
          "ScanDataset(input_dataset: variant, initial_state: [Tstate],"
              + " other_arguments: [Targuments])",
          in ->
              new ScanDataset(
                  in.dataset("input_dataset"),
                  in.tensors("initial_state"),
                  in.function("f", "other_arguments"),
                  in.spec(),
                  in.attrs().bool("preserve_cardinality")),
          "f: func",
          "Tstate: list(type)",
          "Targuments: list(type)",
          "preserve_cardinality: bool = false",
          "use_default_device: bool = true");

  @Override
  public long cardinality() {
    return preservesCardinality ? input.cardinality() : UNKNOWN;
  }

  @Override
  public Lineage lineage() {
    return Lineage.Lost.remade(
        input.lineage(),
        "ScanDataset",
        "the state depends on the order of all elements, and each worker has an order of its own");
  }

  @Override
  public ChunkIterator iterator(IteratorContext context) {
    return new Iterator(context.open(input), function.open(context));
  }

  private final class Iterator extends UnaryIterator {
    private final RowFunction step;
    private List<Tensor> state = initialState;

    Iterator(ChunkIterator input, RowFunction step) {
      super(input);
      this.step = step;
    }

    @Override
    public @Nullable Chunk next(int maxRows) {
      Chunk row = input.next(1);
      if (row == null) {
        return null;
      }
      List<Tensor> arguments = new ArrayList<>(state);
      arguments.addAll(row.row(0));
      List<Tensor> results = step.call(arguments);
      if (results.size() < state.size()) {
        throw StatusException.invalidArgument(
            "function %s must return %d tensors of state and an element, and returned %s",
            step.name(), state.size(), results);
      }
      List<Tensor> element = results.subList(state.size(), results.size());
      state = List.copyOf(results.subList(0, state.size()));
      return Chunk.ofElement(element);
    }
  }
}
