package io.headrace.runtime.op;

import java.util.concurrent.CompletableFuture;

/**
 * The implementation of a node on one device type, created for a node of an instantiated function.
 * Several threads may call the kernel of a stateless op at once.
 */
public sealed interface Kernel {
  /** A synchronous kernel. */
  @FunctionalInterface
  non-sealed interface Sync extends Kernel {
    /** Reads inputs from {@code call} and sets every output. */
    void compute(KernelCall call);

    /**
     * Computes many independent rows at once: every output gets a leading row dimension. Returns
     * false, with no output set, if the kernel cannot do so for these inputs; the caller then calls
     * {@link #compute} row by row. After an exception it does the same, so that the error is
     * attributed to its row.
     */
    default boolean computeRows(RowsCall call) {
      return false;
    }
  }

  /** An asynchronous kernel: a transfer, a remote call, a wait on a queue. */
  @FunctionalInterface
  non-sealed interface Async extends Kernel {
    /**
     * Starts the computation; the outputs are set when the future completes. The kernel observes
     * the call's cancellation.
     */
    CompletableFuture<Void> compute(KernelCall call);
  }
}
