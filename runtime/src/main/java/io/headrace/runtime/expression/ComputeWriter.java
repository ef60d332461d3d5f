package io.headrace.runtime.expression;

import static java.lang.constant.ConstantDescs.CD_double;
import static java.lang.constant.ConstantDescs.CD_int;

import io.headrace.runtime.expression.LoopProgram.Instruction.Compute;
import io.headrace.runtime.expression.LoopProgram.Instruction.Literal;
import io.headrace.runtime.tensor.DataType;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * Emits operations: as JVM instructions where possible, otherwise as calls that HotSpot inlines.
 */
final class ComputeWriter {
  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final ClassDesc INTEGER = ClassDesc.of("java.lang.Integer");
  private static final ClassDesc LONG = ClassDesc.of("java.lang.Long");
  private static final ClassDesc SPECIAL =
      ClassDesc.ofDescriptor(SpecialFunctions.class.descriptorString());

  private final CodeBuilder code;
  private final EmittedValues values;

  ComputeWriter(CodeBuilder code, EmittedValues values) {
    this.code = code;
    this.values = values;
  }

  /** Emits {@code compute}, the instruction at {@code position}. */
  void write(int position, Compute compute) {
    boolean exact =
        switch (values.carrier(compute.operands().getLast())) {
          case INT, LONG -> writeInteger(compute);
          case FLOAT, DOUBLE -> writeFloating(compute);
        };
    values.define(position, exact || compute.operation().isTest());
  }

  private DataType operandType(Compute compute) {
    return values.dtype(compute.operands().getLast());
  }

  private ClassDesc operandDesc(Compute compute) {
    return Carrier.of(operandType(compute)).desc();
  }

  private void push(Compute compute) {
    compute.operands().forEach(values::push);
  }

  private void pushExact(Compute compute) {
    compute.operands().forEach(values::pushExact);
  }

  private boolean areExact(Compute compute) {
    return compute.operands().stream().allMatch(values::isExact);
  }

  /** Emits an operation on integers or bools; returns whether the result is exact. */
  private boolean writeInteger(Compute compute) {
    return switch (compute.operation()) {
      case ADD, SUB, MUL, NEG, INVERT -> {
        push(compute);
        arithmetic(compute.operation(), operandDesc(compute));
        yield false;
      }
      case AND, OR, XOR -> {
        push(compute);
        arithmetic(compute.operation(), operandDesc(compute));
        yield areExact(compute);
      }
      case NOT -> {
        push(compute);
        code.iconst_1().ixor();
        yield true;
      }
      case SELECT -> {
        push(compute);
        select(operandDesc(compute));
        yield areExact(compute);
      }
      case SHIFT_LEFT, SHIFT_RIGHT -> shift(compute);
      case FLOOR_DIV, FLOOR_MOD -> floored(compute);
      case LESS_EQUAL -> {
        values.pushExact(compute.operands().getLast());
        values.pushExact(compute.operands().getFirst());
        integerCall(ScalarOperation.LESS, compute);
        code.iconst_1().ixor();
        yield true;
      }
      default -> {
        pushExact(compute);
        integerCall(compute.operation(), compute);
        yield compute.operation() != ScalarOperation.DIV
            && compute.operation() != ScalarOperation.ABS;
      }
    };
  }

  private void select(ClassDesc type) {
    values.call("select", type, CD_int, type, type);
  }

  private void arithmetic(ScalarOperation operation, ClassDesc type) {
    if (type.equals(CD_int)) {
      switch (operation) {
        case ADD -> code.iadd();
        case SUB -> code.isub();
        case MUL -> code.imul();
        case NEG -> code.ineg();
        case AND -> code.iand();
        case OR -> code.ior();
        case XOR -> code.ixor();
        default -> code.iconst_m1().ixor();
      }
    } else {
      switch (operation) {
        case ADD -> code.ladd();
        case SUB -> code.lsub();
        case MUL -> code.lmul();
        case NEG -> code.lneg();
        case AND -> code.land();
        case OR -> code.lor();
        case XOR -> code.lxor();
        default -> code.loadConstant(-1L).lxor();
      }
    }
  }

  /** Emits an operation whose exact operands are on the stack. */
  private void integerCall(ScalarOperation operation, Compute compute) {
    DataType dtype = operandType(compute);
    ClassDesc type = operandDesc(compute);
    boolean wideUnsigned = dtype == DataType.UINT32 || dtype == DataType.UINT64;
    switch (operation) {
      case DIV -> divide(wideUnsigned, type, "divideUnsigned");
      case MOD -> divide(wideUnsigned, type, "remainderUnsigned");
      case MAX -> extremum(wideUnsigned, type, "max");
      case MIN -> extremum(wideUnsigned, type, "min");
      case ABS -> absolute(wideUnsigned, type);
      case SIGN -> values.call(wideUnsigned ? "signUnsigned" : "sign", type, type);
      case POW -> values.call(wideUnsigned ? "powUnsigned" : "pow", type, type, type);
      case EQUAL -> values.call("equal", CD_int, type, type);
      case LESS -> values.call(lessName(dtype, wideUnsigned), CD_int, type, type);
      default -> throw new IllegalArgumentException(operation + " of " + dtype);
    }
  }

  private static String lessName(DataType dtype, boolean wideUnsigned) {
    if (wideUnsigned) {
      return "lessUnsigned";
    }
    return Carrier.isNarrow(dtype) ? "lessNarrow" : "less";
  }

  private void divide(boolean unsigned, ClassDesc type, String unsignedName) {
    boolean isInt = type.equals(CD_int);
    if (unsigned) {
      code.invokestatic(isInt ? INTEGER : LONG, unsignedName, MethodTypeDesc.of(type, type, type));
    } else if (unsignedName.equals("divideUnsigned")) {
      divideSigned(isInt);
    } else {
      remainderSigned(isInt);
    }
  }

  private void divideSigned(boolean isInt) {
    if (isInt) {
      code.idiv();
    } else {
      code.ldiv();
    }
  }

  private void remainderSigned(boolean isInt) {
    if (isInt) {
      code.irem();
    } else {
      code.lrem();
    }
  }

  /** An unsigned number is its own absolute value. */
  private void absolute(boolean unsigned, ClassDesc type) {
    if (!unsigned) {
      math("abs", type, type);
    }
  }

  private void extremum(boolean unsigned, ClassDesc type, String name) {
    if (unsigned) {
      values.call(name + "Unsigned", type, type, type);
    } else {
      math(name, type, type, type);
    }
  }

  private void math(String name, ClassDesc result, ClassDesc... parameters) {
    code.invokestatic(MATH, name, MethodTypeDesc.of(result, parameters));
  }

  private boolean shift(Compute compute) {
    DataType dtype = operandType(compute);
    ClassDesc type = operandDesc(compute);
    boolean left = compute.operation() == ScalarOperation.SHIFT_LEFT;
    boolean wideUnsigned = dtype == DataType.UINT32 || dtype == DataType.UINT64;
    if (left) {
      values.push(compute.operands().getFirst());
    } else {
      values.pushExact(compute.operands().getFirst());
    }
    values.pushExact(compute.operands().getLast());
    code.loadConstant(dtype.byteSize() * 8 - 1);
    values.call(wideUnsigned ? "shiftUnsigned" : "shift", CD_int, type, CD_int);
    shiftBy(left, wideUnsigned, type.equals(CD_int));
    return !left;
  }

  private void shiftBy(boolean left, boolean unsigned, boolean isInt) {
    if (isInt) {
      switch (left ? 0 : unsigned ? 1 : 2) {
        case 0 -> code.ishl();
        case 1 -> code.iushr();
        default -> code.ishr();
      }
    } else {
      switch (left ? 0 : unsigned ? 1 : 2) {
        case 0 -> code.lshl();
        case 1 -> code.lushr();
        default -> code.lshr();
      }
    }
  }

  /** Emits a floored division; by a constant power of two it is a shift or a mask. */
  private boolean floored(Compute compute) {
    DataType dtype = operandType(compute);
    boolean quotient = compute.operation() == ScalarOperation.FLOOR_DIV;
    if (dtype.isUnsigned()) {
      pushExact(compute);
      integerCall(quotient ? ScalarOperation.DIV : ScalarOperation.MOD, compute);
      return true;
    }
    if (values.at(compute.operands().getLast()) instanceof Literal divisor
        && divisor.bits() > 0
        && Long.bitCount(divisor.bits()) == 1) {
      powerOfTwo(compute, divisor.bits(), quotient);
      return true;
    }
    pushExact(compute);
    ClassDesc type = operandDesc(compute);
    values.call(quotient ? "floorDiv" : "floorMod", type, type, type);
    return !quotient;
  }

  private void powerOfTwo(Compute compute, long divisor, boolean quotient) {
    values.pushExact(compute.operands().getFirst());
    boolean isInt = operandDesc(compute).equals(CD_int);
    if (quotient) {
      code.loadConstant(Long.numberOfTrailingZeros(divisor));
      shiftBy(false, false, isInt);
    } else if (isInt) {
      code.loadConstant((int) divisor - 1).iand();
    } else {
      code.loadConstant(divisor - 1).land();
    }
  }

  /** Emits an operation on floats or doubles; returns whether the result is exact. */
  private boolean writeFloating(Compute compute) {
    ClassDesc type = operandDesc(compute);
    if (compute.operation() == ScalarOperation.SELECT) {
      push(compute);
      select(type);
      return areExact(compute);
    }
    if (compute.operation() == ScalarOperation.POW
        || compute.operation() == ScalarOperation.ATAN2) {
      binaryInDouble(compute, type.equals(CD_double));
      return false;
    }
    pushExact(compute);
    switch (compute.operation()) {
      case ADD, SUB, MUL, DIV, MOD, NEG -> basic(compute.operation(), type.equals(CD_double));
      case MAX -> math("max", type, type, type);
      case MIN -> math("min", type, type, type);
      case ABS -> math("abs", type, type);
      case SIGN -> values.call("sign", type, type);
      case FLOOR_MOD -> values.call("floorMod", type, type, type);
      case LESS -> values.call(values.test("less"), CD_int, type, type);
      case LESS_EQUAL -> values.call(values.test("lessEqual"), CD_int, type, type);
      case EQUAL -> values.call(values.test("equal"), CD_int, type, type);
      case IS_NAN -> values.call(values.test("isNan"), CD_int, type);
      case COPY_SIGN -> math("copySign", type, type, type);
      case HYPOT -> values.call("hypot", type, type, type);
      default -> inDouble(compute.operation(), type.equals(CD_double));
    }
    return switch (compute.operation()) {
      case MAX, MIN, ABS, NEG, SIGN, COPY_SIGN, FLOOR, CEIL, RINT -> true;
      default -> false;
    };
  }

  private void basic(ScalarOperation operation, boolean isDouble) {
    if (isDouble) {
      switch (operation) {
        case ADD -> code.dadd();
        case SUB -> code.dsub();
        case MUL -> code.dmul();
        case DIV -> code.ddiv();
        case MOD -> code.drem();
        default -> code.dneg();
      }
    } else {
      switch (operation) {
        case ADD -> code.fadd();
        case SUB -> code.fsub();
        case MUL -> code.fmul();
        case DIV -> code.fdiv();
        case MOD -> code.frem();
        default -> code.fneg();
      }
    }
  }

  private void binaryInDouble(Compute compute, boolean isDouble) {
    for (int operand : compute.operands()) {
      values.pushExact(operand);
      if (!isDouble) {
        code.f2d();
      }
    }
    if (compute.operation() == ScalarOperation.POW) {
      values.call("pow", CD_double, CD_double, CD_double);
    } else {
      math("atan2", CD_double, CD_double, CD_double);
    }
    if (!isDouble) {
      code.d2f();
    }
  }

  private void inDouble(ScalarOperation operation, boolean isDouble) {
    if (!isDouble) {
      code.f2d();
    }
    MethodTypeDesc ofDouble = MethodTypeDesc.of(CD_double, CD_double);
    switch (operation) {
      case ERF -> code.invokestatic(SPECIAL, "erf", ofDouble);
      case ERFC -> code.invokestatic(SPECIAL, "erfc", ofDouble);
      case LGAMMA -> code.invokestatic(SPECIAL, "logGamma", ofDouble);
      case DIGAMMA -> code.invokestatic(SPECIAL, "digamma", ofDouble);
      default -> math(mathName(operation), CD_double, CD_double);
    }
    if (!isDouble) {
      code.d2f();
    }
  }

  private static String mathName(ScalarOperation operation) {
    return switch (operation) {
      case SQRT -> "sqrt";
      case FLOOR -> "floor";
      case CEIL -> "ceil";
      case RINT -> "rint";
      case EXP -> "exp";
      case EXPM1 -> "expm1";
      case LOG -> "log";
      case LOG1P -> "log1p";
      case SIN -> "sin";
      case COS -> "cos";
      case TAN -> "tan";
      case ASIN -> "asin";
      case ACOS -> "acos";
      case ATAN -> "atan";
      case SINH -> "sinh";
      case COSH -> "cosh";
      case TANH -> "tanh";
      default -> throw new IllegalArgumentException("no method for " + operation);
    };
  }
}
