package io.headrace.dataset.execute.source;

import io.headrace.dataset.execute.pass.FunctionTemplate;
import io.headrace.dataset.execute.pass.MemoryCache;
import io.headrace.dataset.execute.pass.OpArguments;
import io.headrace.dataset.execute.pass.SeedGenerator;
import io.headrace.dataset.execute.pass.Seeds;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/** The ops that create and delete the resources of random and cached datasets. */
public final class DatasetResourceOps {
  private static final Kernel.Sync DELETE = _ -> {};

  public static final List<Op> OPS =
      List.of(
          generator(
              "AnonymousSeedGenerator(seed: int64, seed2: int64, reshuffle: bool)"
                  + " -> (handle: resource, deleter: variant)",
              in -> new SeedGenerator(Seeds.of(in), in.bool("reshuffle"))),
          generator(
              "AnonymousRandomSeedGenerator(seed: int64, seed2: int64)"
                  + " -> (handle: resource, deleter: variant)",
              in -> new SeedGenerator(Seeds.of(in), true)),
          generator(
              "AnonymousMemoryCache() -> (handle: resource, deleter: variant)",
              _ -> new MemoryCache()),
          dummy("DummySeedGenerator() -> handle: resource"),
          dummy("DummyMemoryCache() -> handle: resource"),
          delete("DeleteSeedGenerator(handle: resource, deleter: variant)"),
          delete("DeleteRandomSeedGenerator(handle: resource, deleter: variant)"),
          delete("DeleteMemoryCache(handle: resource, deleter: variant)"));

  private DatasetResourceOps() {}

  /** The content of a dummy handle: the dataset makes its own resource. */
  private record Nothing() {}

  /** Makes the resource of a handle. */
  private interface Maker {
    Object make(OpArguments in);
  }

  private static Op generator(String signature, Maker maker) {
    return Op.define(signature)
        .stateful()
        .kernel(node ->
            call -> {
              Object made = maker.make(new OpArguments(node, call, DatasetResourceOps::noFunction));
              call.setOutput(0, Tensor.resource(made));
              call.setOutput(1, Tensor.variant(new Nothing()));
            });
  }

  private static FunctionTemplate noFunction(String attr) {
    throw new IllegalArgumentException("no attr " + attr);
  }

  private static Op dummy(String signature) {
    return Op.define(signature)
        .stateful()
        .stateless(call -> call.setOutput(0, Tensor.resource(new Nothing())));
  }

  /** A deletion does nothing: a resource is freed with the last dataset that uses it. */
  private static Op delete(String signature) {
    return Op.define(signature).stateful().stateless(DELETE);
  }

  /** The resource of type {@code type} in {@code handle}, or {@code own} if it holds none. */
  public static <T> T resourceOr(Tensor handle, Class<T> type, T own) {
    return handle.elements() == 1 && type.isInstance(handle.reference(0))
        ? type.cast(handle.reference(0))
        : own;
  }
}
