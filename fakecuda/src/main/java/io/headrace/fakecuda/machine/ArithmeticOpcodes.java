package io.headrace.fakecuda.machine;

import io.headrace.fakecuda.ptx.PtxType;
import java.util.Map;

/** The opcodes of arithmetic; those that integers and floats share differ by their type. */
final class ArithmeticOpcodes {
  static final Map<String, OpcodeCompiler> ALL =
      Map.ofEntries(
          Map.entry("add", byType(IntegerArithmetic::add, FloatArithmetic::add)),
          Map.entry("sub", byType(IntegerArithmetic::sub, FloatArithmetic::sub)),
          Map.entry("mul", byType(IntegerArithmetic::mul, FloatArithmetic::mul)),
          Map.entry("mad", IntegerArithmetic::mad),
          Map.entry("div", byType(IntegerArithmetic::div, FloatArithmetic::div)),
          Map.entry("rem", IntegerArithmetic::rem),
          Map.entry("abs", byType(IntegerArithmetic::abs, FloatArithmetic::abs)),
          Map.entry("neg", byType(IntegerArithmetic::neg, FloatArithmetic::neg)),
          Map.entry("min", byType(IntegerArithmetic::min, FloatArithmetic::min)),
          Map.entry("max", byType(IntegerArithmetic::max, FloatArithmetic::max)),
          Map.entry("popc", IntegerArithmetic::popc),
          Map.entry("clz", IntegerArithmetic::clz),
          Map.entry("brev", IntegerArithmetic::brev),
          Map.entry("bfe", IntegerArithmetic::bfe),
          Map.entry("bfi", IntegerArithmetic::bfi),
          Map.entry("fma", FloatArithmetic::fma),
          Map.entry("rcp", FloatArithmetic::rcp),
          Map.entry("sqrt", FloatArithmetic::sqrt),
          Map.entry("copysign", FloatArithmetic::copysign),
          Map.entry("testp", FloatArithmetic::testp));

  private ArithmeticOpcodes() {}

  private static OpcodeCompiler byType(OpcodeCompiler integer, OpcodeCompiler floating) {
    return instruction ->
        instruction.lastType().filter(PtxType::isFloat).isPresent()
            ? floating.compile(instruction)
            : integer.compile(instruction);
  }
}
