package io.headrace.kernels.kit;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sets the outputs of a call from a list, for kernels that wait for their results. */
public final class Outputs {
  private Outputs() {}

  /** Sets the outputs of {@code call} to {@code values}, in order, on completion. */
  public static CompletableFuture<Void> set(
      KernelCall call, CompletableFuture<List<Tensor>> values) {
    return values.thenAccept(tensors -> set(call, tensors));
  }

  /** Sets the outputs of {@code call} to {@code values}, in order. */
  public static void set(KernelCall call, List<Tensor> values) {
    for (int i = 0; i < values.size(); i++) {
      call.setOutput(i, values.get(i));
    }
  }
}
