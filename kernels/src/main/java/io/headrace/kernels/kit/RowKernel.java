package io.headrace.kernels.kit;

import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op.KernelMaker;
import io.headrace.runtime.op.RowsCall;

/**
 * A kernel written once for any number of rows; a plain call is one row.
 *
 * <p>Most bodies move the data of all rows by parameters (a shape, an axis, indices) that are the
 * same in every row. They decline the call if the parameters differ between rows; the caller then
 * runs row by row.
 */
public final class RowKernel implements Kernel.Sync {
  /** The computation of one node. */
  @FunctionalInterface
  public interface Body {
    /**
     * Sets every output for every row. Returns false, with no output set, to decline these rows; a
     * single row must not be declined.
     */
    boolean compute(Rows rows);
  }

  /** Makes the body for a node, reading its attrs once. */
  @FunctionalInterface
  public interface Maker {
    /** The body of the kernel of {@code node}. */
    Body create(NodeSpec node);
  }

  private final Body body;

  private RowKernel(Body body) {
    this.body = body;
  }

  /** A kernel whose body does not depend on the node. */
  public static KernelMaker of(Body body) {
    return _ -> new RowKernel(body);
  }

  /** A kernel whose body is made for each node. */
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
