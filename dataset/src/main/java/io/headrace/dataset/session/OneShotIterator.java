package io.headrace.dataset.session;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.runtime.op.CallableFunction;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of {@code OneShotIterator}: an iterator over the dataset that a function returns. The
 * function is called once, by the first step; its failure fails all steps.
 */
final class OneShotIterator implements Kernel.Async, AutoCloseable {
  private final NodeSpec node;
  private final NamedIterator named;
  private final Cancellation cancellation = new Cancellation();
  private @Nullable CompletableFuture<SessionIterator> begun;

  OneShotIterator(NodeSpec node) {
    this.node = node;
    this.named = new NamedIterator(node);
  }

  @Override
  public CompletableFuture<Void> compute(KernelCall call) {
    return begun(call).thenAccept(iterator -> call.setOutput(0, Tensor.resource(iterator)));
  }

  private synchronized CompletableFuture<SessionIterator> begun(KernelCall call) {
    CompletableFuture<SessionIterator> known = begun;
    if (known == null) {
      SessionIterator iterator = named.of(call);
      StepContext step = call.step().withCancellation(cancellation);
      known =
          CompletableFuture.supplyAsync(
              () -> {
                iterator.beginIfNew(() -> dataset(step), step);
                return iterator;
              },
              DatasetPass.THREADS);
      begun = known;
    }
    return known;
  }

  private DatasetValue dataset(StepContext step) {
    CallableFunction factory =
        node.functions().instantiate(node.attrs().function("dataset_factory"));
    List<Tensor> results = factory.call(List.of(), step);
    if (results.size() != 1) {
      throw StatusException.invalidArgument(
          "The `dataset_factory` function must return a single scalar of dtype DT_VARIANT.");
    }
    return IteratorHandles.dataset(results.getFirst());
  }

  @Override
  public void close() {
    cancellation.cancel();
    named.close();
  }
}
