package io.headrace.dataset.execute.snapshot;

import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.source.InMemoryDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Chunk;
import io.headrace.runtime.tensor.Column;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** SnapshotNestedDatasetReader: a dataset of its input datasets, as reader functions take it. */
final class NestedReaderOps {
  static final Op OP =
      DatasetOp.define("SnapshotNestedDatasetReader(inputs: N * variant)")
          .attrs("output_types: list(type)", "output_shapes: list(shape)", "N: int")
          .kernel(DatasetKernel.making(NestedReaderOps::of));

  private NestedReaderOps() {}

  private static InMemoryDataset of(OpArguments in) {
    List<Tensor> datasets = in.datasets("inputs").stream().map(Tensor::variant).toList();
    Column column = new Column.Listed(DataType.VARIANT, datasets);
    return new InMemoryDataset(List.of(Chunk.of(datasets.size(), List.of(column))), in.spec());
  }
}
