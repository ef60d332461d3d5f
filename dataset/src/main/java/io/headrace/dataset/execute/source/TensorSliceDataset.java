package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.ElementSpec;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.source.InMemoryDataset.Use;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** Declares {@code TensorSliceDataset}: the slices of tensors along the first dimension. */
public final class TensorSliceDataset {
  public static final Op OP =
      DatasetOp.define("TensorSliceDataset(components: [Toutput_types])")
          .attrs(
              "Toutput_types: list(type)",
              "output_shapes: list(shape)",
              "is_files: bool = false",
              "metadata: string = ''",
              "replicate_on_split: bool = false")
          .kernel(DatasetKernel.making(TensorSliceDataset::of));

  private TensorSliceDataset() {}

  private static InMemoryDataset of(OpArguments in) {
    List<Tensor> components = in.tensors("components");
    for (Tensor component : components) {
      if (component.shape().rank() < 1) {
        throw in.invalid(
            "every component must have at least one dimension, and is %s",
            component.typeAndShape());
      }
      if (component.shape().size(0) != components.getFirst().shape().size(0)) {
        throw in.invalid("every component must have the same first dimension: %s", components);
      }
    }
    ElementSpec spec = in.spec("Toutput_types");
    int rows = (int) components.getFirst().shape().size(0);
    Use use =
        in.attrs().bool("replicate_on_split")
            ? Use.REPLICATED
            : in.attrs().bool("is_files") ? Use.SPLIT_FILES : Use.SPLIT;
    if (rows == 0) {
      return new InMemoryDataset(List.of(), spec, use);
    }
    List<Column> columns = components.stream().<Column>map(Column.Stacked::new).toList();
    return new InMemoryDataset(List.of(Chunk.of(rows, columns)), spec, use);
  }
}
