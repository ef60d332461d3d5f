package io.headrace.runtime.expression;

import io.headrace.runtime.tensor.DataType;
import java.util.List;

/**
 * A typed expression over scalars: what an elementwise op computes for one element. Loops over
 * arrays are generated from it, and ops in a row become one larger expression. Immutable.
 *
 * <p>Both operands of an operation have one dtype, which is also its result's, save for those that
 * compare or test, whose result is a bool. Integers wrap; half and bfloat16 round after each
 * operation. A part that is used twice may be one object: it is computed once, as are equal parts.
 */
public sealed interface Expression {
  /** Operand {@code index} of the loop. */
  record Input(int index, DataType dtype) implements Expression {}

  /**
   * A value that is the same for every element.
   *
   * @param dtype its dtype
   * @param bits the integer; for a floating dtype, the bits of the value as a double
   */
  record Constant(DataType dtype, long bits) implements Expression {}

  /** What {@code operation} gives for {@code operands}. */
  record Apply(ScalarOperation operation, List<Expression> operands) implements Expression {
    /** Checks the operands' number and dtypes. */
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

  /** The dtype of its value. */
  DataType dtype();

  /** Whether there are expressions of {@code dtype}: bool, integers, floats; not complex. */
  static boolean isScalar(DataType dtype) {
    return Carrier.carries(dtype);
  }

  /** The constant {@code value}, rounded to a floating dtype or wrapped to an integer one. */
  static Expression constant(DataType dtype, double value) {
    return new Constant(dtype, Literals.bits(dtype, value));
  }

  /** The integer constant {@code value}, wrapped to {@code dtype}. */
  static Expression constant(DataType dtype, long value) {
    return new Constant(dtype, Literals.bits(dtype, value));
  }

  /** {@code ifTrue} where {@code condition}, a bool, holds, {@code ifFalse} elsewhere. */
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

  /** This as {@code target}: itself if it is that already. */
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

  /** This, negated. */
  default Expression neg() {
    return apply(ScalarOperation.NEG);
  }

  /** The larger; NaN if either is. */
  default Expression max(Expression other) {
    return apply(ScalarOperation.MAX, other);
  }

  /** The smaller; NaN if either is. */
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

  /** The opposite of a bool. */
  default Expression not() {
    return apply(ScalarOperation.NOT);
  }

  /** The bits that both have; of bools, whether both hold. */
  default Expression and(Expression other) {
    return apply(ScalarOperation.AND, other);
  }

  /** The bits that either has; of bools, whether either holds. */
  default Expression or(Expression other) {
    return apply(ScalarOperation.OR, other);
  }
}
