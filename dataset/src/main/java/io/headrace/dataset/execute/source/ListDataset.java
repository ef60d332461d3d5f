package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Declares {@code ListDataset}: the components of its elements are consecutive inputs. */
public final class ListDataset {
  public static final Op OP =
      DatasetOp.of(
          "ListDataset(tensors: [Tinput_types])", ListDataset::of, "Tinput_types: list(type)");

  private ListDataset() {}

  private static InMemoryDataset of(OpArguments in) {
    List<Tensor> tensors = in.tensors("tensors");
    ElementSpec spec = in.spec();
    int components = spec.types().size();
    if (components == 0 || tensors.size() % components != 0) {
      throw in.invalid("%d tensors are no elements of %d components", tensors.size(), components);
    }
    List<Chunk> rows = new ArrayList<>();
    for (int i = 0; i < tensors.size(); i += components) {
      rows.add(Chunk.ofElement(tensors.subList(i, i + components)));
    }
    return new InMemoryDataset(rows, spec);
  }
}
