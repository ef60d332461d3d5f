package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxVariable;
import java.util.List;
import java.util.Map;

/**
 * A compiled kernel, with the functions that it calls inlined.
 *
 * @param steps the instructions
 * @param places line and text of each instruction, for messages
 * @param registers the names of the registers
 * @param localBytes the local memory of a thread
 * @param sharedBytes the static shared memory of a block
 * @param hasDynamicShared whether it uses shared memory whose size the launch decides
 * @param parameters the kernel's parameters
 * @param limits the directives that limit launches
 */
record KernelCode(
    String name,
    List<KernelStep> steps,
    List<String> places,
    List<String> registers,
    int localBytes,
    int sharedBytes,
    boolean hasDynamicShared,
    List<PtxVariable> parameters,
    Map<String, List<Integer>> limits) {
  KernelCode {
    steps = List.copyOf(steps);
    places = List.copyOf(places);
    registers = List.copyOf(registers);
    parameters = List.copyOf(parameters);
    limits = Map.copyOf(limits);
  }
}
