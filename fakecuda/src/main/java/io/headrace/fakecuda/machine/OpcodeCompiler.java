package io.headrace.fakecuda.machine;

/** Compiles the instructions of one opcode. */
@FunctionalInterface
interface OpcodeCompiler {
  /**
   * The step of the instruction.
   *
   * @throws IllegalArgumentException if a modifier, a type or an operand is not known
   */
  KernelStep compile(Decoding instruction);
}
