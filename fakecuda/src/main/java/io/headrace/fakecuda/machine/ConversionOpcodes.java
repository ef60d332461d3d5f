package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.F16;
import static io.headrace.fakecuda.ptx.PtxType.F32;
import static io.headrace.fakecuda.ptx.PtxType.F64;
import static io.headrace.fakecuda.ptx.PtxType.S16;
import static io.headrace.fakecuda.ptx.PtxType.S32;
import static io.headrace.fakecuda.ptx.PtxType.S64;
import static io.headrace.fakecuda.ptx.PtxType.S8;
import static io.headrace.fakecuda.ptx.PtxType.U16;
import static io.headrace.fakecuda.ptx.PtxType.U32;
import static io.headrace.fakecuda.ptx.PtxType.U64;
import static io.headrace.fakecuda.ptx.PtxType.U8;

import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.Map;

/** PTX ISA, Data Movement and Conversion Instructions, cvt. */
final class ConversionOpcodes {
  static final Map<String, OpcodeCompiler> ALL = Map.of("cvt", ConversionOpcodes::cvt);

  private static final PtxType[] TYPES = {U8, U16, U32, U64, S8, S16, S32, S64, F16, F32, F64};

  private static final List<String> TO_INTEGER = List.of("rni", "rzi", "rmi", "rpi");

  private ConversionOpcodes() {}

  private static KernelStep cvt(Decoding d) {
    String rounding = d.takeOneOf(List.of("rn", "rni", "rzi", "rmi", "rpi")).orElse("");
    boolean flush = d.take("ftz");
    boolean saturate = d.take("sat");
    PtxType to = d.requireType(TYPES);
    PtxType from = d.requireType(TYPES);
    d.endOfModifiers();
    d.requireOperands(2);
    checkRounding(rounding, to, from);
    if (flush && to != F32 && from != F32) {
      throw new IllegalArgumentException(".ftz is for f32");
    }
    Value source = d.value(d.operand(1), from, true);
    Value result =
        from.isFloat()
            ? ofFloat(source, from, to, rounding, flush, saturate)
            : ofInteger(source, from, to, saturate);
    Target target = d.target(d.operand(0), to, true);
    int next = d.next();
    return thread -> {
      target.set(thread, result.get(thread));
      return next;
    };
  }

  /** A rounding is needed where the target may not have the value, and allowed nowhere else. */
  private static void checkRounding(String rounding, PtxType to, PtxType from) {
    boolean toInteger = TO_INTEGER.contains(rounding);
    boolean isRight =
        switch (from.kind()) {
          case FLOAT ->
              to.isFloat()
                  ? from == to
                      ? rounding.isEmpty() || toInteger
                      : rounding.equals(to.bits() < from.bits() ? "rn" : "")
                  : toInteger;
          case SIGNED, UNSIGNED -> rounding.equals(to.isFloat() ? "rn" : "");
          case BITS, PREDICATE -> false;
        };
    if (!isRight || (from == F64 && to == F16)) {
      throw new IllegalArgumentException(
          "the rounding %s from %s to %s is not known"
              .formatted(rounding.isEmpty() ? "of none" : "." + rounding, from.text(), to.text()));
    }
  }

  private static Value ofInteger(Value source, PtxType from, PtxType to, boolean saturate) {
    if (to.isFloat()) {
      if (saturate) {
        throw new IllegalArgumentException(".sat is not known for integers to floats");
      }
      return thread -> Floats.bits(to, rounded(source.get(thread), from, to), false);
    }
    if (!saturate) {
      return source;
    }
    return thread -> clamped(source.get(thread), from, to);
  }

  /** An integer as the nearest number of a float's type, in a double. */
  private static double rounded(long value, PtxType from, PtxType to) {
    boolean isSingle = to != F64;
    if (from == U64 && value < 0) {
      // Halved, with the lost bit in the last place, it rounds the same way.
      long half = (value >>> 1) | (value & 1);
      return 2 * (isSingle ? (float) half : (double) half);
    }
    if (to == F16 && Math.abs(value) > 1 << 24) {
      return Math.copySign(Double.POSITIVE_INFINITY, (double) value);
    }
    return isSingle ? (float) value : (double) value;
  }

  /** An integer in the nearest value of another integer type. */
  private static long clamped(long value, PtxType from, PtxType to) {
    boolean isAboveLong = from == U64 && value < 0;
    if (to == U64) {
      return from == U64 ? value : Math.max(0, value);
    }
    return isAboveLong ? max(to) : Math.clamp(value, min(to), max(to));
  }

  private static long min(PtxType type) {
    return type.isSigned() ? -1L << (type.bits() - 1) : 0;
  }

  private static long max(PtxType type) {
    if (type.bytes() == 8) {
      return Long.MAX_VALUE; // of s64; u64 is treated apart
    }
    return (1L << (type.bits() - (type.isSigned() ? 1 : 0))) - 1;
  }

  private static Value ofFloat(
      Value source, PtxType from, PtxType to, String rounding, boolean flush, boolean saturate) {
    if (to.isFloat()) {
      return thread -> {
        double value = integral(rounding, Floats.value(from, source.get(thread), flush));
        return Floats.bits(to, saturate ? Floats.saturate(value) : value, flush);
      };
    }
    // Out of range, the nearest value; .sat adds nothing to that.
    long ofNan = from == F64 || to.bytes() == 8 ? 1L << (to.bits() - 1) : 0;
    return thread -> {
      double value = Floats.value(from, source.get(thread), flush);
      return Double.isNaN(value) ? ofNan : truncated(integral(rounding, value), to);
    };
  }

  private static double integral(String rounding, double value) {
    return switch (rounding) {
      case "rni" -> Math.rint(value);
      case "rzi" -> value < 0 ? Math.ceil(value) : Math.floor(value);
      case "rmi" -> Math.floor(value);
      case "rpi" -> Math.ceil(value);
      default -> value;
    };
  }

  private static long truncated(double value, PtxType to) {
    if (to != U64) {
      return Math.clamp((long) value, min(to), max(to));
    }
    if (value < 0x1p63) {
      return Math.max(0, (long) value);
    }
    return value >= 0x1p64 ? -1 : (long) (value - 0x1p63) ^ Long.MIN_VALUE;
  }
}
