package io.headrace.gpu.ptx;

import static io.headrace.gpu.ptx.RegisterClass.DOUBLE;
import static io.headrace.gpu.ptx.RegisterClass.FLOAT;
import static io.headrace.gpu.ptx.RegisterClass.PREDICATE;

import io.headrace.runtime.expression.LoopProgram.Instruction.Compute;
import io.headrace.runtime.expression.ScalarOperation;
import java.util.List;
import java.util.Locale;

/** Writes operations on floats and doubles. Nothing is contracted. */
final class FloatWriter {
  private final PtxCode code;
  private final PtxValues values;

  FloatWriter(PtxCode code, PtxValues values) {
    this.code = code;
    this.values = values;
  }

  /** Writes {@code compute}, the instruction at {@code position}. */
  void write(int position, Compute compute) {
    List<Register> operands = compute.operands().stream().map(values::at).toList();
    Register a = operands.getFirst();
    Register b = operands.getLast();
    RegisterClass type = b.type();
    String suffix = "." + type.ptxType();
    String name = compute.operation().name().toLowerCase(Locale.ROOT);
    Register result =
        switch (compute.operation()) {
          case ADD, SUB, MUL, DIV -> code.compute(type, name + ".rn" + suffix, a, b);
          case SQRT -> code.compute(type, "sqrt.rn" + suffix, a);
          case NEG, ABS -> code.compute(type, name + suffix, a);
          case MAX, MIN -> extremum(name, type, a, b);
          case SIGN -> sign(type, a);
          case COPY_SIGN -> code.compute(type, "copysign" + suffix, b, a);
          case FLOOR -> code.compute(type, "cvt.rmi" + suffix + suffix, a);
          case CEIL -> code.compute(type, "cvt.rpi" + suffix + suffix, a);
          case RINT -> code.compute(type, "cvt.rni" + suffix + suffix, a);
          case LESS -> code.toInt(code.test("setp.lt" + suffix, a, b));
          case LESS_EQUAL -> code.toInt(code.test("setp.le" + suffix, a, b));
          case EQUAL -> code.toInt(code.test("setp.eq" + suffix, a, b));
          case IS_NAN -> code.toInt(code.test("setp.nan" + suffix, a, a));
          case SELECT -> code.choose(type, code.test("setp.ne.s32", a, 0), operands.get(1), b);
          case MOD -> inDouble("headrace_fmod", type, operands);
          case FLOOR_MOD -> floorMod(type, a, b);
          case HYPOT -> type == FLOAT ? hypot(a, b) : inDouble("headrace_hypot", type, operands);
          default -> inDouble("headrace_" + name, type, operands);
        };
    values.define(position, result, isExact(compute.operation()));
  }

  private static boolean isExact(ScalarOperation operation) {
    return switch (operation) {
      case MAX, MIN, ABS, NEG, SIGN, COPY_SIGN, FLOOR, CEIL, RINT, SELECT -> true;
      case LESS, LESS_EQUAL, EQUAL, IS_NAN -> true;
      default -> false;
    };
  }

  /** The instruction gives the other operand for NaN; the one that gives NaN is of sm_80. */
  private Register extremum(String name, RegisterClass type, Register a, Register b) {
    String suffix = "." + type.ptxType();
    Register isNan = code.test("setp.nan" + suffix, a, b);
    Register number = code.compute(type, name + suffix, a, b);
    return code.choose(type, isNan, PtxCode.literal(type, Double.NaN), number);
  }

  /** -1, +0, 1, or the NaN itself. */
  private Register sign(RegisterClass type, Register a) {
    String suffix = "." + type.ptxType();
    String zero = PtxCode.literal(type, 0);
    Register positive = code.test("setp.gt" + suffix, a, zero);
    Register negative = code.test("setp.lt" + suffix, a, zero);
    Register isNan = code.test("setp.nan" + suffix, a, a);
    Register sign = code.choose(type, positive, PtxCode.literal(type, 1), zero);
    code.emit("selp" + suffix, sign, PtxCode.literal(type, -1), sign, negative);
    code.emit("selp" + suffix, sign, a, sign, isNan);
    return sign;
  }

  /** The remainder, plus the divisor where their signs differ. */
  private Register floorMod(RegisterClass type, Register a, Register b) {
    String suffix = "." + type.ptxType();
    String zero = PtxCode.literal(type, 0);
    Register remainder = inDouble("headrace_fmod", type, List.of(a, b));
    Register below = code.test("setp.lt" + suffix, b, zero);
    Register negative = code.test("setp.lt" + suffix, remainder, zero);
    Register differs = code.compute(PREDICATE, "xor.pred", below, negative);
    Register wrong = code.test("setp.neu.and" + suffix, remainder, zero, differs);
    Register sum = code.compute(type, "add.rn" + suffix, remainder, b);
    return code.choose(type, wrong, sum, remainder);
  }

  /** The root of the sum of squares in double; infinite where one is, even beside NaN. */
  private Register hypot(Register a, Register b) {
    Register x = code.compute(DOUBLE, "cvt.f64.f32", a);
    Register y = code.compute(DOUBLE, "cvt.f64.f32", b);
    Register squareX = code.compute(DOUBLE, "mul.rn.f64", x, x);
    Register squareY = code.compute(DOUBLE, "mul.rn.f64", y, y);
    Register sum = code.compute(DOUBLE, "add.rn.f64", squareX, squareY);
    Register root = code.compute(DOUBLE, "sqrt.rn.f64", sum);
    Register rounded = code.compute(FLOAT, "cvt.rn.f32.f64", root);
    String infinity = PtxCode.literal(Float.POSITIVE_INFINITY);
    Register first = code.test("setp.eq.f32", code.compute(FLOAT, "abs.f32", a), infinity);
    Register either =
        code.test("setp.eq.or.f32", code.compute(FLOAT, "abs.f32", b), infinity, first);
    return code.choose(FLOAT, either, infinity, rounded);
  }

  /** A call of a function of doubles, whose result is rounded. */
  private Register inDouble(String function, RegisterClass type, List<Register> operands) {
    if (type == DOUBLE) {
      return code.call(function, operands);
    }
    List<Register> wide =
        operands.stream().map(operand -> code.compute(DOUBLE, "cvt.f64.f32", operand)).toList();
    return code.compute(FLOAT, "cvt.rn.f32.f64", code.call(function, wide));
  }
}
