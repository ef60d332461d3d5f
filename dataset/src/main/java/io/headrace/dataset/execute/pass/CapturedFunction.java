package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * A function and its captured tensors, which follow a row's components as arguments. Immutable.
 *
 * @param template instantiates the function for a pass
 * @param captured the captured tensors, the same for every row
 */
public record CapturedFunction(FunctionTemplate template, List<Tensor> captured) {
  public boolean isStateful() {
    return template.sample().isStateful();
  }

  public boolean touchesResources() {
    return template.sample().touchesResources();
  }

  public boolean changesResources() {
    return template.sample().changesResources();
  }

  /** Whether a dataset from outside the function is among the captured tensors. */
  boolean capturesDatasets() {
    return captured.stream()
        .filter(tensor -> tensor.dtype() == DataType.VARIANT)
        .anyMatch(
            tensor -> Arrays.stream(tensor.references()).anyMatch(DatasetValue.class::isInstance));
  }

  /** The function's instance in the pass of {@code context}. */
  public RowFunction open(IteratorContext context) {
    CallableFunction instance = context.functions().instance(template);
    StepContext step = context.step().withKernelTimes(context.stage().calls(instance.name()));
    return new RowFunction(instance, captured, step, template.transformation(), context.path());
  }
}
