package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.S32;
import static io.headrace.fakecuda.ptx.PtxType.U32;

import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.Map;

/**
 * PTX ISA, Extended-Precision Arithmetic Instructions, of 32 bits: sums with a carry, which is a
 * bit of the thread.
 */
final class ExtendedPrecisionOpcodes {
  static final Map<String, OpcodeCompiler> ALL =
      Map.of(
          "addc", ExtendedPrecisionOpcodes::addc,
          "subc", ExtendedPrecisionOpcodes::subc,
          "madc", ExtendedPrecisionOpcodes::madc);

  private static final long MASK = 0xffffffffL;

  private ExtendedPrecisionOpcodes() {}

  /** Whether the instruction has the modifier cc, by which it writes the carry. */
  static boolean writesCarry(Decoding d) {
    return d.hasModifier("cc");
  }

  static KernelStep addWithCarry(Decoding d) {
    return sum(d, false, 1);
  }

  static KernelStep subWithBorrow(Decoding d) {
    return sum(d, false, -1);
  }

  private static KernelStep addc(Decoding d) {
    return sum(d, true, 1);
  }

  private static KernelStep subc(Decoding d) {
    return sum(d, true, -1);
  }

  /** The sum or difference; {@code reads} adds the carry, or takes the borrow away. */
  private static KernelStep sum(Decoding d, boolean reads, int sign) {
    boolean writes = d.take("cc");
    PtxType type = d.requireType(U32, S32);
    d.endOfModifiers();
    d.requireOperands(3);
    Value a = d.value(1, type);
    Value b = d.value(2, type);
    return carrying(
        d,
        type,
        writes,
        thread -> {
          long carry = reads ? thread.carry() : 0;
          return (a.get(thread) & MASK) + sign * ((b.get(thread) & MASK) + carry);
        });
  }

  static KernelStep madWithCarry(Decoding d) {
    return mad(d, false);
  }

  private static KernelStep madc(Decoding d) {
    return mad(d, true);
  }

  private static KernelStep mad(Decoding d, boolean reads) {
    boolean isHigh = d.requireOneOf(List.of("lo", "hi")).equals("hi");
    boolean writes = d.take("cc");
    PtxType type = d.requireType(U32, S32);
    d.endOfModifiers();
    d.requireOperands(4);
    Value a = d.value(1, type);
    Value b = d.value(2, type);
    Value c = d.value(3, type);
    return carrying(
        d,
        type,
        writes,
        thread -> {
          long product = a.get(thread) * b.get(thread);
          long part = (isHigh ? product >> 32 : product) & MASK;
          return part + (c.get(thread) & MASK) + (reads ? thread.carry() : 0);
        });
  }

  /** Assigns the low 32 bits of a result, and notes whether there is more. */
  private static KernelStep carrying(Decoding d, PtxType type, boolean writes, Value result) {
    Target target = d.target(0, type);
    int next = d.next();
    return thread -> {
      long value = result.get(thread);
      target.set(thread, value);
      if (writes) {
        thread.setCarry(value < 0 || value > MASK);
      }
      return next;
    };
  }
}
