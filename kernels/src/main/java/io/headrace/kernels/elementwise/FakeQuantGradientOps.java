package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * The gradients of {@link FakeQuantOps}: straight through for values within the nudged range; those
 * of clamped values go to the bound.
 */
final class FakeQuantGradientOps {
  private FakeQuantGradientOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "FakeQuantWithMinMaxArgsGradient(gradients: float, inputs: float)"
                    + " -> backprops: float")
            .attrs("min: float = -6", "max: float = 6")
            .attrs(FakeQuantOps.BITS)
            .shape(ShapeFunctions.SAME)
            .kernel(FakeQuantGradientOps::withArgs),
        withVars("FakeQuantWithMinMaxVarsGradient", 0),
        withVars("FakeQuantWithMinMaxVarsPerChannelGradient", 1));
  }

  private static Op withVars(String name, int rank) {
    return Op.define(
            name
                + "(gradients: float, inputs: float, min: float, max: float) ->"
                + " (backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float)")
        .attrs(FakeQuantOps.BITS)
        .shape(in -> rule(in, rank))
        .kernel(node -> {
          QuantizedSteps.check(node.attrs());
          QuantizedSteps steps = QuantizedSteps.of(node.attrs());
          return call -> gradients(call, rank, steps);
        });
  }

  private static List<Shape> rule(ShapeFunction.Inputs in, int rank) {
    Shape values = Shapes.merge(in.shape(0), in.shape(1));
    Shape min = Shapes.withRank(in.shape(2), rank);
    Shape max = Shapes.withRank(in.shape(3), rank);
    if (rank == 0) {
      return List.of(values, min, max);
    }
    Shapes.checkRankAtLeast(values, 1);
    Shapes.checkRankAtMost(values, 4);
    long depth = Shapes.mergeSize(min.size(0), max.size(0));
    if (values.isUnknownRank()) {
      return List.of(values, Shape.of(depth), Shape.of(depth));
    }
    int last = values.rank() - 1;
    depth = Shapes.mergeSize(values.size(last), depth);
    return List.of(Shapes.withSize(values, last, depth), Shape.of(depth), Shape.of(depth));
  }

  private static Kernel.Sync withArgs(NodeSpec node) {
    Attrs attrs = node.attrs();
    FakeQuantOps.checkRange(attrs);
    NudgedRange range =
        NudgedRange.of(attrs.floating("min"), attrs.floating("max"), QuantizedSteps.of(attrs));
    return call -> {
      Shape shape = call.input(1).shape();
      if (!call.input(0).shape().equals(shape)) {
        throw invalidArgument(
            "Inputs to operation %s of type FakeQuantWithMinMaxArgsGradient must have the same size"
                + " and shape.  Input 0: %s != input 1: %s",
            node.name(), call.input(0).shape(), shape);
      }
      float[] values = call.input(1).floats();
      float[] passed = call.input(0).floats();
      for (int i = 0; i < passed.length; i++) {
        passed[i] *= share(range.min() <= values[i] && values[i] <= range.max());
      }
      call.setOutput(0, Tensor.wrap(DataType.FLOAT32, shape, passed));
    };
  }

  /** A factor that keeps the sign of what it makes zero, and NaN, as TensorFlow's does. */
  private static float share(boolean all) {
    return all ? 1 : 0;
  }

  private static void gradients(KernelCall call, int rank, QuantizedSteps steps) {
    Shape shape = call.input(1).shape();
    if (!call.input(0).shape().equals(shape)) {
      throw invalidArgument("gradient and input must be the same size");
    }
    Shape bounds = call.input(2).shape();
    FakeQuantOps.checkBounds(new Shape[] {shape, bounds, call.input(3).shape()}, rank);
    Clamped clamped =
        new Clamped(call.input(0).floats(), call.input(1).floats(), bounds.elements());
    float[] min = call.input(2).floats();
    float[] max = call.input(3).floats();
    for (int channel = 0; channel < min.length; channel++) {
      call.cancellation().check();
      // The gradient of an empty range is all of the inputs'.
      if (min[channel] != 0 || max[channel] != 0) {
        clamped.divide(channel, NudgedRange.of(min[channel], max[channel], steps));
      }
    }
    call.setOutput(0, Tensor.wrap(DataType.FLOAT32, shape, clamped.gradients));
    call.setOutput(1, Tensor.wrap(DataType.FLOAT32, bounds, clamped.ofMin));
    call.setOutput(2, Tensor.wrap(DataType.FLOAT32, bounds, clamped.ofMax));
  }

  /** The gradients of clamped values and of their bounds; the last dimension is the channels. */
  private static final class Clamped {
    private final float[] gradients;
    private final float[] values;
    private final float[] ofMin;
    private final float[] ofMax;

    Clamped(float[] gradients, float[] values, int channels) {
      this.gradients = gradients;
      this.values = values;
      this.ofMin = new float[channels];
      this.ofMax = new float[channels];
    }

    /** Divides the gradients of one channel among its values and bounds. */
    private void divide(int channel, NudgedRange range) {
      double below = 0;
      double above = 0;
      for (int i = channel; i < values.length; i += ofMin.length) {
        below += gradients[i] * share(values[i] < range.min());
        above += gradients[i] * share(values[i] > range.max());
        gradients[i] *= share(range.min() <= values[i] && values[i] <= range.max());
      }
      ofMin[channel] = (float) below;
      ofMax[channel] = (float) above;
    }
  }
}
