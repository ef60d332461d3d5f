package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.elementwise.Reduction;
import io.headrace.kernels.elementwise.ReductionOps;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.BitSet;
import java.util.List;

/** The ops BiasAdd, BiasAddV1 and BiasAddGrad: a bias for each channel. */
final class BiasOps {
  private BiasOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("BiasAdd(value: T, bias: T) -> output: T")
            .attrs("T: number", "data_format: string = \"NHWC\"")
            .shape(BiasOps::biasRule)
            .runsOnGpu()
            .kernel(
                RowKernel.made(node -> {
                  ElementwiseKernel sum = sum(node);
                  boolean channelsFirst = node.attrs().string("data_format").equals("NCHW");
                  return rows -> add(rows, sum, channelsFirst);
                })),
        Op.define("BiasAddV1(value: T, bias: T) -> output: T")
            .attrs("T: number")
            .shape(BiasOps::biasRule)
            .runsOnGpu()
            .kernel(
                RowKernel.made(node -> {
                  ElementwiseKernel sum = sum(node);
                  return rows -> add(rows, sum, false);
                })),
        Op.define("BiasAddGrad(out_backprop: T) -> output: T")
            .attrs("T: number", "data_format: string = \"NHWC\"")
            .shape(BiasOps::gradientRule)
            .remark("Floats are added up in double precision: more exact than TensorFlow's sums.")
            .runsOnGpu()
            .kernel(
                RowKernel.made(node -> {
                  Reduction sum = ReductionOps.sum(node.attrs().type("T"));
                  boolean channelsFirst = node.attrs().string("data_format").equals("NCHW");
                  return rows -> gradient(rows, sum, channelsFirst);
                })));
  }

  private static ElementwiseKernel sum(NodeSpec node) {
    DataType dtype = node.attrs().type("T");
    Expression value = new Expression.Input(0, dtype);
    return ElementwiseKernel.of(value.add(new Expression.Input(1, dtype)), List.of(dtype, dtype));
  }

  private static List<Shape> biasRule(ShapeFunction.Inputs in) {
    Shape value = in.shape(0);
    Shape bias = Shapes.withRank(in.shape(1), 1);
    Shapes.checkRankAtLeast(value, 2);
    if (value.isUnknownRank()) {
      return List.of(value);
    }
    boolean channelsFirst =
        in.attrs().has("data_format") && in.attrs().string("data_format").equals("NCHW");
    int axis = channelsFirst ? 1 : value.rank() - 1;
    long channels = Shapes.mergeSize(value.size(axis), bias.size(0));
    return List.of(Shapes.withSize(value, axis, channels));
  }

  private static boolean add(Rows rows, ElementwiseKernel sum, boolean channelsFirst) {
    Shape value = rows.shape(0);
    Shape bias = rows.shape(1);
    if (value.rank() < 2) {
      throw invalidArgument("Input tensor must be at least 2D: %s", value);
    }
    if (bias.rank() != 1) {
      throw invalidArgument("Biases must be 1D: %s", bias);
    }
    int axis = channelsFirst ? 1 : value.rank() - 1;
    if (bias.size(0) != value.size(axis)) {
      throw invalidArgument(
          "Must provide as many biases as the %s dimension of the input tensor: %s vs. %s",
          channelsFirst ? "channel" : "last", bias, value);
    }
    Shape spread = Shapes.concat(bias, ones(value.rank() - 1 - axis));
    long mask = (rows.varies(0) ? 1 : 0) | (rows.varies(1) ? 2 : 0);
    Tensor biases = rows.all(1);
    Tensor[] operands = {
      rows.all(0), biases.reshape(rows.varies(1) ? spread.prepend(rows.count()) : spread)
    };
    rows.set(0, sum.apply(operands, mask, rows.cancellation()));
    return true;
  }

  private static List<Shape> gradientRule(ShapeFunction.Inputs in) {
    Shape gradient = in.shape(0);
    Shapes.checkRankAtLeast(gradient, 2);
    if (gradient.isUnknownRank()) {
      return List.of(Shape.of(Shape.UNKNOWN_DIMENSION));
    }
    boolean channelsFirst = in.attrs().string("data_format").equals("NCHW");
    return List.of(Shape.of(gradient.size(channelsFirst ? 1 : gradient.rank() - 1)));
  }

  /** The gradient of a bias: the sum over all elements of its channel. */
  private static boolean gradient(Rows rows, Reduction sum, boolean channelsFirst) {
    Shape gradient = rows.shape(0);
    if (gradient.rank() < 2) {
      throw invalidArgument("Input tensor must be at least 2D: %s", gradient);
    }
    int axis = channelsFirst ? 1 : gradient.rank() - 1;
    Shape biases = Shape.of(gradient.size(axis));
    int before = rows.isMany() ? 1 : 0;
    BitSet axes = new BitSet();
    axes.set(before, before + gradient.rank());
    axes.clear(before + axis);
    rows.set(0, sum.run(rows.all(0), axes, rows.withRows(biases), rows.cancellation()));
    return true;
  }

  /** A shape of {@code rank} dimensions of size 1. */
  private static Shape ones(int rank) {
    Shape shape = Shape.SCALAR;
    for (int i = 0; i < rank; i++) {
      shape = shape.prepend(1);
    }
    return shape;
  }
}
