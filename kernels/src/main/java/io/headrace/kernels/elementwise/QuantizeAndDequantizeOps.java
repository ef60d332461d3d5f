package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.TensorText;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.Arrays;
import java.util.List;

/**
 * QuantizeAndDequantizeV2, V3 and V4 simulate quantization: values are rounded to multiples of a
 * scale. The scale factor is the largest with which the range fits into the integers while 0 stays
 * exact. The range is an input or the range of the values, for the whole tensor or for each slice
 * along an axis.
 */
final class QuantizeAndDequantizeOps {
  private static final String[] ATTRS = {
    "signed_input: bool = true",
    "range_given: bool = false",
    "T: {float, double}",
    "narrow_range: bool = false",
    "axis: int = -1"
  };
  private static final String BITS = "num_bits: int = 8";
  private static final String ROUND_MODE = "round_mode: string = \"HALF_TO_EVEN\"";
  private static final int MOST_BITS = 62;

  private QuantizeAndDequantizeOps() {}

  static List<Op> ops() {
    return List.of(
        rounding("QuantizeAndDequantizeV2"),
        rounding("QuantizeAndDequantizeV4"),
        Op.define(
                "QuantizeAndDequantizeV3(input: T, input_min: T, input_max: T, num_bits: int32)"
                    + " -> output: T")
            .attrs(
                "signed_input: bool = true",
                "range_given: bool = true",
                "T: {float, double}",
                "narrow_range: bool = false",
                "axis: int = -1")
            .shape(QuantizeAndDequantizeOps::rule)
            .kernel(node -> call -> round(call, node.attrs(), bits(node, call.input(3)), true)),
        Op.define(
                "QuantizeAndDequantizeV4Grad(gradients: T, input: T, input_min: T, input_max: T)"
                    + " -> (input_backprop: T, input_min_backprop: T, input_max_backprop: T)")
            .attrs("T: {float, double}", "axis: int = -1")
            .shape(in -> List.of(rule(in, 1).get(0), rule(in, 1).get(1), rule(in, 1).get(1)))
            .kernel(node -> call -> gradient(call, node.attrs())));
  }

  private static Op rounding(String name) {
    return Op.define(name + "(input: T, input_min: T, input_max: T) -> output: T")
        .attrs(ATTRS)
        .attrs(BITS, ROUND_MODE)
        .remark(
            "A given range may be one for each slice along the axis; TensorFlow's CPU takes one.")
        .shape(QuantizeAndDequantizeOps::rule)
        .kernel(QuantizeAndDequantizeOps::rounding);
  }

  private static Kernel.Sync rounding(NodeSpec node) {
    Attrs attrs = node.attrs();
    int bits = checkBits(attrs.integer("num_bits"), attrs.bool("signed_input"));
    checkAxis(attrs.integer("axis"));
    String mode = attrs.string("round_mode");
    if (!mode.equals("HALF_TO_EVEN") && !mode.equals("HALF_UP")) {
      throw invalidArgument("round_mode must be HALF_TO_EVEN or HALF_UP, and is %s", mode);
    }
    return call -> round(call, attrs, bits, mode.equals("HALF_TO_EVEN"));
  }

  private static int bits(NodeSpec node, Tensor bits) {
    if (bits.shape().rank() != 0) {
      throw invalidArgument("num_bits must be a scalar, and has shape %s", bits.shape());
    }
    return checkBits(bits.integer(0), node.attrs().bool("signed_input"));
  }

  private static int checkBits(long bits, boolean signed) {
    if (bits <= 0 || bits > (signed ? MOST_BITS : MOST_BITS + 1)) {
      throw invalidArgument(
          "num_bits is out of range: %d with signed_input_ %d", bits, signed ? 1 : 0);
    }
    return (int) bits;
  }

  private static void checkAxis(long axis) {
    if (axis < -1) {
      throw invalidArgument("Axis must be at least -1. Found %d", axis);
    }
    QuantizeV2Ops.checkInt("axis", axis);
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    return List.of(rule(in, 0).getFirst());
  }

  /**
   * The shapes of the values and of their bounds.
   *
   * @param at the input of the values; the lower and upper bounds are the next two inputs
   */
  private static List<Shape> rule(ShapeFunction.Inputs in, int at) {
    long axis = in.attrs().integer("axis");
    checkAxis(axis);
    Shape values = in.shape(at);
    Shape bounds = axis < 0 ? Shape.SCALAR : Shape.of(Shape.UNKNOWN_DIMENSION);
    if (axis >= 0) {
      QuantizeV2Ops.checkRank(values, axis);
      if (!values.isUnknownRank()) {
        bounds = Shape.of(values.size((int) axis));
      }
    }
    bounds = Shapes.merge(Shapes.merge(in.shape(at + 1), bounds), in.shape(at + 2));
    return List.of(values, bounds);
  }

  private static QuantizationChannels channels(Shape shape, long axis) {
    if (axis >= shape.rank()) {
      throw invalidArgument(
          "Axis should be less than the number of dimensions: %d of %s", axis, shape);
    }
    return QuantizationChannels.of(shape, axis);
  }

  private static void checkBounds(Tensor bounds, String name, long axis, int channels) {
    if (axis < 0 && bounds.shape().rank() != 0) {
      throw invalidArgument("%s must be a scalar if axis is unspecified", name);
    }
    if (axis >= 0 && !bounds.shape().equals(Shape.of(channels))) {
      throw invalidArgument(
          "Shape must be rank 1 and have %d elements: %s is %s", channels, name, bounds.shape());
    }
  }

  private static double[] numbers(Tensor tensor) {
    double[] numbers = new double[tensor.elements()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] =
          NumericElements.floating(
              tensor.dtype(), TensorMemory.array(tensor), TensorMemory.offset(tensor) + i);
    }
    return numbers;
  }

  private static void round(KernelCall call, Attrs attrs, int bits, boolean toEven) {
    Tensor input = call.input(0);
    long axis = attrs.integer("axis");
    QuantizationChannels ranges = channels(input.shape(), axis);
    boolean given = attrs.bool("range_given");
    double[] min;
    double[] max;
    if (given) {
      checkBounds(call.input(1), "input_min", axis, ranges.channels());
      checkBounds(call.input(2), "input_max", axis, ranges.channels());
      min = numbers(call.input(1));
      max = numbers(call.input(2));
      checkOrdered(min, max);
    } else {
      min = new double[ranges.channels()];
      max = new double[ranges.channels()];
      findExtremes(input, ranges, min, max);
    }
    boolean isDouble = input.dtype() == DataType.FLOAT64;
    Scale[] scales = new Scale[ranges.channels()];
    for (int i = 0; i < scales.length; i++) {
      scales[i] = Scale.of(min[i], max[i], Stored.of(attrs, bits), isDouble);
    }
    Object rounded = TensorLimit.allocate(input.dtype(), input.shape());
    for (int i = 0; i < input.elements(); i++) {
      double x =
          NumericElements.floating(
              input.dtype(), TensorMemory.array(input), TensorMemory.offset(input) + i);
      double value = scales[ranges.channel(i)].round(x, given, toEven, isDouble);
      NumericElements.setFloating(input.dtype(), rounded, i, value);
    }
    call.setOutput(0, Tensor.wrap(input.dtype(), input.shape(), rounded));
  }

  private static void checkOrdered(double[] min, double[] max) {
    for (int i = 0; i < min.length; i++) {
      if (!(min[i] <= max[i])) {
        throw invalidArgument(
            "Invalid range: input_min %s > input_max %s",
            TensorText.number((float) min[i], false), TensorText.number((float) max[i], false));
      }
    }
  }

  private static void findExtremes(
      Tensor input, QuantizationChannels ranges, double[] min, double[] max) {
    Arrays.fill(min, Double.POSITIVE_INFINITY);
    Arrays.fill(max, Double.NEGATIVE_INFINITY);
    double[] values = numbers(input);
    for (int i = 0; i < values.length; i++) {
      int channel = ranges.channel(i);
      min[channel] = Math.min(min[channel], values[i]);
      max[channel] = Math.max(max[channel], values[i]);
    }
  }

  /** The quantized range: the integers {@code least} to {@code most}. */
  private record Stored(double least, double most) {
    static Stored of(Attrs attrs, int bits) {
      if (!attrs.bool("signed_input")) {
        return new Stored(0, Math.scalb(1.0, bits) - 1);
      }
      double half = Math.scalb(1.0, bits - 1);
      return new Stored(attrs.bool("narrow_range") ? -half + 1 : -half, half - 1);
    }
  }

  /**
   * The rounding of the values of one range. Each step is rounded to the values' own precision.
   *
   * @param min lower bound to which values are clamped if the range is an input
   * @param max upper bound to which values are clamped if the range is an input
   * @param scale integers per unit
   * @param inverse units per integer
   */
  private record Scale(double min, double max, double scale, double inverse) {
    static Scale of(double min, double max, Stored stored, boolean isDouble) {
      double largest = isDouble ? Double.MAX_VALUE : Float.MAX_VALUE;
      double fromMin = stored.least * min > 0 ? narrow(stored.least / min, isDouble) : largest;
      double fromMax = stored.most * max > 0 ? narrow(stored.most / max, isDouble) : largest;
      if (fromMin < fromMax) {
        double inverse = narrow(min / stored.least, isDouble);
        return new Scale(min, narrow(stored.most * inverse, isDouble), fromMin, inverse);
      }
      double inverse = narrow(max / stored.most, isDouble);
      return new Scale(narrow(stored.least * inverse, isDouble), max, fromMax, inverse);
    }

    double round(double x, boolean clamps, boolean toEven, boolean isDouble) {
      double within = clamps ? Math.max(Math.min(x, max), min) : x;
      double scaled = narrow(within * scale, isDouble);
      double whole = toEven ? Math.rint(scaled) : Math.floor(narrow(scaled + 0.5, isDouble));
      return narrow(whole * inverse, isDouble);
    }

    private static double narrow(double value, boolean isDouble) {
      return isDouble ? value : (float) value;
    }
  }

  /** The gradient passes for values within the range and is 0 for clamped ones. */
  private static void gradient(KernelCall call, Attrs attrs) {
    Tensor gradients = call.input(0);
    Tensor input = call.input(1);
    if (!gradients.shape().equals(input.shape())) {
      throw invalidArgument("gradient and input must be the same size");
    }
    long axis = attrs.integer("axis");
    checkAxis(axis);
    QuantizationChannels ranges = channels(input.shape(), axis);
    checkBounds(call.input(2), "input_min", axis, ranges.channels());
    checkBounds(call.input(3), "input_max", axis, ranges.channels());
    double[] min = numbers(call.input(2));
    double[] max = numbers(call.input(3));
    double[] values = numbers(input);
    double[] dy = numbers(gradients);
    Object passed = TensorLimit.allocate(input.dtype(), input.shape());
    for (int i = 0; i < values.length; i++) {
      int channel = ranges.channel(i);
      boolean within = values[i] >= min[channel] && values[i] <= max[channel];
      NumericElements.setFloating(input.dtype(), passed, i, dy[i] * (within ? 1 : 0));
    }
    call.setOutput(0, Tensor.wrap(input.dtype(), input.shape(), passed));
    for (int i = 1; i < 3; i++) {
      Shape shape = call.input(i + 1).shape();
      Object zeros = TensorLimit.allocate(input.dtype(), shape);
      call.setOutput(i, Tensor.wrap(input.dtype(), shape, zeros));
    }
  }
}
