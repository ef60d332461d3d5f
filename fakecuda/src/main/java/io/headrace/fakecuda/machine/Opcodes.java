package io.headrace.fakecuda.machine;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The opcodes that the machine knows; a call is compiled by {@link KernelCompiler}. */
final class Opcodes {
  private static final Map<String, OpcodeCompiler> ALL = all();

  private Opcodes() {}

  private static Map<String, OpcodeCompiler> all() {
    Map<String, OpcodeCompiler> all = new HashMap<>();
    all.putAll(ArithmeticOpcodes.ALL);
    all.putAll(ExtendedPrecisionOpcodes.ALL);
    all.putAll(LogicOpcodes.ALL);
    all.putAll(ComparisonOpcodes.ALL);
    all.putAll(ConversionOpcodes.ALL);
    all.putAll(MovementOpcodes.ALL);
    all.putAll(ControlFlowOpcodes.ALL);
    all.putAll(WarpOpcodes.ALL);
    all.putAll(AtomicOpcodes.ALL);
    return Map.copyOf(all);
  }

  static KernelStep compile(Decoding instruction) {
    OpcodeCompiler compiler = ALL.get(instruction.opcode());
    if (compiler == null) {
      throw new IllegalArgumentException("the opcode " + instruction.opcode() + " is not known");
    }
    return compiler.compile(instruction);
  }

  static Set<String> names() {
    return ALL.keySet();
  }
}
