package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.B32;
import static io.headrace.fakecuda.ptx.PtxType.B64;
import static io.headrace.fakecuda.ptx.PtxType.S16;
import static io.headrace.fakecuda.ptx.PtxType.S32;
import static io.headrace.fakecuda.ptx.PtxType.S64;
import static io.headrace.fakecuda.ptx.PtxType.U16;
import static io.headrace.fakecuda.ptx.PtxType.U32;
import static io.headrace.fakecuda.ptx.PtxType.U64;

import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/** PTX ISA, Integer Arithmetic Instructions. */
final class IntegerArithmetic {
  private static final PtxType[] ALL = {U16, U32, U64, S16, S32, S64};
  private static final PtxType[] SIGNED = {S16, S32, S64};

  private IntegerArithmetic() {}

  static KernelStep add(Decoding d) {
    if (ExtendedPrecisionOpcodes.writesCarry(d)) {
      return ExtendedPrecisionOpcodes.addWithCarry(d);
    }
    return addOrSub(d, Long::sum);
  }

  static KernelStep sub(Decoding d) {
    if (ExtendedPrecisionOpcodes.writesCarry(d)) {
      return ExtendedPrecisionOpcodes.subWithBorrow(d);
    }
    return addOrSub(d, (a, b) -> a - b);
  }

  /** {@code .sat} is for s32 only, and clamps to its range. */
  private static KernelStep addOrSub(Decoding d, LongBinaryOperator operation) {
    if (!d.take("sat")) {
      return binary(d, operation, ALL);
    }
    return binary(
        d,
        (a, b) -> Math.clamp(operation.applyAsLong(a, b), Integer.MIN_VALUE, Integer.MAX_VALUE),
        S32);
  }

  static KernelStep mul(Decoding d) {
    String part = d.requireOneOf(List.of("lo", "hi", "wide"));
    return switch (part) {
      case "lo" -> binary(d, (a, b) -> a * b, ALL);
      case "hi" -> {
        PtxType type = end(d, 3, ALL);
        yield d.assign(type, apply(d, type, (a, b) -> high(type, a, b)));
      }
      default -> {
        PtxType type = end(d, 3, U16, U32, S16, S32);
        yield d.assign(doubled(type), apply(d, type, (a, b) -> a * b));
      }
    };
  }

  static KernelStep mad(Decoding d) {
    if (ExtendedPrecisionOpcodes.writesCarry(d)) {
      return ExtendedPrecisionOpcodes.madWithCarry(d);
    }
    String part = d.requireOneOf(List.of("lo", "hi", "wide"));
    PtxType type = part.equals("wide") ? end(d, 4, U16, U32, S16, S32) : end(d, 4, ALL);
    PtxType result = part.equals("wide") ? doubled(type) : type;
    Value product =
        part.equals("hi")
            ? apply(d, type, (a, b) -> high(type, a, b))
            : apply(d, type, (a, b) -> a * b);
    Value addend = d.value(3, result);
    return d.assign(result, thread -> product.get(thread) + addend.get(thread));
  }

  /** The upper half of a product. */
  private static long high(PtxType type, long a, long b) {
    if (type.bits() < 64) {
      return (a * b) >> type.bits();
    }
    return type.isSigned() ? Math.multiplyHigh(a, b) : Math.unsignedMultiplyHigh(a, b);
  }

  private static PtxType doubled(PtxType type) {
    return switch (type) {
      case U16 -> U32;
      case S16 -> S32;
      case U32 -> U64;
      case S32 -> S64;
      default -> throw new AssertionError(type);
    };
  }

  static KernelStep div(Decoding d) {
    PtxType type = end(d, 3, ALL);
    return d.assign(
        type,
        apply(
            d,
            type,
            (a, b) -> type.isSigned() ? a / defined(b) : Long.divideUnsigned(a, defined(b))));
  }

  static KernelStep rem(Decoding d) {
    PtxType type = end(d, 3, ALL);
    return d.assign(
        type,
        apply(
            d,
            type,
            (a, b) -> type.isSigned() ? a % defined(b) : Long.remainderUnsigned(a, defined(b))));
  }

  /** A divisor: the result for 0 differs from machine to machine. */
  private static long defined(long divisor) {
    if (divisor == 0) {
      throw new GpuFault(GpuFault.Kind.UNSPECIFIED, "a division by zero has no defined result");
    }
    return divisor;
  }

  static KernelStep abs(Decoding d) {
    return unary(d, Math::abs, SIGNED);
  }

  static KernelStep neg(Decoding d) {
    return unary(d, a -> -a, SIGNED);
  }

  static KernelStep min(Decoding d) {
    PtxType type = end(d, 3, ALL);
    return d.assign(type, apply(d, type, (a, b) -> compare(type, a, b) <= 0 ? a : b));
  }

  static KernelStep max(Decoding d) {
    PtxType type = end(d, 3, ALL);
    return d.assign(type, apply(d, type, (a, b) -> compare(type, a, b) >= 0 ? a : b));
  }

  private static int compare(PtxType type, long a, long b) {
    return type.isSigned() ? Long.compare(a, b) : Long.compareUnsigned(a, b);
  }

  static KernelStep popc(Decoding d) {
    PtxType type = end(d, 2, B32, B64);
    Value a = d.value(1, type);
    return d.assign(U32, thread -> Long.bitCount(a.get(thread)));
  }

  static KernelStep clz(Decoding d) {
    PtxType type = end(d, 2, B32, B64);
    Value a = d.value(1, type);
    int unused = 64 - type.bits();
    return d.assign(U32, thread -> Long.numberOfLeadingZeros(a.get(thread)) - unused);
  }

  static KernelStep brev(Decoding d) {
    PtxType type = end(d, 2, B32, B64);
    Value a = d.value(1, type);
    int unused = 64 - type.bits();
    return d.assign(type, thread -> Long.reverse(a.get(thread)) >>> unused);
  }

  /** Extracts a field; bits above the type are copies of the sign, or 0 if it is unsigned. */
  static KernelStep bfe(Decoding d) {
    PtxType type = end(d, 4, U32, U64, S32, S64);
    Value a = d.value(1, type);
    Value position = d.value(2, U32);
    Value length = d.value(3, U32);
    return d.assign(
        type,
        thread ->
            field(
                type,
                a.get(thread),
                (int) position.get(thread) & 0xff,
                (int) length.get(thread) & 0xff));
  }

  private static long field(PtxType type, long a, int position, int length) {
    if (length == 0) {
      return 0;
    }
    // Values are extended to 64 bits by their sign, or by zeros.
    long shifted =
        type.isSigned() ? a >> Math.min(position, 63) : position > 63 ? 0 : a >>> position;
    if (length >= 64) {
      return shifted;
    }
    int unused = 64 - length;
    return type.isSigned() ? shifted << unused >> unused : shifted << unused >>> unused;
  }

  /** Inserts the low bits of the first operand into the second one. */
  static KernelStep bfi(Decoding d) {
    PtxType type = end(d, 5, B32, B64);
    Value inserted = d.value(1, type);
    Value into = d.value(2, type);
    Value position = d.value(3, U32);
    Value length = d.value(4, U32);
    return d.assign(
        type,
        thread -> {
          int at = (int) position.get(thread) & 0xff;
          int bits = (int) length.get(thread) & 0xff;
          long ones = bits >= 64 ? -1 : (1L << bits) - 1;
          long mask = at > 63 ? 0 : ones << at;
          long shifted = at > 63 ? 0 : inserted.get(thread) << at;
          return (into.get(thread) & ~mask) | (shifted & mask);
        });
  }

  private static KernelStep unary(Decoding d, LongUnaryOperator operation, PtxType... types) {
    PtxType type = end(d, 2, types);
    Value a = d.value(1, type);
    return d.assign(type, thread -> operation.applyAsLong(a.get(thread)));
  }

  private static KernelStep binary(Decoding d, LongBinaryOperator operation, PtxType... types) {
    PtxType type = end(d, 3, types);
    return d.assign(type, apply(d, type, operation));
  }

  private static Value apply(Decoding d, PtxType type, LongBinaryOperator operation) {
    Value a = d.value(1, type);
    Value b = d.value(2, type);
    return thread -> operation.applyAsLong(a.get(thread), b.get(thread));
  }

  /** Takes the type, which is the last modifier, and checks the number of operands. */
  private static PtxType end(Decoding d, int operands, PtxType... types) {
    PtxType type = d.requireType(types);
    d.endOfModifiers();
    d.requireOperands(operands);
    return type;
  }
}
