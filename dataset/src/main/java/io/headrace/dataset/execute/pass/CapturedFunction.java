package io.headrace.dataset.execute.pass;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * A function and the tensors that follow a row's components as its arguments. Immutable.
 *
 * @param template what is instantiated for a pass
 * @param captured the tensors, the same for every row
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

  /** Whether a dataset that was made outside is among the arguments. */
  boolean capturesDatasets() {
    return captured.stream()
        .filter(tensor -> tensor.dtype() == DataType.VARIANT)
        .anyMatch(
            tensor -> Arrays.stream(tensor.references()).anyMatch(DatasetValue.class::isInstance));
  }

  /** The instance of the pass that {@code context} surrounds. */
  public RowFunction open(IteratorContext context) {
    return new RowFunction(context.functions().instance(template), captured, context.step());
  }
}
