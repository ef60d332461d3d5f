package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedBroadcastKernel;
import io.headrace.kernels.kit.PerElement;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;
import java.util.function.DoubleBinaryOperator;

/** Complex, Real, Imag, ComplexAbs, Angle and Conj. */
final class ComplexOps {
  private ComplexOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Complex(real: T, imag: T) -> out: Tout")
            .attrs("T: {float, double} = float", "Tout: complex = complex64")
            .shape(ShapeFunctions.BROADCAST)
            .kernel(node -> {
              checkPair(node, "T", "Tout");
              return new IndexedBroadcastKernel(node.attrs().type("Tout"), ComplexOps::join);
            }),
        toReal("Real(input: T) -> output: Tout", (re, _) -> re),
        toReal("Imag(input: T) -> output: Tout", (_, im) -> im),
        toReal("ComplexAbs(x: T) -> y: Tout", Math::hypot),
        toReal("Angle(input: T) -> output: Tout", (re, im) -> Math.atan2(im, re)),
        Op.define("Conj(input: T) -> output: T")
            .attrs("T: complex = complex64")
            .shape(ShapeFunctions.SAME)
            .kernel(_ -> new PerElement(ComplexOps::conjugate)));
  }

  private static Op toReal(String signature, DoubleBinaryOperator part) {
    return Op.define(signature)
        .attrs("T: complex = complex64", "Tout: {float, double} = float")
        .shape(ShapeFunctions.SAME)
        .kernel(node -> {
          checkPair(node, "Tout", "T");
          return new PerElement(input -> real(input, part));
        });
  }

  private static void checkPair(NodeSpec node, String realAttr, String complexAttr) {
    DataType real = node.attrs().type(realAttr);
    DataType complex = node.attrs().type(complexAttr);
    if ((real == DataType.FLOAT32) != (complex == DataType.COMPLEX64)) {
      throw invalidArgument(
          "%s of node %s (op %s) is %s, and %s must be its real dtype, not %s",
          complexAttr, node.name(), node.op(), complex.tfName(), realAttr, real.tfName());
    }
  }

  private static void join(Tensor[] inputs, int[][] at, Object out, int count) {
    Object real = inputs[0].array();
    Object imaginary = inputs[1].array();
    switch (out) {
      case float[] pairs -> {
        for (int i = 0; i < count; i++) {
          pairs[2 * i] = ((float[]) real)[at[0][i]];
          pairs[2 * i + 1] = ((float[]) imaginary)[at[1][i]];
        }
      }
      case double[] pairs -> {
        for (int i = 0; i < count; i++) {
          pairs[2 * i] = ((double[]) real)[at[0][i]];
          pairs[2 * i + 1] = ((double[]) imaginary)[at[1][i]];
        }
      }
      default -> throw new AssertionError(out.getClass());
    }
  }

  private static Tensor real(Tensor input, DoubleBinaryOperator part) {
    boolean single = input.dtype() == DataType.COMPLEX64;
    DataType dtype = single ? DataType.FLOAT32 : DataType.FLOAT64;
    Object array = TensorLimit.allocate(dtype, input.shape());
    int from = 2 * input.offset();
    for (int i = 0; i < input.elements(); i++) {
      if (array instanceof float[] out) {
        float[] in = (float[]) input.array();
        out[i] = (float) part.applyAsDouble(in[from + 2 * i], in[from + 2 * i + 1]);
      } else {
        double[] in = (double[]) input.array();
        ((double[]) array)[i] = part.applyAsDouble(in[from + 2 * i], in[from + 2 * i + 1]);
      }
    }
    return Tensor.of(dtype, input.shape(), array);
  }

  private static Tensor conjugate(Tensor input) {
    Object array = TensorLimit.allocate(input.dtype(), input.shape());
    input.dtype().kind().copy(input.array(), input.offset(), array, 0, input.elements());
    for (int i = 1; i < 2 * input.elements(); i += 2) {
      if (array instanceof float[] out) {
        out[i] = -out[i];
      } else {
        ((double[]) array)[i] = -((double[]) array)[i];
      }
    }
    return Tensor.of(input.dtype(), input.shape(), array);
  }
}
