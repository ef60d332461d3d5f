package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.elementwise.BroadcastPlan;
import io.headrace.runtime.elementwise.BroadcastingKernel;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * FakeQuantWithMinMaxArgs, -Vars and -VarsPerChannel simulate quantization: values are clamped to a
 * range and rounded to multiples of a scale. The range is nudged so that 0 is one of the multiples.
 */
final class FakeQuantOps {
  private static final int MIN_BITS = 2;
  private static final int MAX_BITS = 16;
  private static final String[] BITS = {"num_bits: int = 8", "narrow_range: bool = false"};

  private FakeQuantOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("FakeQuantWithMinMaxArgs(inputs: float) -> outputs: float")
            .attrs("min: float = -6", "max: float = 6", BITS[0], BITS[1])
            .shape(ShapeFunctions.SAME)
            .scalarWhere(FakeQuantOps::isValid, (in, attrs) -> withArgs(in.getFirst(), attrs))
            .kernel(node -> refused(node.attrs())),
        withVars("FakeQuantWithMinMaxVars", 0),
        withVars("FakeQuantWithMinMaxVarsPerChannel", 1));
  }

  private static Kernel.Sync refused(Attrs attrs) {
    checkBits(attrs);
    throw invalidArgument(
        "min has to be smaller than max, was: %s >= %s",
        TensorText.number(attrs.floating("min"), false),
        TensorText.number(attrs.floating("max"), false));
  }

  private static void checkBits(Attrs attrs) {
    if (!isBitsValid(attrs)) {
      throw invalidArgument("num_bits must be between 2 and 16, inclusive");
    }
  }

  private static Op withVars(String name, int rank) {
    return Op.define(name + "(inputs: float, min: float, max: float) -> outputs: float")
        .attrs(BITS)
        .shape(in -> rule(in, rank))
        .kernel(node -> new Between(node, rank));
  }

  private static List<Shape> rule(ShapeFunction.Inputs in, int rank) {
    Shape input = in.shape(0);
    Shape min = Shapes.withRank(in.shape(1), rank);
    Shape max = Shapes.withRank(in.shape(2), rank);
    if (rank == 1) {
      Shapes.checkRankAtLeast(input, 1);
      long depth = Shapes.mergeSize(min.size(0), max.size(0));
      if (!input.isUnknownRank()) {
        int last = input.rank() - 1;
        return List.of(Shapes.withSize(input, last, Shapes.mergeSize(input.size(last), depth)));
      }
    }
    return List.of(input);
  }

  private static boolean isValid(Attrs attrs) {
    return isBitsValid(attrs) && attrs.floating("min") < attrs.floating("max");
  }

  private static boolean isBitsValid(Attrs attrs) {
    long bits = attrs.integer("num_bits");
    return bits >= MIN_BITS && bits <= MAX_BITS;
  }

  private static Expression withArgs(Expression x, Attrs attrs) {
    Nudged nudged = Nudged.of(attrs.floating("min"), attrs.floating("max"), Steps.of(attrs));
    return rounded(
        x,
        x.same(nudged.min()),
        x.same(nudged.max()),
        x.same(nudged.scale()),
        x.same(nudged.zero()),
        false);
  }

  /**
   * x, clamped to [{@code min}, {@code max}] and rounded to a multiple of {@code scale}.
   *
   * @param zero steps from {@code min} to 0
   * @param divides whether to divide by the scale or multiply by its inverse, as TensorFlow's
   *     kernel of the op does
   */
  private static Expression rounded(
      Expression x,
      Expression min,
      Expression max,
      Expression scale,
      Expression zero,
      boolean divides) {
    Expression above = x.min(max).max(min).sub(min);
    // Division and multiplication by the inverse differ in the last bit, which decides ties.
    Expression steps = divides ? above.div(scale) : above.mul(scale.same(1).div(scale));
    return steps.sub(zero).add(x.same(0.5)).apply(ScalarOperation.FLOOR).mul(scale);
  }

  /** The quantized range: the integers {@code first} to {@code last}. */
  private record Steps(int first, int last) {
    static Steps of(Attrs attrs) {
      return new Steps(
          attrs.bool("narrow_range") ? 1 : 0, (1 << (int) attrs.integer("num_bits")) - 1);
    }
  }

  /**
   * Nudged bounds: 0 is a multiple of the scale.
   *
   * @param zero steps from {@code min} to 0
   */
  private record Nudged(float min, float max, float scale, float zero) {
    static Nudged of(float min, float max, Steps steps) {
      if (min == 0 && max == 0) {
        return new Nudged(0, 0, 1, 0);
      }
      float scale = (max - min) / (float) (steps.last - steps.first);
      float zeroPoint = steps.first - min / scale;
      float nearest = Math.clamp(roundHalfUp(zeroPoint), steps.first, steps.last);
      float nudgedMin = (steps.first - nearest) * scale;
      float nudgedMax = (steps.last - nearest) * scale;
      float zero = (float) Math.floor(-nudgedMin * (1 / scale) + 0.5f);
      return new Nudged(nudgedMin, nudgedMax, scale, zero);
    }

    private static float roundHalfUp(float value) {
      return (float) Math.floor((double) value + 0.5);
    }
  }

  /** The kernel for bounds that are inputs: scalars, or vectors with a bound per channel. */
  private static final class Between implements BroadcastingKernel {
    private final int rank;
    private final Steps steps;
    private final ElementwiseKernel rounding;

    Between(NodeSpec node, int rank) {
      checkBits(node.attrs());
      this.rank = rank;
      this.steps = Steps.of(node.attrs());
      List<Expression> in = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        in.add(new Expression.Input(i, DataType.FLOAT32));
      }
      Expression rounded =
          rounded(in.get(0), in.get(1), in.get(2), in.get(3), in.get(4), rank == 0);
      this.rounding = ElementwiseKernel.of(rounded, Collections.nCopies(5, DataType.FLOAT32));
    }

    @Override
    public Tensor apply(Tensor[] operands, long rowsMask, Cancellation stop) {
      check(operands, rowsMask);
      long boundsMask = rowsMask >> 1;
      List<Shape> shapes = List.of(operands[1].shape(), operands[2].shape());
      BroadcastPlan plan = BroadcastPlan.ofRows(shapes, boundsMask);
      float[][] nudged = new float[4][];
      for (int i = 0; i < nudged.length; i++) {
        nudged[i] = (float[]) TensorLimit.allocate(DataType.FLOAT32, plan.output());
      }
      nudge(operands, plan, nudged);
      Tensor[] all = new Tensor[5];
      all[0] = operands[0];
      for (int i = 0; i < nudged.length; i++) {
        all[i + 1] = Tensor.wrap(DataType.FLOAT32, plan.output(), nudged[i]);
      }
      return rounding.apply(all, (rowsMask & 1) | (boundsMask == 0 ? 0 : 0b11110), stop);
    }

    private void nudge(Tensor[] operands, BroadcastPlan plan, float[][] nudged) {
      float[] min = (float[]) TensorMemory.array(operands[1].detach());
      float[] max = (float[]) TensorMemory.array(operands[2].detach());
      int[] minAt = plan.indices(0);
      int[] maxAt = plan.indices(1);
      for (int i = 0; i < plan.elements(); i++) {
        Nudged bounds = Nudged.of(min[minAt[i]], max[maxAt[i]], steps);
        nudged[0][i] = bounds.min();
        nudged[1][i] = bounds.max();
        nudged[2][i] = bounds.scale();
        nudged[3][i] = bounds.zero();
      }
    }

    private void check(Tensor[] operands, long rowsMask) {
      Shape[] shapes = new Shape[3];
      for (int i = 0; i < 3; i++) {
        shapes[i] = operands[i].shape().dropFirst((int) (rowsMask >> i & 1));
      }
      String[] names = {"inputs", "min", "max"};
      for (int i = 1; i < 3; i++) {
        if (shapes[i].rank() != rank) {
          throw invalidArgument(
              "`%s` must be rank %d but is rank %d", names[i], rank, shapes[i].rank());
        }
        if (rank == 1 && shapes[0].rank() == 0) {
          throw invalidArgument("`inputs` must have at least 1 dimension, and is a scalar");
        }
        if (rank == 1 && shapes[i].size(0) != shapes[0].size(shapes[0].rank() - 1)) {
          throw invalidArgument(
              "%s has incorrect size, expected %d was %d",
              names[i], shapes[0].size(shapes[0].rank() - 1), shapes[i].size(0));
        }
      }
    }
  }
}
