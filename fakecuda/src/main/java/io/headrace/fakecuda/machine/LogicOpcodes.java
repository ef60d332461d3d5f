package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.B16;
import static io.headrace.fakecuda.ptx.PtxType.B32;
import static io.headrace.fakecuda.ptx.PtxType.B64;
import static io.headrace.fakecuda.ptx.PtxType.PRED;
import static io.headrace.fakecuda.ptx.PtxType.S16;
import static io.headrace.fakecuda.ptx.PtxType.S32;
import static io.headrace.fakecuda.ptx.PtxType.S64;
import static io.headrace.fakecuda.ptx.PtxType.U16;
import static io.headrace.fakecuda.ptx.PtxType.U32;
import static io.headrace.fakecuda.ptx.PtxType.U64;

import io.headrace.fakecuda.ptx.PtxOperand;
import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/** PTX ISA, Logic and Shift Instructions, and prmt, which permutes bytes. */
final class LogicOpcodes {
  static final Map<String, OpcodeCompiler> ALL =
      Map.of(
          "and", d -> binary(d, (a, b) -> a & b),
          "or", d -> binary(d, (a, b) -> a | b),
          "xor", d -> binary(d, (a, b) -> a ^ b),
          "not", LogicOpcodes::not,
          "lop3", LogicOpcodes::lop3,
          "shl", LogicOpcodes::shl,
          "shr", LogicOpcodes::shr,
          "shf", LogicOpcodes::shf,
          "prmt", LogicOpcodes::prmt);

  private LogicOpcodes() {}

  private static PtxType end(Decoding d, int operands, PtxType... types) {
    PtxType type = d.requireType(types);
    d.endOfModifiers();
    d.requireOperands(operands);
    return type;
  }

  private static KernelStep binary(Decoding d, LongBinaryOperator operation) {
    PtxType type = end(d, 3, PRED, B16, B32, B64);
    Value a = d.value(1, type);
    Value b = d.value(2, type);
    return d.assign(type, thread -> operation.applyAsLong(a.get(thread), b.get(thread)));
  }

  private static KernelStep not(Decoding d) {
    PtxType type = end(d, 2, PRED, B16, B32, B64);
    Value a = d.value(1, type);
    return d.assign(type, thread -> ~a.get(thread));
  }

  /** Any function of three bits, by its table of truth. */
  private static KernelStep lop3(Decoding d) {
    PtxType type = end(d, 5, B32);
    Value a = d.value(1, type);
    Value b = d.value(2, type);
    Value c = d.value(3, type);
    if (!(d.operand(4) instanceof PtxOperand.IntegerLiteral(long table))
        || table < 0
        || table > 255) {
      throw new IllegalArgumentException("the table of lop3 is a literal from 0 to 255");
    }
    return d.assign(type, thread -> lop3(a.get(thread), b.get(thread), c.get(thread), (int) table));
  }

  private static long lop3(long a, long b, long c, int table) {
    long result = 0;
    for (int row = 0; row < 8; row++) {
      if (((table >> row) & 1) != 0) {
        result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
      }
    }
    return result;
  }

  private static KernelStep shl(Decoding d) {
    PtxType type = end(d, 3, B16, B32, B64);
    Value a = d.value(1, type);
    Value by = d.value(2, U32);
    return d.assign(
        type, thread -> by.get(thread) >= type.bits() ? 0 : a.get(thread) << by.get(thread));
  }

  private static KernelStep shr(Decoding d) {
    PtxType type = end(d, 3, B16, B32, B64, U16, U32, U64, S16, S32, S64);
    Value a = d.value(1, type);
    Value by = d.value(2, U32);
    if (type.isSigned()) {
      return d.assign(type, thread -> a.get(thread) >> Math.min(by.get(thread), 63));
    }
    return d.assign(
        type, thread -> by.get(thread) >= type.bits() ? 0 : a.get(thread) >>> by.get(thread));
  }

  /** Shifts two registers as one of 64 bits; l takes the upper half of it, r the lower one. */
  private static KernelStep shf(Decoding d) {
    boolean isLeft = d.requireOneOf(List.of("l", "r")).equals("l");
    boolean wraps = d.requireOneOf(List.of("clamp", "wrap")).equals("wrap");
    PtxType type = end(d, 4, B32);
    Value low = d.value(1, type);
    Value high = d.value(2, type);
    Value by = d.value(3, U32);
    return d.assign(
        type,
        thread -> {
          long both = (high.get(thread) << 32) | low.get(thread);
          long amount = wraps ? by.get(thread) & 31 : Math.min(by.get(thread), 32);
          return isLeft ? (both << amount) >>> 32 : both >>> amount;
        });
  }

  /** Picks four of eight bytes, or copies of their signs. */
  private static KernelStep prmt(Decoding d) {
    PtxType type = end(d, 4, B32);
    Value low = d.value(1, type);
    Value high = d.value(2, type);
    Value selector = d.value(3, type);
    return d.assign(
        type, thread -> permuted((high.get(thread) << 32) | low.get(thread), selector.get(thread)));
  }

  private static long permuted(long bytes, long selector) {
    long result = 0;
    for (int i = 0; i < 4; i++) {
      int selected = (int) (selector >> (4 * i)) & 15;
      int value = (byte) (bytes >>> (8 * (selected & 7)));
      long picked = (selected & 8) == 0 ? value & 0xff : value < 0 ? 0xff : 0;
      result |= picked << (8 * i);
    }
    return result;
  }
}
