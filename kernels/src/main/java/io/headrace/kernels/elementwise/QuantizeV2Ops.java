package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static io.headrace.runtime.status.StatusException.unimplemented;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
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
import java.util.List;

/**
 * QuantizeV2: floats as integers of a quantized dtype, by a range for the whole tensor or for each
 * slice along an axis ({@link QuantizationRule}).
 */
final class QuantizeV2Ops {
  private static final String MIN_FIRST = "MIN_FIRST";
  private static final String SCALED = "SCALED";

  private QuantizeV2Ops() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "QuantizeV2(input: float, min_range: float, max_range: float) ->"
                    + " (output: T, output_min: float, output_max: float)")
            .attrs(
                QuantizedType.ATTR,
                "mode: string = \"MIN_COMBINED\"",
                "round_mode: string = \"HALF_AWAY_FROM_ZERO\"",
                "narrow_range: bool = false",
                "axis: int = -1",
                "ensure_minimum_range: float = 0.01")
            .remark(
                "NaN becomes what TensorFlow makes of it at the end of a tensor. On processors on"
                    + " which TensorFlow calls oneDNN, it has other steps in the mode MIN_FIRST of"
                    + " quint8, and in SCALED of 8 bits with HALF_TO_EVEN.")
            .shape(in -> {
              List<Shape> shapes = rule(in);
              return List.of(shapes.get(0), shapes.get(1), shapes.get(1));
            })
            .kernel(QuantizeV2Ops::quantize));
  }

  /** The shapes of the values and of their bounds, for QuantizeV2 and Dequantize. */
  static List<Shape> rule(ShapeFunction.Inputs in) {
    long axis = in.attrs().integer("axis");
    if (axis < -1) {
      throw invalidArgument("axis should be at least -1, got %d", axis);
    }
    checkInt("axis", axis);
    int rank = axis == -1 ? 0 : 1;
    Shapes.withRank(in.shape(1), rank);
    Shape bounds = Shapes.withRank(in.shape(2), rank);
    Shape values = in.shape(0);
    if (axis >= 0 && !values.isUnknownRank()) {
      checkRank(values, axis);
      Shapes.mergeSize(bounds.size(0), values.size((int) axis));
    }
    return List.of(values, bounds);
  }

  /** INVALID_ARGUMENT unless {@code value} of attr {@code name} has 32 bits. */
  static void checkInt(String name, long value) {
    if (value != (int) value) {
      throw invalidArgument("Attr %s has value %d out of range for an int32", name, value);
    }
  }

  /** INVALID_ARGUMENT unless {@code shape} has {@code axis}, as far as its rank is known. */
  static void checkRank(Shape shape, long axis) {
    if (!shape.isUnknownRank() && axis >= shape.rank()) {
      throw invalidArgument(
          "Shape must be at least rank %d but is rank %d: %s", axis + 1, shape.rank(), shape);
    }
  }

  private static Kernel.Sync quantize(NodeSpec node) {
    Attrs attrs = node.attrs();
    String mode = attrs.string("mode");
    if (roundsToEven(attrs) && !mode.equals(SCALED)) {
      throw invalidArgument(
          "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '%s'.", mode);
    }
    QuantizedType type = QuantizedType.of(node.outputTypes().getFirst());
    return call -> quantize(call, attrs, type);
  }

  private static void quantize(KernelCall call, Attrs attrs, QuantizedType type) {
    long axis = attrs.integer("axis");
    Shape shape = call.input(0).shape();
    if (axis >= shape.rank()) {
      throw invalidArgument(
          "Axis is on a zero-based index, so its value must always be less than number of input's"
              + " dims, but given axis value was %d and input's dims was %d",
          axis, shape.rank());
    }
    QuantizationChannels layout = QuantizationChannels.of(shape, axis);
    checkBounds("min_range", call.input(1).shape(), axis, layout.channels());
    checkBounds("max_range", call.input(2).shape(), axis, layout.channels());
    String mode = attrs.string("mode");
    if (layout.channels() != 1 && mode.equals(MIN_FIRST)) {
      throw unimplemented("MIN_FIRST mode is not implemented for Quantize with axis != -1.");
    }
    float[] min = call.input(1).floats();
    float[] max = call.input(2).floats();
    float[] values = call.input(0).floats();
    Object integers = TensorLimit.allocate(type.dtype(), shape);
    for (int channel = 0; channel < min.length; channel++) {
      QuantizationRule rule = rule(attrs, type, min[channel], max[channel]);
      for (int block = 0; block < layout.blocks(); block++) {
        call.cancellation().check();
        int first = (block * layout.channels() + channel) * layout.width();
        for (int i = first; i < first + layout.width(); i++) {
          NumericElements.setInteger(integers, i, rule.integer(values[i]));
        }
      }
      min[channel] = rule.min();
      max[channel] = rule.max();
    }
    Shape bounds = layout.channels() == 1 ? Shape.SCALAR : call.input(1).shape();
    call.setOutput(0, Tensor.wrap(type.dtype(), shape, integers));
    call.setOutput(1, Tensor.wrap(DataType.FLOAT32, bounds, min));
    call.setOutput(2, Tensor.wrap(DataType.FLOAT32, bounds, max));
  }

  private static void checkBounds(String name, Shape bounds, long axis, int channels) {
    if (axis < 0 && bounds.elements() != 1) {
      throw invalidArgument(
          "If axis is not specified, %s must contain a single float element, but it contains %d"
              + " elements",
          name, bounds.elements());
    }
    if (axis < 0) {
      return;
    }
    String size =
        bounds.rank() == 1
            ? "is a 1-D tensor of size %d and input's axis dimension is of size %d"
                .formatted(bounds.size(0), channels)
            : "dims are %d".formatted(bounds.rank());
    if (!bounds.equals(Shape.of(channels))) {
      throw invalidArgument(
          "If axis is specified, %1$s must be a 1-D tensor whose size matches the axis dimension of"
              + " the input and output tensors, but %1$s %2$s",
          name, size);
    }
  }

  private static QuantizationRule rule(Attrs attrs, QuantizedType type, float min, float max) {
    if (max < min) {
      throw invalidArgument("input_max_range must be larger than input_min_range.");
    }
    float width = larger(1, larger(Math.abs(min), Math.abs(max)));
    float lower = smaller(0, min);
    float least = lower + width * attrs.floating("ensure_minimum_range");
    float upper = larger(0, larger(max, least));
    return switch (attrs.string("mode")) {
      case "MIN_COMBINED" -> QuantizationRule.combined(type, lower, upper);
      case MIN_FIRST -> QuantizationRule.minFirst(type, lower, upper);
      case SCALED ->
          QuantizationRule.scaled(
              type, lower, upper, attrs.bool("narrow_range"), roundsToEven(attrs));
      default -> throw invalidArgument("there is no mode %s", attrs.string("mode"));
    };
  }

  private static boolean roundsToEven(Attrs attrs) {
    return attrs.string("round_mode").equals("HALF_TO_EVEN");
  }

  /** The larger one; the first if either is NaN. */
  static float larger(float a, float b) {
    return a < b ? b : a;
  }

  /** The smaller one; the first if either is NaN. */
  static float smaller(float a, float b) {
    return b < a ? b : a;
  }
}
