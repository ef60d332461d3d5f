package io.headrace.kernels.elementwise;

import static io.headrace.runtime.status.StatusException.invalidArgument;
import static io.headrace.runtime.status.StatusException.unimplemented;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** Dequantize: integers of a quantized dtype as floats, the inverse of {@link QuantizeV2Ops}. */
final class DequantizeOps {
  private static final String MIN_FIRST = "MIN_FIRST";

  private DequantizeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Dequantize(input: T, min_range: float, max_range: float) -> output: dtype")
            .attrs(
                QuantizedType.ATTR,
                "mode: string = \"MIN_COMBINED\"",
                "narrow_range: bool = false",
                "axis: int = -1",
                "dtype: {bfloat16, float} = float")
            .remark(
                "On processors on which TensorFlow calls oneDNN, the mode SCALED without an axis"
                    + " takes only 8 bits there, ignores narrow_range for quint8, and has bfloat16;"
                    + " elsewhere the sign of qint32's 64 highest integers is lost there.")
            .shape(in -> List.of(QuantizeV2Ops.rule(in).getFirst()))
            .kernel(DequantizeOps::dequantize));
  }

  private static Kernel.Sync dequantize(NodeSpec node) {
    Attrs attrs = node.attrs();
    DataType dtype = node.outputTypes().getFirst();
    String mode = attrs.string("mode");
    QuantizedType type = QuantizedType.of(node.inputTypes().getFirst());
    if (dtype == DataType.BFLOAT16 && !mode.equals("MIN_COMBINED")) {
      throw invalidArgument(
          "When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '%s'", mode);
    }
    return call -> call.setOutput(0, dequantize(call, attrs, type, dtype));
  }

  private static Tensor dequantize(
      KernelCall call, Attrs attrs, QuantizedType type, DataType dtype) {
    long axis = attrs.integer("axis");
    Tensor input = call.input(0);
    Shape shape = input.shape();
    if (axis >= shape.rank()) {
      throw invalidArgument(
          "Axis must be less than input dimension(%d), got %d", shape.rank(), axis);
    }
    QuantizationChannels layout = QuantizationChannels.of(shape, axis);
    checkBounds("input_min_tensor", call.input(1), axis, layout.channels());
    checkBounds("input_max_tensor", call.input(2), axis, layout.channels());
    if (layout.channels() != 1 && attrs.string("mode").equals(MIN_FIRST)) {
      throw unimplemented("MIN_FIRST mode is not implemented for Dequantize with axis != -1.");
    }
    float[] min = call.input(1).floats();
    float[] max = call.input(2).floats();
    Object integers = TensorMemory.array(input);
    Object floats = TensorLimit.allocate(dtype, shape);
    for (int channel = 0; channel < min.length; channel++) {
      Line line = line(attrs, type, min[channel], max[channel]);
      for (int block = 0; block < layout.blocks(); block++) {
        call.cancellation().check();
        int first = (block * layout.channels() + channel) * layout.width();
        for (int i = first; i < first + layout.width(); i++) {
          long integer =
              NumericElements.integer(type.dtype(), integers, TensorMemory.offset(input) + i);
          NumericElements.setFloating(dtype, floats, i, line.at(integer));
        }
      }
    }
    return Tensor.wrap(dtype, shape, floats);
  }

  private static void checkBounds(String name, Tensor bounds, long axis, int channels) {
    if (bounds.elements() != channels) {
      throw invalidArgument(
          "%s must have as many elements as input on the dequantization axis (%d), got %d,"
              + " expected %d",
          name, axis, bounds.elements(), channels);
    }
    if (channels != 1 && bounds.shape().rank() != 1) {
      throw invalidArgument("%s must be a vector and has shape %s", name, bounds.shape());
    }
  }

  private static Line line(Attrs attrs, QuantizedType type, float min, float max) {
    return switch (attrs.string("mode")) {
      case "MIN_COMBINED" -> new Line(type.zero(), (max - min) / (float) type.steps(), min);
      case MIN_FIRST -> minFirst(type, min, max);
      case "SCALED" -> new Line(0, scale(attrs, type, min, max), -0f);
      default -> throw invalidArgument("there is no mode %s", attrs.string("mode"));
    };
  }

  private static Line minFirst(QuantizedType type, float min, float max) {
    float scale = (float) ((max - min) / type.steps());
    float rounded = max == min ? min : QuantizationRule.rounded(min / scale) * scale;
    return new Line(0, scale, rounded - type.lowest() * scale);
  }

  private static float scale(Attrs attrs, QuantizedType type, float min, float max) {
    float fromMax = max / type.highest();
    int lowest = type.lowest(attrs.bool("narrow_range"));
    return type.lowest() == 0 ? fromMax : QuantizeV2Ops.larger(min / lowest, fromMax);
  }

  /**
   * The line on which the floats are.
   *
   * @param zero added to an integer
   * @param scale floats per integer
   * @param first added to the multiple of the scale; -0 leaves the sign of a zero
   */
  private record Line(float zero, float scale, float first) {
    float at(long integer) {
      return (integer + zero) * scale + first;
    }
  }
}
