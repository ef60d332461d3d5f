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
  static final String[] BITS = {"num_bits: int = 8", "narrow_range: bool = false"};

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
    checkRange(attrs);
    throw new AssertionError(attrs);
  }

  /** INVALID_ARGUMENT unless the attrs min, max and num_bits describe a range. */
  static void checkRange(Attrs attrs) {
    QuantizedSteps.check(attrs);
    if (!isValid(attrs)) {
      throw invalidArgument(
          "min has to be smaller than max, was: %s >= %s",
          TensorText.number(attrs.floating("min"), false),
          TensorText.number(attrs.floating("max"), false));
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
    return QuantizedSteps.isValid(attrs) && attrs.floating("min") < attrs.floating("max");
  }

  private static Expression withArgs(Expression x, Attrs attrs) {
    NudgedRange nudged =
        NudgedRange.of(attrs.floating("min"), attrs.floating("max"), QuantizedSteps.of(attrs));
    return rounded(
        x,
        x.same(nudged.min()),
        x.same(nudged.max()),
        x.same(nudged.scale()),
        x.same(nudged.inverse()),
        x.same(nudged.zero()),
        false);
  }

  /**
   * x, clamped to [{@code min}, {@code max}] and rounded to a multiple of {@code scale}.
   *
   * @param inverse steps per unit
   * @param zero steps from {@code min} to 0
   * @param divides whether to divide by the scale or multiply by the inverse, as TensorFlow's
   *     kernel of the op does
   */
  private static Expression rounded(
      Expression x,
      Expression min,
      Expression max,
      Expression scale,
      Expression inverse,
      Expression zero,
      boolean divides) {
    Expression above = x.min(max).max(min).sub(min);
    // Division and multiplication by the inverse differ in the last bit, which decides ties.
    Expression steps = divides ? above.div(scale) : above.mul(inverse);
    return steps.sub(zero).add(x.same(0.5)).apply(ScalarOperation.FLOOR).mul(scale);
  }

  /** The kernel for bounds that are inputs: scalars, or vectors with a bound per channel. */
  private static final class Between implements BroadcastingKernel {
    /** The inputs of the rounding: the values and the parts of their nudged ranges. */
    private static final int OPERANDS = 6;

    private final int rank;
    private final QuantizedSteps steps;
    private final ElementwiseKernel rounding;

    /** The same, but of an empty range each value, also NaN, is 0. */
    private final ElementwiseKernel roundingOrZero;

    Between(NodeSpec node, int rank) {
      QuantizedSteps.check(node.attrs());
      this.rank = rank;
      this.steps = QuantizedSteps.of(node.attrs());
      List<Expression> in = new ArrayList<>();
      for (int i = 0; i < OPERANDS; i++) {
        in.add(new Expression.Input(i, DataType.FLOAT32));
      }
      Expression rounded =
          rounded(in.get(0), in.get(1), in.get(2), in.get(3), in.get(4), in.get(5), rank == 0);
      this.rounding = kernel(rounded);
      // Only the scale of the empty range is positive, though its bounds are both 0.
      Expression zero = rounded.same(0);
      Expression isEmpty =
          in.get(1).equalTo(zero).and(in.get(2).equalTo(zero)).and(in.get(3).greaterThan(zero));
      this.roundingOrZero = kernel(Expression.select(isEmpty, zero, rounded));
    }

    private static ElementwiseKernel kernel(Expression expression) {
      return ElementwiseKernel.of(expression, Collections.nCopies(OPERANDS, DataType.FLOAT32));
    }

    @Override
    public Tensor apply(Tensor[] operands, long rowsMask, Cancellation stop) {
      check(operands, rowsMask);
      long boundsMask = rowsMask >> 1;
      List<Shape> shapes = List.of(operands[1].shape(), operands[2].shape());
      BroadcastPlan plan = BroadcastPlan.ofRows(shapes, boundsMask);
      float[][] nudged = new float[OPERANDS - 1][];
      for (int i = 0; i < nudged.length; i++) {
        nudged[i] = (float[]) TensorLimit.allocate(DataType.FLOAT32, plan.output());
      }
      boolean isEmpty = nudge(operands, plan, nudged);
      Tensor[] all = new Tensor[OPERANDS];
      all[0] = operands[0];
      for (int i = 0; i < nudged.length; i++) {
        all[i + 1] = Tensor.wrap(DataType.FLOAT32, plan.output(), nudged[i]);
      }
      return (isEmpty ? roundingOrZero : rounding)
          .apply(all, (rowsMask & 1) | (boundsMask == 0 ? 0 : 0b111110), stop);
    }

    /** Whether there is an empty range. */
    private boolean nudge(Tensor[] operands, BroadcastPlan plan, float[][] nudged) {
      float[] min = (float[]) TensorMemory.array(operands[1].detach());
      float[] max = (float[]) TensorMemory.array(operands[2].detach());
      int[] minAt = plan.indices(0);
      int[] maxAt = plan.indices(1);
      boolean isEmpty = false;
      for (int i = 0; i < plan.elements(); i++) {
        NudgedRange bounds = NudgedRange.of(min[minAt[i]], max[maxAt[i]], steps);
        nudged[0][i] = bounds.min();
        nudged[1][i] = bounds.max();
        nudged[2][i] = bounds.scale();
        nudged[3][i] = bounds.inverse();
        nudged[4][i] = bounds.zero();
        isEmpty |= min[minAt[i]] == 0 && max[maxAt[i]] == 0;
      }
      return isEmpty;
    }

    private void check(Tensor[] operands, long rowsMask) {
      Shape[] shapes = new Shape[3];
      for (int i = 0; i < 3; i++) {
        shapes[i] = operands[i].shape().dropFirst((int) (rowsMask >> i & 1));
      }
      checkBounds(shapes, rank);
    }
  }

  /**
   * INVALID_ARGUMENT unless the {@code shapes} of inputs, min and max are those of bounds of {@code
   * rank}: scalars, or vectors with a bound per channel.
   */
  static void checkBounds(Shape[] shapes, int rank) {
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
