package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The operations of an {@link Expression}. */
public enum ScalarOperation {
  /** Sum. */
  ADD(2, 1),
  /** Difference. */
  SUB(2, 1),
  /** Product. */
  MUL(2, 1),
  /** Quotient; of integers, rounded towards zero. */
  DIV(2, 1),
  /** Remainder of {@link #DIV}, with the sign of the dividend. */
  MOD(2, 2),
  /** Quotient of integers, rounded towards negative infinity. */
  FLOOR_DIV(2, 4),
  /** Remainder of {@link #FLOOR_DIV}, with the sign of the divisor. */
  FLOOR_MOD(2, 6),
  /** Power; of integers, wrapping, with an error for a negative exponent. */
  POW(2, 4),
  /** Maximum; NaN if either operand is NaN. */
  MAX(2, 1),
  /** Minimum; NaN if either operand is NaN. */
  MIN(2, 1),
  /** The angle of the point (second operand, first operand). */
  ATAN2(2, 4),
  /** The distance of the point (first operand, second operand) from the origin. */
  HYPOT(2, 4),
  /** The first operand with the sign of the second. */
  COPY_SIGN(2, 2),
  /** Bitwise and. */
  AND(2, 1),
  /** Bitwise or. */
  OR(2, 1),
  /** Bitwise exclusive or. */
  XOR(2, 1),
  /** Shift left, with the distance clamped to 0 through the number of bits minus 1. */
  SHIFT_LEFT(2, 3),
  /** Shift right, arithmetic for signed dtypes, with the same clamping. */
  SHIFT_RIGHT(2, 3),

  /** Whether the first is less. */
  LESS(2, 4),
  /** Whether the first is less or equal. */
  LESS_EQUAL(2, 10),
  /** Whether both are equal. */
  EQUAL(2, 9),
  /** Whether the operand is NaN. */
  IS_NAN(1, 4),

  /** Negation. */
  NEG(1, 1),
  /** Absolute value; the smallest integer is its own. */
  ABS(1, 1),
  /** -1, 0, 1 by the sign; NaN for NaN. */
  SIGN(1, 2),
  /** Bitwise not. */
  INVERT(1, 1),
  /** Logical not. */
  NOT(1, 1),
  /** Square root. */
  SQRT(1, 1),
  /** Rounded down. */
  FLOOR(1, 2),
  /** Rounded up. */
  CEIL(1, 2),
  /** Rounded to the nearest integer, ties to even. */
  RINT(1, 2),
  /** e to this power. */
  EXP(1, 4),
  /** e to this power, less 1. */
  EXPM1(1, 4),
  /** Natural logarithm. */
  LOG(1, 4),
  /** Natural logarithm of 1 more. */
  LOG1P(1, 4),
  /** Sine. */
  SIN(1, 4),
  /** Cosine. */
  COS(1, 4),
  /** Tangent. */
  TAN(1, 4),
  /** Arc sine. */
  ASIN(1, 4),
  /** Arc cosine. */
  ACOS(1, 4),
  /** Arc tangent. */
  ATAN(1, 4),
  /** Hyperbolic sine. */
  SINH(1, 4),
  /** Hyperbolic cosine. */
  COSH(1, 4),
  /** Hyperbolic tangent. */
  TANH(1, 4),
  /** The error function. */
  ERF(1, 4),
  /** 1 less the error function. */
  ERFC(1, 4),
  /** Natural logarithm of the gamma function's absolute value. */
  LGAMMA(1, 4),
  /** Derivative of {@link #LGAMMA}. */
  DIGAMMA(1, 4),

  /** The second operand if the first, a bool, is true; otherwise the third. */
  SELECT(3, 3);

  private static final Set<ScalarOperation> TESTS = EnumSet.of(LESS, LESS_EQUAL, EQUAL, IS_NAN);
  private static final Set<ScalarOperation> BITS = EnumSet.of(AND, OR, XOR, NOT, SELECT, EQUAL);
  private static final Set<ScalarOperation> INTEGER =
      EnumSet.of(FLOOR_DIV, AND, OR, XOR, INVERT, SHIFT_LEFT, SHIFT_RIGHT);

  private final int arity;
  private final int weight;

  ScalarOperation(int arity, int weight) {
    this.arity = arity;
    this.weight = weight;
  }

  /** Number of operands. */
  int arity() {
    return arity;
  }

  /** The approximate number of machine operations. */
  int weight() {
    return weight;
  }

  /** Whether the result is a bool whatever the operands' dtype. */
  boolean isTest() {
    return TESTS.contains(this);
  }

  /** Whether only floating dtypes support the operation. */
  private boolean isFloating() {
    return switch (this) {
      case ATAN2, HYPOT, COPY_SIGN, IS_NAN -> true;
      default -> arity == 1 && compareTo(SQRT) >= 0;
    };
  }

  /** Whether HotSpot may vectorize the operation on operands of {@code dtype}. */
  boolean mayVectorize(DataType dtype) {
    return switch (this) {
      case ADD, SUB, MUL, MAX, MIN, AND, OR, XOR, NEG, ABS, SIGN, INVERT, NOT -> true;
      case LESS, LESS_EQUAL, EQUAL, IS_NAN, SQRT, FLOOR, CEIL, RINT -> true;
      case DIV -> dtype.isFloating();
      case FLOOR_DIV, FLOOR_MOD, SELECT -> !dtype.isFloating();
      default -> false;
    };
  }

  /** Throws unless the operands' number and dtypes are valid. */
  void check(List<Expression> operands) {
    DataType dtype = operands.getLast().dtype();
    boolean fits = operands.size() == arity && takes(dtype);
    for (int i = this == SELECT ? 1 : 0; i < operands.size(); i++) {
      fits &= operands.get(i).dtype() == dtype;
    }
    fits &= this != SELECT || operands.getFirst().dtype() == DataType.BOOL;
    if (!fits) {
      throw new IllegalArgumentException(
          this + " of " + operands.stream().map(Expression::dtype).toList());
    }
  }

  private boolean takes(DataType dtype) {
    if (dtype == DataType.BOOL) {
      return BITS.contains(this);
    }
    return dtype.isFloating()
        ? !INTEGER.contains(this) && this != NOT
        : dtype.isInteger() && this != NOT && !isFloating();
  }
}
