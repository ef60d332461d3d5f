package io.headrace.fakecuda.ptx;

import java.util.List;
import java.util.Map;

/**
 * A kernel or a device function. The names of what is declared in an inner block have a suffix that
 * makes them unique.
 *
 * @param isEntry whether it is a kernel
 * @param results the parameters that a device function returns
 * @param registers the registers with their types
 * @param variables the variables of all its blocks
 * @param labels the index of the instruction behind each label
 * @param limits the directives behind the header that limit launches, such as maxntid
 */
public record PtxFunction(
    String name,
    boolean isEntry,
    List<PtxVariable> results,
    List<PtxVariable> parameters,
    Map<String, PtxType> registers,
    List<PtxVariable> variables,
    List<PtxInstruction> body,
    Map<String, Integer> labels,
    Map<String, List<Integer>> limits) {
  /** Copies lists and maps. */
  public PtxFunction {
    results = List.copyOf(results);
    parameters = List.copyOf(parameters);
    registers = Map.copyOf(registers);
    variables = List.copyOf(variables);
    body = List.copyOf(body);
    labels = Map.copyOf(labels);
    limits = Map.copyOf(limits);
  }
}
