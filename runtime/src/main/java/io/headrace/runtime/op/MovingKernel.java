package io.headrace.runtime.op;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel of a CPU whose outputs consist of elements of its inputs, and which tells where each
 * goes, so that another device can move them by the same rules.
 */
public interface MovingKernel extends Kernel.Sync {
  /**
   * How the outputs are made, in order. Reads only the shapes of the inputs that are moved.
   *
   * @throws io.headrace.runtime.status.StatusException as {@link #compute}
   */
  List<Movement> movements(KernelCall call);

  /** The same for many rows; null if {@link #computeRows} declines these. */
  @Nullable List<Movement> movementsOfRows(RowsCall call);
}
