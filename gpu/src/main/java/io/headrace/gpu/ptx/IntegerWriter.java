package io.headrace.gpu.ptx;

import static io.headrace.gpu.ptx.RegisterClass.INT;
import static io.headrace.gpu.ptx.RegisterClass.LONG;

import io.headrace.runtime.expression.LoopProgram.Instruction.Compute;
import io.headrace.runtime.expression.LoopProgram.Instruction.Literal;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.tensor.DataType;
import java.util.Locale;

/** Writes operations on integers and bools. */
final class IntegerWriter {
  private final PtxCode code;
  private final PtxValues values;
  private final ElementErrorWriter errors;

  IntegerWriter(PtxCode code, PtxValues values, ElementErrorWriter errors) {
    this.code = code;
    this.values = values;
    this.errors = errors;
  }

  /**
   * The operands of an operation.
   *
   * @param sign s or u: how their bits are compared and divided
   */
  private record Operands(Register a, Register b, RegisterClass type, String sign) {
    /** A type with a sign: s32. */
    String signed() {
      return sign + type.bits();
    }

    /** A type without: b32. */
    String untyped() {
      return type.ptxType();
    }

    boolean isSigned() {
      return sign.equals("s");
    }

    /** The distance of a shift that leaves the sign only. */
    int signShift() {
      return type.bits() - 1;
    }
  }

  /** Writes {@code compute}, the instruction at {@code position}. */
  void write(int position, Compute compute) {
    int last = compute.operands().getLast();
    DataType dtype = values.dtype(last);
    boolean wideUnsigned = dtype == DataType.UINT32 || dtype == DataType.UINT64;
    Operands operands =
        new Operands(
            values.at(compute.operands().getFirst()),
            values.at(last),
            values.type(last),
            wideUnsigned ? "u" : "s");
    switch (compute.operation()) {
      case ADD, SUB -> define(position, operands, name(compute) + "." + operands.signed());
      case MUL -> define(position, operands, "mul.lo." + operands.signed());
      case MAX, MIN -> defineExact(position, operands, name(compute) + "." + operands.signed());
      case AND, OR, XOR ->
          defineExact(position, operands, name(compute) + "." + operands.untyped());
      case NOT -> values.define(position, code.compute(INT, "xor.b32", operands.a(), 1), true);
      case NEG ->
          values.define(
              position,
              code.compute(operands.type(), "neg.s" + operands.type().bits(), operands.a()),
              false);
      case INVERT ->
          values.define(
              position,
              code.compute(operands.type(), "not." + operands.untyped(), operands.a()),
              false);
      case ABS -> values.define(position, abs(operands), false);
      case SIGN -> values.define(position, sign(operands), true);
      case SELECT -> select(position, compute, operands.type());
      case EQUAL, LESS, LESS_EQUAL -> compare(position, compute, operands);
      case SHIFT_LEFT, SHIFT_RIGHT -> shift(position, compute, operands, dtype);
      case POW -> values.define(position, pow(operands), false);
      case DIV, MOD, FLOOR_DIV, FLOOR_MOD -> divide(position, compute, operands);
      default -> throw new IllegalArgumentException(compute.operation() + " of " + dtype);
    }
  }

  private static String name(Compute compute) {
    return compute.operation().name().toLowerCase(Locale.ROOT);
  }

  private void define(int position, Operands operands, String opcode) {
    values.define(
        position, code.compute(operands.type(), opcode, operands.a(), operands.b()), false);
  }

  private void defineExact(int position, Operands operands, String opcode) {
    values.define(
        position, code.compute(operands.type(), opcode, operands.a(), operands.b()), true);
  }

  private Register abs(Operands operands) {
    if (!operands.isSigned()) {
      return operands.a();
    }
    String type = operands.untyped();
    Register mask =
        code.compute(
            operands.type(), "shr.s" + operands.type().bits(), operands.a(), operands.signShift());
    Register flipped = code.compute(operands.type(), "xor." + type, operands.a(), mask);
    return code.compute(operands.type(), "sub.s" + operands.type().bits(), flipped, mask);
  }

  private Register sign(Operands operands) {
    int bits = operands.type().bits();
    if (!operands.isSigned()) {
      return code.compute(operands.type(), "min." + operands.signed(), operands.a(), 1);
    }
    Register below =
        code.compute(operands.type(), "shr.s" + bits, operands.a(), operands.signShift());
    Register negated = code.compute(operands.type(), "neg.s" + bits, operands.a());
    Register above = code.compute(operands.type(), "shr.u" + bits, negated, operands.signShift());
    return code.compute(operands.type(), "or." + operands.untyped(), below, above);
  }

  private void select(int position, Compute compute, RegisterClass type) {
    Register condition = code.test("setp.ne.s32", values.at(compute.operands().getFirst()), 0);
    values.define(
        position,
        code.choose(
            type,
            condition,
            values.at(compute.operands().get(1)),
            values.at(compute.operands().get(2))),
        true);
  }

  private void compare(int position, Compute compute, Operands operands) {
    String order =
        switch (compute.operation()) {
          case EQUAL -> "eq";
          case LESS -> "lt";
          default -> "le";
        };
    Register holds =
        code.test("setp." + order + "." + operands.signed(), operands.a(), operands.b());
    values.define(position, code.toInt(holds), true);
  }

  private void shift(int position, Compute compute, Operands operands, DataType dtype) {
    Register distance =
        code.compute(
            operands.type(), "min." + operands.signed(), operands.b(), dtype.byteSize() * 8 - 1);
    if (operands.isSigned()) {
      code.emit("max." + operands.signed(), distance, distance, 0);
    }
    if (operands.type() == LONG) {
      distance = code.compute(INT, "cvt.u32.u64", distance);
    }
    boolean left = compute.operation() == ScalarOperation.SHIFT_LEFT;
    String opcode = left ? "shl." + operands.untyped() : "shr." + operands.signed();
    values.define(position, code.compute(operands.type(), opcode, operands.a(), distance), !left);
  }

  /** The power by squaring; where the exponent is negative, an error, and 1. */
  private Register pow(Operands operands) {
    Register exponent = operands.isSigned() ? withoutNegative(operands) : operands.b();
    Register rest = code.move(operands.type(), exponent);
    Register result = code.move(operands.type(), 1);
    Register square = code.move(operands.type(), operands.a());
    String product = "mul.lo.s" + operands.type().bits();
    String equal = "setp.eq.s" + operands.type().bits();
    String top = code.newLabel();
    String end = code.newLabel();
    code.place(top);
    Register done = code.test(equal, rest, 0);
    code.emitIf(done, "bra", end);
    Register bit = code.compute(operands.type(), "and." + operands.untyped(), rest, 1);
    Register odd = code.test(equal, bit, 1);
    code.emitIf(odd, product, result, result, square);
    code.emit(product, square, square, square);
    code.emit("shr." + operands.signed(), rest, rest, 1);
    code.emit("bra", top);
    code.place(end);
    return result;
  }

  /** The exponent; 0, after an error, for one that is negative. */
  private Register withoutNegative(Operands operands) {
    Register negative = code.test("setp.lt." + operands.signed(), operands.b(), 0);
    errors.report(negative, ElementError.NEGATIVE_POWER);
    return code.choose(operands.type(), negative, 0, operands.b());
  }

  /** Where the divisor is 0, an error, and the quotient by 1. */
  private void divide(int position, Compute compute, Operands operands) {
    boolean isNonzero =
        values.instruction(compute.operands().getLast()) instanceof Literal divisor
            && divisor.bits() != 0;
    Register safe = operands.b();
    if (!isNonzero) {
      Register zero = code.test("setp.eq." + operands.signed(), operands.b(), 0);
      errors.report(zero, ElementError.DIVISION_BY_ZERO);
      safe = code.choose(operands.type(), zero, 1, operands.b());
    }
    Operands divided = new Operands(operands.a(), safe, operands.type(), operands.sign());
    boolean quotient =
        compute.operation() == ScalarOperation.DIV
            || compute.operation() == ScalarOperation.FLOOR_DIV;
    boolean floored =
        operands.isSigned()
            && (compute.operation() == ScalarOperation.FLOOR_DIV
                || compute.operation() == ScalarOperation.FLOOR_MOD);
    values.define(position, quotient(divided, quotient, floored), !quotient);
  }

  /** The quotient or the remainder; the least integer by -1 is itself, with the remainder 0. */
  private Register quotient(Operands operands, boolean quotient, boolean floored) {
    RegisterClass type = operands.type();
    if (!operands.isSigned()) {
      return code.compute(
          type, (quotient ? "div." : "rem.") + operands.signed(), operands.a(), operands.b());
    }
    String signed = operands.signed();
    Register byMinusOne = code.test("setp.eq." + signed, operands.b(), -1);
    Register divisor = code.choose(type, byMinusOne, 1, operands.b());
    Register whole = code.compute(type, "div." + signed, operands.a(), divisor);
    Register product = code.compute(type, "mul.lo." + signed, whole, divisor);
    Register remainder = code.compute(type, "sub." + signed, operands.a(), product);
    Register negated = code.compute(type, "neg." + signed, operands.a());
    Register result = code.choose(type, byMinusOne, negated, whole);
    if (!floored) {
      return quotient ? result : remainder;
    }
    // The signs of remainder and divisor differ, and the remainder is not 0.
    Register signs = code.compute(type, "xor." + operands.untyped(), remainder, operands.b());
    Register differs = code.test("setp.lt." + signed, signs, 0);
    Register wrong = code.test("setp.ne.and." + signed, remainder, 0, differs);
    if (quotient) {
      Register less = code.compute(type, "sub." + signed, result, 1);
      return code.choose(type, wrong, less, result);
    }
    Register more = code.compute(type, "add." + signed, remainder, operands.b());
    return code.choose(type, wrong, more, remainder);
  }
}
