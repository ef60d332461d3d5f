package io.headrace.gpu.ptx;

import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.gpu.ptx.PtxKernel.Role;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import java.util.List;

/**
 * Writes the kernel of an elementwise program whose operands are read in another order than the
 * results are written. Sizes, strides and addresses are its parameters. Any grid of one dimension
 * computes all elements, in blocks of {@link TiledLayout#BLOCK} threads: a block takes each tile
 * that is a multiple of the number of blocks after its own.
 */
public final class TiledPtx {
  private TiledPtx() {}

  /** The kernel of {@code program} for tiles of {@code layout}. */
  public static PtxKernel of(LoopProgram program, TiledLayout layout) {
    List<Parameter> parameters = ElementwisePtx.addresses(program);
    parameters.add(new Parameter(Role.TILES, 0, 0));
    parameters.add(new Parameter(Role.ACROSS, 0, 0));
    if (layout.isTall()) {
      parameters.add(new Parameter(Role.DOWN, 0, 0));
    }
    int last = layout.dimensions() - 1;
    for (int dimension = 0; dimension <= last; dimension++) {
      if (dimension > 0 || dimension >= last - 1) {
        parameters.add(new Parameter(Role.SIZE, 0, dimension));
      }
      if (dimension < last) {
        parameters.add(new Parameter(Role.TARGET_STRIDE, 0, dimension));
      }
      for (int i = 0; i < layout.access().size(); i++) {
        if (layout.access().get(i) == Access.PARTIAL) {
          parameters.add(new Parameter(Role.STRIDE, i, dimension));
        }
      }
    }
    PtxCode code = new PtxCode();
    new TiledWriter(code, program, layout, parameters).write();
    return ElementwisePtx.kernel(code, parameters, 1);
  }
}
