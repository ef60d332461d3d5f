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
 *
 * <p>A complex expression is a {@link Pair} of real ones, or a complex input: operations on it are
 * operations on its {@linkplain #real parts}, so that {@link Apply} and {@link Convert} are never
 * complex.
 */
public sealed interface Expression {
  /** Operand {@code index} of the loop. */
  record Input(int index, DataType dtype) implements Expression {}

  /**
   * A part of a complex operand.
   *
   * @param part 0 for the real part, 1 for the imaginary part
   */
  record Part(Input operand, int part) implements Expression {
    @Override
    public DataType dtype() {
      return operand.dtype().partType();
    }
  }

  /** A complex number with the parts {@code real} and {@code imaginary}, float32 or float64. */
  record Pair(Expression real, Expression imaginary) implements Expression {
    /** Checks the dtypes of the parts. */
    public Pair {
      if (real.dtype() != imaginary.dtype()
          || (real.dtype() != DataType.FLOAT32 && real.dtype() != DataType.FLOAT64)) {
        throw new IllegalArgumentException(
            "a pair of " + real.dtype() + " and " + imaginary.dtype());
      }
    }

    @Override
    public DataType dtype() {
      return real.dtype() == DataType.FLOAT32 ? DataType.COMPLEX64 : DataType.COMPLEX128;
    }
  }

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

  /** Whether expressions support {@code dtype}: bool, integers, floats and complex numbers. */
  static boolean isScalar(DataType dtype) {
    return Carrier.carries(dtype.partType());
  }

  /** Whether {@link #convert} supports {@code dtype}: float8 and int4 types, too. */
  static boolean isConvertible(DataType dtype) {
    return isScalar(dtype) || Carrier.isConvertedOnly(dtype);
  }

  /**
   * The constant {@code value}, rounded to a floating or complex dtype or wrapped to an integer
   * one.
   */
  static Expression constant(DataType dtype, double value) {
    return dtype.isComplex()
        ? new Pair(constant(dtype.partType(), value), constant(dtype.partType(), 0.0))
        : new Constant(dtype, ConstantBits.bits(dtype, value));
  }

  /** The integer constant {@code value}, wrapped to {@code dtype}. */
  static Expression constant(DataType dtype, long value) {
    return dtype.isComplex()
        ? constant(dtype, (double) value)
        : new Constant(dtype, ConstantBits.bits(dtype, value));
  }

  /** {@code ifTrue} if {@code condition}, a bool, is true, otherwise {@code ifFalse}. */
  static Expression select(Expression condition, Expression ifTrue, Expression ifFalse) {
    return ifFalse.dtype().isComplex()
        ? new Pair(
            select(condition, ifTrue.real(), ifFalse.real()),
            select(condition, ifTrue.imaginary(), ifFalse.imaginary()))
        : new Apply(ScalarOperation.SELECT, List.of(condition, ifTrue, ifFalse));
  }

  /** The real part of a complex number; this if it is not complex. */
  default Expression real() {
    return switch (this) {
      case Input input when input.dtype().isComplex() -> new Part(input, 0);
      case Pair pair -> pair.real();
      case Input _, Part _, Constant _, Apply _, Convert _ -> this;
    };
  }

  /** The imaginary part of a complex number; 0 if it is not complex. */
  default Expression imaginary() {
    return switch (this) {
      case Input input when input.dtype().isComplex() -> new Part(input, 1);
      case Pair pair -> pair.imaginary();
      case Input _, Part _, Constant _, Apply _, Convert _ -> same(0);
    };
  }

  /** The complex conjugate; this if it is not complex. */
  default Expression conjugate() {
    return dtype().isComplex() ? new Pair(real(), imaginary().neg()) : this;
  }

  /** {@code operation} of this. */
  default Expression apply(ScalarOperation operation) {
    return dtype().isComplex()
        ? ComplexArithmetic.apply(operation, this)
        : new Apply(operation, List.of(this));
  }

  /** {@code operation} of this and {@code other}. */
  default Expression apply(ScalarOperation operation, Expression other) {
    return dtype().isComplex() && other.dtype() == dtype()
        ? ComplexArithmetic.apply(operation, this, other)
        : new Apply(operation, List.of(this, other));
  }

  /** A constant of this expression's dtype. */
  default Expression same(double value) {
    return constant(dtype(), value);
  }

  /**
   * This expression converted to {@code target}; itself if it already has that dtype. A complex
   * number loses its imaginary part where {@code target} is not complex.
   */
  default Expression convert(DataType target) {
    if (dtype() == target) {
      return this;
    }
    if (target.isComplex()) {
      DataType part = target.partType();
      Expression imaginary = dtype().isComplex() ? imaginary().convert(part) : constant(part, 0.0);
      return new Pair(real().convert(part), imaginary);
    }
    return dtype().isComplex() ? real().convert(target) : new Convert(this, target);
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

  /** The absolute value of a number that is not complex. */
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
