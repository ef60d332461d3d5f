package io.headrace.gpu.ptx;

import io.headrace.gpu.ptx.PtxKernel.Parameter;
import io.headrace.gpu.ptx.PtxKernel.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The parameters of a kernel that is being written, in registers. */
final class KernelParameters {
  private final Map<Parameter, Register> registers = new HashMap<>();

  private KernelParameters() {}

  /** Writes the loads of {@code parameters}. */
  static KernelParameters load(PtxCode code, List<Parameter> parameters) {
    KernelParameters loaded = new KernelParameters();
    for (Parameter parameter : parameters) {
      loaded.registers.put(
          parameter,
          code.compute(
              parameter.isAddress() ? RegisterClass.LONG : RegisterClass.INT,
              parameter.isAddress() ? "ld.param.u64" : "ld.param.u32",
              "[" + parameter.name() + "]"));
    }
    return loaded;
  }

  /** A parameter that neither an operand nor a dimension has. */
  Register get(Role role) {
    return get(role, 0, 0);
  }

  /** A parameter. */
  Register get(Role role, int operand, int dimension) {
    Register register = registers.get(new Parameter(role, operand, dimension));
    if (register == null) {
      throw new IllegalStateException("no parameter " + role);
    }
    return register;
  }

  /** The addresses of {@code count} operands. */
  List<Register> operands(int count) {
    return IntStream.range(0, count).mapToObj(i -> get(Role.OPERAND, i, 0)).toList();
  }

  /** A writer of the errors of {@code element}; of no use if no element can fail. */
  ElementErrorWriter errors(PtxCode code, Register element) {
    Register word = registers.getOrDefault(new Parameter(Role.ERROR, 0, 0), element);
    return new ElementErrorWriter(code, word, element);
  }
}
