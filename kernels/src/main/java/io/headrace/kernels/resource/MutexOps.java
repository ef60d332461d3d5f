package io.headrace.kernels.resource;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Outputs;
import io.headrace.kernels.resource.AsyncMonitor.Attempt;
import io.headrace.kernels.resource.AsyncMonitor.Progress;
import io.headrace.runtime.device.WrongHandle;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * MutexV2, MutexLock and ConsumeMutexLock: mutexes for tf.CriticalSection, held from MutexLock to
 * ConsumeMutexLock.
 */
final class MutexOps {
  private MutexOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("MutexV2() -> resource: resource")
            .attrs("container: string = ''", "shared_name: string = ''")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .kernel(MutexOps::make),
        Op.define("MutexLock(mutex: resource) -> mutex_lock: variant")
            .stateful()
            .shape(ShapeFunctions.SCALAR)
            .remark("A lock that is not consumed is released when its step ends.")
            .waiting(_ -> MutexOps::lock),
        Op.define("ConsumeMutexLock(mutex_lock: variant)")
            .stateful()
            .stateless(call -> {
              if (call.input(0).elements() == 1
                  && call.input(0).reference(0) instanceof Lock lock) {
                lock.close();
              } else {
                throw invalidArgument(
                    "Expected input to be a mutex lock, and it is %s",
                    call.input(0).typeAndShape());
              }
            }));
  }

  private static Kernel.Sync make(NodeSpec node) {
    Attrs attrs = node.attrs();
    String shared = attrs.string("shared_name");
    String name = shared.isEmpty() ? node.name() : shared;
    return call ->
        call.setOutput(
            0,
            Tensor.resource(
                call.resources()
                    .lookupOrCreate(attrs.string("container"), name, Mutex.class, Mutex::new)));
  }

  private static CompletableFuture<Void> lock(KernelCall call) {
    if (call.input(0).elements() == 1 && call.input(0).reference(0) instanceof Mutex mutex) {
      return Outputs.set(call, mutex.lock(call.cancellation()));
    }
    throw WrongHandle.of(call.input(0), "mutex");
  }

  /** A mutex, held by one step at a time. Thread-safe. */
  private static final class Mutex {
    private final AsyncMonitor monitor = new AsyncMonitor(1);
    private boolean isHeld;

    /** Acquires the mutex once it is free. */
    CompletableFuture<List<Tensor>> lock(Cancellation cancellation) {
      Lock lock = new Lock(this);
      Attempt attempt =
          new Attempt() {
            @Override
            public Progress proceed() {
              if (isHeld) {
                return Progress.NONE;
              }
              isHeld = true;
              return Progress.DONE;
            }

            @Override
            public List<Tensor> outputs() {
              // The lock is released when its step ends, successful or not.
              lock.registration = cancellation.onCancel(lock::release);
              return List.of(Tensor.variant(lock));
            }
          };
      return monitor.begin(0, "Mutex lock", attempt, cancellation);
    }

    void release() {
      monitor.change(() -> isHeld = false);
    }
  }

  /** A held mutex, released on close or when its step ends. */
  private static final class Lock implements AutoCloseable {
    private final Mutex mutex;
    private final AtomicBoolean isReleased = new AtomicBoolean();
    private volatile Cancellation.Registration registration = () -> {};

    Lock(Mutex mutex) {
      this.mutex = mutex;
    }

    private void release() {
      if (isReleased.compareAndSet(false, true)) {
        mutex.release();
      }
    }

    @Override
    public void close() {
      registration.close();
      release();
    }
  }
}
