package io.headrace.fakecuda.ptx;

import java.util.List;
import java.util.Map;

/**
 * A module: the unit that a driver loads.
 *
 * @param version 10 * major + minor of {@code .version}
 * @param target the number of {@code .target sm_N}
 * @param functions kernels and device functions by name
 * @param variables of the spaces global, const and shared, in order
 */
public record PtxModule(
    int version, int target, Map<String, PtxFunction> functions, List<PtxVariable> variables) {
  /** Copies map and list. */
  public PtxModule {
    functions = Map.copyOf(functions);
    variables = List.copyOf(variables);
  }
}
