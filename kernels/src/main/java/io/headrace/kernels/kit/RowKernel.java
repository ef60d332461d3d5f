package io.headrace.kernels.kit;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op.KernelMaker;
import io.headrace.runtime.op.RowsCall;

/**
 * A kernel that is written once for any number of rows; a call for a single element is one row.
 *
 * <p>Most of them move the data of all rows by parameters (a shape, an axis, indices) that are the
 * same in every row, and decline where rows differ in them.
 */
public final class RowKernel implements Kernel.Sync {
  /** What the kernel of one node does. */
  @FunctionalInterface
  public interface Body {
    /**
     * Sets every output for every row. Returns false, with no output set, if these rows cannot be
     * done together; one row always can.
     */
    boolean compute(Rows rows);
  }

  /** Reads a node's attrs. */
  @FunctionalInterface
  public interface Maker {
    /** What the kernel of {@code node} does. */
    Body create(NodeSpec node);
  }

  private final Body body;

  private RowKernel(Body body) {
    this.body = body;
  }

  /** A kernel that needs nothing of its node. */
  public static KernelMaker of(Body body) {
    return _ -> new RowKernel(body);
  }

  /** A kernel that is made for each node. */
  public static KernelMaker made(Maker maker) {
    return node -> new RowKernel(maker.create(node));
  }

  @Override
  public void compute(KernelCall call) {
    if (!body.compute(new Rows(call))) {
      throw Rows.internal("a kernel declined a single row");
    }
  }

  @Override
  public boolean computeRows(RowsCall call) {
    return body.compute(new Rows(call));
  }
}
