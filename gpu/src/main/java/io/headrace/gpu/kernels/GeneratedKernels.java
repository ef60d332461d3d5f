package io.headrace.gpu.kernels;

import io.headrace.gpu.ptx.ElementwisePtx;
import io.headrace.gpu.ptx.PtxKernel;
import io.headrace.runtime.elementwise.BroadcastPlan.Access;
import io.headrace.runtime.expression.LoopProgram;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The generated kernels of a program, which differ by how its operands are read. Each is written
 * when it is first needed. Thread-safe.
 */
final class GeneratedKernels {
  private final LoopProgram program;
  private final Map<Pattern, PtxKernel> kernels = new ConcurrentHashMap<>();

  private record Pattern(List<Access> access, int dimensions, int width) {}

  GeneratedKernels(LoopProgram program) {
    this.program = program;
  }

  /**
   * The kernel for operands of these accesses.
   *
   * @param dimensions the number of collapsed dimensions, which only matters if one is partial
   * @param addresses those of the operands
   */
  PtxKernel kernel(List<Access> access, int dimensions, List<Long> addresses) {
    boolean hasPartial = access.contains(Access.PARTIAL);
    int width = ElementwisePtx.width(program, access, addresses);
    return kernels.computeIfAbsent(
        new Pattern(access, hasPartial ? dimensions : 0, width),
        pattern ->
            ElementwisePtx.of(program, pattern.access(), pattern.dimensions(), pattern.width()));
  }
}
