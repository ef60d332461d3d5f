package io.headrace.dataset.execute.transform;

import io.headrace.dataset.execute.pass.DatasetKernel;
import io.headrace.dataset.execute.pass.DatasetOp;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import java.util.List;

/**
 * The ops that return their input dataset: they tune or check TensorFlow's own execution and change
 * no element.
 */
public final class PassThroughOps {
  private static final String[] ELEMENTS = {
    "output_types: list(type)", "output_shapes: list(shape)"
  };

  private static final Op.KernelMaker INPUT =
      DatasetKernel.making(in -> in.dataset("input_dataset"));

  public static final List<Op> OPS =
      List.of(
          op(
              "ModelDataset(input_dataset: variant)",
              "algorithm: int = 0",
              "cpu_budget: int = 0",
              "ram_budget: int = 0"),
          op(
              "OptimizeDataset(input_dataset: variant, optimizations: string)",
              "optimization_configs: list(string) = []"),
          op(
              "OptimizeDatasetV2(input_dataset: variant, optimizations_enabled: string,"
                  + " optimizations_disabled: string, optimizations_default: string)",
              "optimization_configs: list(string) = []"),
          op("FinalizeDataset(input_dataset: variant)", "has_captured_ref: bool = false"),
          op(
              "MaxIntraOpParallelismDataset(input_dataset: variant, max_intra_op_parallelism:"
                  + " int64)"),
          op("PrivateThreadPoolDataset(input_dataset: variant, num_threads: int64)"),
          op("RewriteDataset(input_dataset: variant, rewrite_name: string)"),
          op("NonSerializableDataset(input_dataset: variant)"),
          op("BytesProducedStatsDataset(input_dataset: variant, tag: string)"),
          op("LatencyStatsDataset(input_dataset: variant, tag: string)"),
          asserting("AssertNextDataset(input_dataset: variant, transformations: string)"),
          asserting("AssertPrevDataset(input_dataset: variant, transformations: string)"),
          wrapping("WrapDatasetVariant"),
          wrapping("UnwrapDatasetVariant"),
          DatasetOp.define("ChooseFastestDataset(input_datasets: N * variant)")
              .attrs(
                  "N: int",
                  "num_experiments: int",
                  "output_types: list(type)",
                  "output_shapes: list(shape)")
              .remark("Reads its first input; all must have the same elements.")
              .kernel(DatasetKernel.making(in -> in.datasets("input_datasets").getFirst())));

  private PassThroughOps() {}

  private static Op op(String signature, String... attrs) {
    return define(signature, attrs).kernel(INPUT);
  }

  private static Op.Builder define(String signature, String... attrs) {
    return DatasetOp.define(signature).attrs(ELEMENTS).attrs(attrs);
  }

  private static Op asserting(String signature) {
    return define(signature)
        .remark(
            "Passes its input on unchecked: the assertion is about rewrites of the graph by"
                + " TensorFlow's optimizer, which Headrace does not have.")
        .kernel(INPUT);
  }

  /** An op between devices; a dataset needs no wrapper on one. */
  private static Op wrapping(String name) {
    return Op.define(name + "(input_handle: variant) -> output_handle: variant")
        .shape(ShapeFunctions.SCALAR)
        .kernel(DatasetKernel.making(in -> in.dataset("input_handle")));
  }
}
