package io.headrace.kernels.resource;

import io.headrace.runtime.device.Resources;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.tensor.Tensor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Resources that nodes create and look up: queues, readers, tables. With a shared name, any session
 * finds the resource by its container and name. Without one it belongs to its node, and ends with
 * the session, closed if it is closeable.
 */
public final class SharedResource {
  private static final AtomicLong NUMBERS = new AtomicLong();

  private SharedResource() {}

  /**
   * A kernel that outputs the handle of the resource of {@code node}.
   *
   * @param maker creates the resource under a name
   * @param check throws if an existing resource does not match {@code node}
   */
  public static <T> Kernel.Sync kernel(
      NodeSpec node, Class<T> type, Function<String, T> maker, Consumer<T> check) {
    Attrs attrs = node.attrs();
    String shared = attrs.string("shared_name");
    String container = attrs.string("container");
    Resources.checkNames(container, shared);
    if (shared.isEmpty()) {
      String name = "_" + NUMBERS.getAndIncrement() + "_" + node.name();
      return new Own(Tensor.resource(maker.apply(name)));
    }
    Supplier<T> made = () -> maker.apply(shared);
    return call -> {
      T found = call.resources().lookupOrCreate(container, shared, type, made);
      check.accept(found);
      call.setOutput(0, Tensor.resource(found));
    };
  }

  /** Outputs the handle of the node's own resource. */
  private record Own(Tensor handle) implements Kernel.Sync, AutoCloseable {
    @Override
    public void compute(KernelCall call) {
      call.setOutput(0, handle);
    }

    @Override
    public void close() {
      if (handle.reference(0) instanceof AutoCloseable resource) {
        Resources.release(resource);
      }
    }
  }
}
