package io.headrace.gpu.ptx;

import io.headrace.gpu.cuda.KernelArguments;
import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.gpu.ptx.TiledLayout.Tiled;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.StridedPlan;
import java.lang.foreign.Arena;
import java.util.List;

/** The arguments of a launch of an elementwise kernel. */
public final class ElementwiseArguments {
  private ElementwiseArguments() {}

  /** The source of the parameters that tell shapes. */
  private interface Numbers {
    /** The value of a parameter that is no address. */
    int of(Parameter parameter);
  }

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
    Numbers numbers =
        parameter ->
            switch (parameter.role()) {
              case COUNT -> plan.elements();
              case SIZE -> plan.size(parameter.dimension());
              case STRIDE -> stride(plan, parameter.operand(), parameter.dimension());
              default -> throw none(parameter);
            };
    return arguments(kernel, numbers, operands, output, error, arena);
  }

  private static int stride(BroadcastPlan plan, int operand, int dimension) {
    return plan.varies(operand, dimension) ? plan.innerOf(operand, dimension + 1) : 0;
  }

  /**
   * The arguments of a launch whose operands are read in any order.
   *
   * @param operands the addresses of the elements that the first result is computed of
   */
  public static KernelArguments of(
      PtxKernel kernel,
      StridedPlan plan,
      List<Long> operands,
      long output,
      long error,
      Arena arena) {
    Numbers numbers =
        parameter ->
            switch (parameter.role()) {
              case COUNT -> plan.elements();
              default -> ofDimension(plan, parameter);
            };
    return arguments(kernel, numbers, operands, output, error, arena);
  }

  /** The arguments of a launch of a {@link TiledPtx}. */
  public static KernelArguments of(
      PtxKernel kernel, Tiled tiled, List<Long> operands, long output, long error, Arena arena) {
    Numbers numbers =
        parameter ->
            switch (parameter.role()) {
              case TILES -> tiled.tiles();
              case ACROSS -> tiled.across();
              case DOWN -> tiled.down();
              default -> ofDimension(tiled.plan(), parameter);
            };
    return arguments(kernel, numbers, operands, output, error, arena);
  }

  private static int ofDimension(StridedPlan plan, Parameter parameter) {
    int dimension = parameter.dimension();
    return switch (parameter.role()) {
      case SIZE -> plan.sizes().get(dimension);
      case TARGET_STRIDE -> plan.targetStrides().get(dimension);
      case STRIDE -> plan.operands().get(parameter.operand()).strides().get(dimension);
      default -> throw none(parameter);
    };
  }

  private static IllegalArgumentException none(Parameter parameter) {
    return new IllegalArgumentException("no number for " + parameter);
  }

  private static KernelArguments arguments(
      PtxKernel kernel,
      Numbers numbers,
      List<Long> operands,
      long output,
      long error,
      Arena arena) {
    KernelArguments arguments = KernelArguments.allocate(arena, kernel.parameters().size());
    for (int i = 0; i < kernel.parameters().size(); i++) {
      Parameter parameter = kernel.parameters().get(i);
      switch (parameter.role()) {
        case OUTPUT -> arguments.set(i, output);
        case ERROR -> arguments.set(i, error);
        case OPERAND -> arguments.set(i, (long) operands.get(parameter.operand()));
        case COUNT, SIZE, STRIDE, TARGET_STRIDE, TILES, ACROSS, DOWN ->
            arguments.set(i, numbers.of(parameter));
      }
    }
    return arguments;
  }
}
