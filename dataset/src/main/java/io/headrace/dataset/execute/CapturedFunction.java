package io.headrace.dataset.execute;

import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * A function and the tensors that follow a row's components as its arguments. Immutable.
 *
 * @param template what is instantiated for a pass
 * @param captured the tensors, the same for every row
 */
record CapturedFunction(FunctionTemplate template, List<Tensor> captured) {
  boolean isStateful() {
    return template.sample().isStateful();
  }

  boolean touchesResources() {
    return template.sample().touchesResources();
  }

  /** An instance for one pass, which runs in {@code step}. */
  RowFunction open(StepContext step) {
    return new RowFunction(template.instance(), captured, step);
  }
}
