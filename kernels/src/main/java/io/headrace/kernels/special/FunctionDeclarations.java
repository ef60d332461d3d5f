package io.headrace.kernels.special;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/** Templates for the declarations of functions, whose operands and result have one dtype. */
final class FunctionDeclarations {
  private FunctionDeclarations() {}

  /**
   * A function of one number.
   *
   * @param types the constraint of attr T
   * @param narrow the function of dtypes other than double
   */
  static Op unary(String name, String types, DoubleUnaryOperator wide, DoubleUnaryOperator narrow) {
    return Op.define(name + "(x: T) -> y: T")
        .attrs("T: " + types)
        .shape(ShapeFunctions.SAME)
        .kernel(node -> {
          DataType dtype = node.inputTypes().getFirst();
          DoubleUnaryOperator function = dtype == DataType.FLOAT64 ? wide : narrow;
          return new FunctionKernel(dtype, in -> function.applyAsDouble(in[0]));
        });
  }

  /**
   * A function of two numbers, which broadcast.
   *
   * @param signature the op with its arguments, whose dtype attr is T: float or double
   * @param type the declaration of attr T
   * @param remark the difference from TensorFlow, or an empty string
   * @param narrow the function of floats
   */
  static Op binary(
      String signature,
      String type,
      String remark,
      DoubleBinaryOperator wide,
      DoubleBinaryOperator narrow) {
    return Op.define(signature)
        .attrs(type)
        .shape(ShapeFunctions.BROADCAST)
        .remark(remark)
        .kernel(node -> {
          DataType dtype = node.inputTypes().getFirst();
          DoubleBinaryOperator function = dtype == DataType.FLOAT64 ? wide : narrow;
          return new FunctionKernel(dtype, in -> function.applyAsDouble(in[0], in[1]));
        });
  }
}
