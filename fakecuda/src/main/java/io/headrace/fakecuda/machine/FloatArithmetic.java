package io.headrace.fakecuda.machine;

import static io.headrace.fakecuda.ptx.PtxType.F32;
import static io.headrace.fakecuda.ptx.PtxType.F64;

import io.headrace.fakecuda.ptx.PtxType;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/**
 * PTX ISA, Floating-Point Instructions, of float and double. Operations are those that IEEE 754
 * defines, rounded to nearest; approximations, whose bits the ISA leaves open, are not known.
 */
final class FloatArithmetic {
  private FloatArithmetic() {}

  /** An operation in double, from which rounding to float gives the float operation's result. */
  private record Operation(PtxType type, boolean flush, boolean saturate) {
    double operand(long bits) {
      return Floats.value(type, bits, flush);
    }

    long result(double value) {
      return Floats.bits(type, saturate ? Floats.saturate(value) : value, flush);
    }
  }

  /** Takes rounding, .ftz, .sat and the type. */
  private static Operation operation(Decoding d, boolean mustRound, boolean canSaturate) {
    if (!d.take("rn") && mustRound) {
      throw new IllegalArgumentException("a rounding is needed, and .rn is the one that is known");
    }
    boolean flush = d.take("ftz");
    boolean saturate = canSaturate && d.take("sat");
    PtxType type = d.requireType(F32, F64);
    d.endOfModifiers();
    if (type == F64 && (flush || saturate)) {
      throw new IllegalArgumentException(".ftz and .sat are for f32");
    }
    return new Operation(type, flush, saturate);
  }

  // The double result of + - * / and sqrt of floats, rounded to float, is the float result: a
  // double has more than twice the bits of a float, and two.

  static KernelStep add(Decoding d) {
    return binary(d, operation(d, false, true), Double::sum);
  }

  static KernelStep sub(Decoding d) {
    return binary(d, operation(d, false, true), (a, b) -> a - b);
  }

  static KernelStep mul(Decoding d) {
    return binary(d, operation(d, false, true), (a, b) -> a * b);
  }

  static KernelStep div(Decoding d) {
    return binary(d, operation(d, true, false), (a, b) -> a / b);
  }

  static KernelStep rcp(Decoding d) {
    return unary(d, operation(d, true, false), a -> 1 / a);
  }

  static KernelStep sqrt(Decoding d) {
    return unary(d, operation(d, true, false), Math::sqrt);
  }

  static KernelStep fma(Decoding d) {
    Operation o = operation(d, true, true);
    d.requireOperands(4);
    Value a = d.value(1, o.type());
    Value b = d.value(2, o.type());
    Value c = d.value(3, o.type());
    boolean isFloat = o.type() == F32;
    return d.assign(
        o.type(),
        thread -> {
          double x = o.operand(a.get(thread));
          double y = o.operand(b.get(thread));
          double z = o.operand(c.get(thread));
          return o.result(isFloat ? Math.fma((float) x, (float) y, (float) z) : Math.fma(x, y, z));
        });
  }

  private static KernelStep unary(Decoding d, Operation o, DoubleUnaryOperator operator) {
    d.requireOperands(2);
    Value a = d.value(1, o.type());
    return d.assign(o.type(), thread -> o.result(operator.applyAsDouble(o.operand(a.get(thread)))));
  }

  private static KernelStep binary(Decoding d, Operation o, DoubleBinaryOperator operator) {
    d.requireOperands(3);
    Value a = d.value(1, o.type());
    Value b = d.value(2, o.type());
    return d.assign(
        o.type(),
        thread ->
            o.result(operator.applyAsDouble(o.operand(a.get(thread)), o.operand(b.get(thread)))));
  }

  static KernelStep min(Decoding d) {
    return binary(d, exact(d), (a, b) -> number(a, b, Math.min(a, b)));
  }

  static KernelStep max(Decoding d) {
    return binary(d, exact(d), (a, b) -> number(a, b, Math.max(a, b)));
  }

  /** {@code result}, or the other operand if one is NaN. As in Java, -0 is less than +0. */
  private static double number(double a, double b, double result) {
    if (Double.isNaN(a)) {
      return b;
    }
    return Double.isNaN(b) ? a : result;
  }

  /** Takes .ftz and the type of an operation that does not round. */
  private static Operation exact(Decoding d) {
    boolean flush = d.take("ftz");
    PtxType type = flush ? d.requireType(F32) : d.requireType(F32, F64);
    d.endOfModifiers();
    return new Operation(type, flush, false);
  }

  static KernelStep abs(Decoding d) {
    return unary(d, exact(d), Math::abs);
  }

  static KernelStep neg(Decoding d) {
    return unary(d, exact(d), a -> -a);
  }

  /** The second operand with the sign of the first one. */
  static KernelStep copysign(Decoding d) {
    PtxType type = d.requireType(F32, F64);
    d.endOfModifiers();
    d.requireOperands(3);
    Value sign = d.value(1, type);
    Value magnitude = d.value(2, type);
    long mask = 1L << (type.bits() - 1);
    return d.assign(type, thread -> (sign.get(thread) & mask) | (magnitude.get(thread) & ~mask));
  }

  static KernelStep testp(Decoding d) {
    String test =
        d.requireOneOf(
            List.of("finite", "infinite", "number", "notanumber", "normal", "subnormal"));
    PtxType type = d.requireType(F32, F64);
    d.endOfModifiers();
    d.requireOperands(2);
    Value a = d.value(1, type);
    double least = type == F32 ? Float.MIN_NORMAL : Double.MIN_NORMAL;
    return d.assign(
        PtxType.PRED,
        thread -> {
          double x = Floats.value(type, a.get(thread), false);
          boolean isNormal = Double.isFinite(x) && Math.abs(x) >= least;
          boolean holds =
              switch (test) {
                case "finite" -> Double.isFinite(x);
                case "infinite" -> Double.isInfinite(x);
                case "number" -> !Double.isNaN(x);
                case "notanumber" -> Double.isNaN(x);
                case "normal" -> isNormal;
                default -> Math.abs(x) < least && x != 0;
              };
          return holds ? 1 : 0;
        });
  }
}
