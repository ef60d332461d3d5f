package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Tensor;
import java.util.function.Function;

/** The kernel of a dataset op: its output is the dataset, as a scalar variant. */
public final class DatasetKernel implements Kernel.Sync {
  private final NodeSpec node;
  private final Function<OpArguments, DatasetValue> maker;
  private final FunctionTemplates templates;

  private DatasetKernel(NodeSpec node, Function<OpArguments, DatasetValue> maker) {
    this.node = node;
    this.maker = maker;
    this.templates = new FunctionTemplates(node);
  }

  /** Kernels that call {@code maker} with the node's arguments. */
  public static Op.KernelMaker making(Function<OpArguments, DatasetValue> maker) {
    return node -> new DatasetKernel(node, maker);
  }

  @Override
  public void compute(KernelCall call) {
    call.setOutput(0, Tensor.variant(maker.apply(new OpArguments(node, call, templates::get))));
  }
}
