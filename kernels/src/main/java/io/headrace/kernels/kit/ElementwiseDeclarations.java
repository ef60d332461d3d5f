package io.headrace.kernels.kit;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Templates for the declarations of elementwise ops. {@code types} is the constraint of attr T, in
 * the syntax of {@link Op}; {@code rule} builds the scalar expression of the result.
 */
public final class ElementwiseDeclarations {
  /** The remark of gradients whose operands broadcast here but not in TensorFlow. */
  public static final String GRADIENT_BROADCASTS =
      "Inputs of unequal shapes broadcast, where TensorFlow refuses them.";

  private ElementwiseDeclarations() {}

  /** A binary op; operands and result have one dtype. */
  public static Op binary(String name, String types, BinaryOperator<Expression> rule) {
    return Op.define(name + "(x: T, y: T) -> z: T")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }

  /** A predicate of two operands of one dtype. */
  public static Op test(String name, String types, BinaryOperator<Expression> rule) {
    return Op.define(name + "(x: T, y: T) -> z: bool")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }

  /** A unary op; operand and result have one dtype. */
  public static Op unary(String name, String types, UnaryOperator<Expression> rule) {
    return Op.define(name + "(x: T) -> y: T")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.getFirst()));
  }

  /** A predicate of one operand. */
  public static Op testOne(String name, String types, Function<Expression, Expression> rule) {
    return Op.define(name + "(x: T) -> y: bool")
        .attrs("T: " + types)
        .scalar((in, _) -> rule.apply(in.getFirst()));
  }

  /**
   * The gradient of an op of one operand, computed from the op's output {@code y} and the incoming
   * gradient {@code dy}.
   */
  public static Op gradientOfOutput(String name, BinaryOperator<Expression> rule) {
    return Op.define(name + "(y: T, dy: T) -> z: T")
        .attrs("T: {floating, complex}")
        .shape(ShapeFunctions.SAME)
        .remark(GRADIENT_BROADCASTS)
        .scalar((in, _) -> rule.apply(in.get(0), in.get(1)));
  }

  /**
   * {@code rule} computed in {@code wider}, or in complex numbers of it; the result is rounded once
   * to the operand's dtype.
   */
  public static UnaryOperator<Expression> within(DataType wider, UnaryOperator<Expression> rule) {
    return x -> {
      boolean isComplex = x.dtype().isComplex();
      DataType dtype = isComplex ? wider.complexType() : wider;
      return rule.apply(x.convert(dtype)).convert(x.dtype());
    };
  }
}
