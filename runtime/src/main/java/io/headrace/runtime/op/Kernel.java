package io.headrace.runtime.op;

import java.util.concurrent.CompletableFuture;

/**
 * What a node computes with on one device type. Made once for a node of an instantiated function; a
 * kernel of a stateless op may be called by several threads at once.
 */
public sealed interface Kernel {
  /** A kernel that is done when it returns. */
  @FunctionalInterface
  non-sealed interface Sync extends Kernel {
    /** Reads inputs from {@code call} and sets every output. */
    void compute(KernelCall call);

    /**
     * Does the same for many rows at once: every output is set as a tensor with a row dimension
     * before its own. Returns false, with no output set, if it cannot for these inputs; then it is
     * called row by row. Rows are independent of each other. If it throws, it is called row by row
     * too, so that the error finds its row.
     */
    default boolean computeRows(RowsCall call) {
      return false;
    }
  }

  /** A kernel that may complete later: a transfer, a remote call, another device. */
  @FunctionalInterface
  non-sealed interface Async extends Kernel {
    /** Starts; the outputs are set when the future completes. It heeds the call's cancellation. */
    CompletableFuture<Void> compute(KernelCall call);
  }
}
