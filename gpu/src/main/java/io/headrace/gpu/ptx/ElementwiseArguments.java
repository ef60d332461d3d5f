package io.headrace.gpu.ptx;

import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.runtime.elementwise.BroadcastPlan;
import java.lang.foreign.Arena;
import java.util.List;

/** The arguments of a launch of an elementwise kernel. */
public final class ElementwiseArguments {
  private ElementwiseArguments() {}

  /**
   * The arguments of a launch.
   *
   * @param plan how the operands broadcast
   * @param operands their addresses
   * @param output the address of the results
   * @param error the address of the error word; not read unless {@link PtxKernel#canFail}
   * @param arena owns the arguments
   */
  public static KernelArguments of(
      PtxKernel kernel,
      BroadcastPlan plan,
      List<Long> operands,
      long output,
      long error,
      Arena arena) {
    KernelArguments arguments = KernelArguments.allocate(arena, kernel.parameters().size());
    for (int i = 0; i < kernel.parameters().size(); i++) {
      Parameter parameter = kernel.parameters().get(i);
      int operand = parameter.operand();
      int dimension = parameter.dimension();
      switch (parameter.role()) {
        case OUTPUT -> arguments.set(i, output);
        case ERROR -> arguments.set(i, error);
        case OPERAND -> arguments.set(i, (long) operands.get(operand));
        case COUNT -> arguments.set(i, plan.elements());
        case SIZE -> arguments.set(i, plan.size(dimension));
        case STRIDE -> arguments.set(i, stride(plan, operand, dimension));
      }
    }
    return arguments;
  }

  private static int stride(BroadcastPlan plan, int operand, int dimension) {
    return plan.varies(operand, dimension) ? plan.innerOf(operand, dimension + 1) : 0;
  }
}
