package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * A typed expression over scalars: the computation of an elementwise op for one element. Loops over
 * arrays are generated from it, and fused ops become one larger expression. Immutable.
 *
 * <p>The operands of an operation have one dtype, which is also the dtype of its result, except for
 * comparisons and tests, whose result is a bool. Integers wrap; half and bfloat16 round after each
 * operation. Equal subexpressions are computed once, whether or not they are the same object.
 */
public sealed interface Expression {
  /** Operand {@code index} of the loop. */
  record Input(int index, DataType dtype) implements Expression {}

  /**
   * A value that is the same for every element.
   *
   * @param dtype the dtype
   * @param bits the integer value; for a floating dtype, the bits of the value as a double
   */
  record Constant(DataType dtype, long bits) implements Expression {}

  /** The result of {@code operation} on {@code operands}. */
  record Apply(ScalarOperation operation, List<Expression> operands) implements Expression {
    /** Checks the number and dtypes of the operands. */
    public Apply {
      operands = List.copyOf(operands);
      operation.check(operands);
    }

    @Override
    public DataType dtype() {
      return operation.isTest() ? DataType.BOOL : operands.getLast().dtype();
    }
  }

  /** {@code value} as another dtype, by the rules of TensorFlow's Cast. */
  record Convert(Expression value, DataType dtype) implements Expression {}

  /** The dtype of the value. */
  DataType dtype();

  /** Whether expressions support {@code dtype}: bool, integers and floats, but not complex. */
  static boolean isScalar(DataType dtype) {
    return Carrier.carries(dtype);
  }

  /** The constant {@code value}, rounded to a floating dtype or wrapped to an integer one. */
  static Expression constant(DataType dtype, double value) {
    return new Constant(dtype, ConstantBits.bits(dtype, value));
  }

  /** The integer constant {@code value}, wrapped to {@code dtype}. */
  static Expression constant(DataType dtype, long value) {
    return new Constant(dtype, ConstantBits.bits(dtype, value));
  }

  /** {@code ifTrue} if {@code condition}, a bool, is true, otherwise {@code ifFalse}. */
  static Expression select(Expression condition, Expression ifTrue, Expression ifFalse) {
    return new Apply(ScalarOperation.SELECT, List.of(condition, ifTrue, ifFalse));
  }

  /** {@code operation} of this. */
  default Expression apply(ScalarOperation operation) {
    return new Apply(operation, List.of(this));
  }

  /** {@code operation} of this and {@code other}. */
  default Expression apply(ScalarOperation operation, Expression other) {
    return new Apply(operation, List.of(this, other));
  }

  /** A constant of this expression's dtype. */
  default Expression same(double value) {
    return constant(dtype(), value);
  }

  /** This expression converted to {@code target}; itself if it already has that dtype. */
  default Expression convert(DataType target) {
    return dtype() == target ? this : new Convert(this, target);
  }

  /** The sum. */
  default Expression add(Expression other) {
    return apply(ScalarOperation.ADD, other);
  }

  /** The difference. */
  default Expression sub(Expression other) {
    return apply(ScalarOperation.SUB, other);
  }

  /** The product. */
  default Expression mul(Expression other) {
    return apply(ScalarOperation.MUL, other);
  }

  /** The quotient; of integers, rounded towards zero. */
  default Expression div(Expression other) {
    return apply(ScalarOperation.DIV, other);
  }

  /** The negation. */
  default Expression neg() {
    return apply(ScalarOperation.NEG);
  }

  /** The maximum; NaN if either operand is NaN. */
  default Expression max(Expression other) {
    return apply(ScalarOperation.MAX, other);
  }

  /** The minimum; NaN if either operand is NaN. */
  default Expression min(Expression other) {
    return apply(ScalarOperation.MIN, other);
  }

  /** The absolute value. */
  default Expression abs() {
    return apply(ScalarOperation.ABS);
  }

  /** Whether this is less. */
  default Expression lessThan(Expression other) {
    return apply(ScalarOperation.LESS, other);
  }

  /** Whether this is less or equal. */
  default Expression lessOrEqual(Expression other) {
    return apply(ScalarOperation.LESS_EQUAL, other);
  }

  /** Whether this is greater. */
  default Expression greaterThan(Expression other) {
    return other.lessThan(this);
  }

  /** Whether this is greater or equal. */
  default Expression greaterOrEqual(Expression other) {
    return other.lessOrEqual(this);
  }

  /** Whether both are equal; NaN equals nothing. */
  default Expression equalTo(Expression other) {
    return apply(ScalarOperation.EQUAL, other);
  }

  /** Logical not of a bool. */
  default Expression not() {
    return apply(ScalarOperation.NOT);
  }

  /** Bitwise and; logical and of bools. */
  default Expression and(Expression other) {
    return apply(ScalarOperation.AND, other);
  }

  /** Bitwise or; logical or of bools. */
  default Expression or(Expression other) {
    return apply(ScalarOperation.OR, other);
  }
}
