package io.headrace.kernels.nn;

import static io.headrace.runtime.expression.Expression.select;
import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;
import java.util.stream.Collectors;

/**
 * DataFormatDimMap and DataFormatVecPermute: the axes of one data format in another, and numbers
 * for each axis in its order.
 */
final class DataFormatOps {
  private static final String[] ATTRS = {
    "T: {int32, int64} = int32", "src_format: string = \"NHWC\"", "dst_format: string = \"NCHW\""
  };

  private DataFormatOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DataFormatDimMap(x: T) -> y: T")
            .attrs(ATTRS)
            .scalar((in, attrs) -> mapped(in.getFirst(), Formats.of(attrs))),
        Op.define("DataFormatVecPermute(x: T) -> y: T")
            .attrs(ATTRS)
            .shape(ShapeFunctions.SAME)
            .kernel(DataFormatOps::permute));
  }

  /** Axis x of the source in the destination; what is no axis counts as the last one. */
  private static Expression mapped(Expression x, Formats formats) {
    int axes = formats.source.length();
    Expression axis = x.add(x.same(axes)).apply(ScalarOperation.MOD, x.same(axes));
    Expression result = x.same(formats.target(axes - 1));
    for (int i = axes - 2; i >= 0; i--) {
      result = select(axis.equalTo(x.same(i)), x.same(formats.target(i)), result);
    }
    return result;
  }

  /** Two data formats of the same axes. */
  private record Formats(String source, String destination) {
    static Formats of(Attrs attrs) {
      String source = attrs.string("src_format");
      String destination = attrs.string("dst_format");
      if (source.length() != 4 && source.length() != 5) {
        throw invalidArgument(
            "Source format must be of length 4 or 5, received src_format = %s", source);
      }
      if (destination.length() != 4 && destination.length() != 5) {
        throw invalidArgument(
            "Destination format must be of length 4 or 5, received dst_format = %s", destination);
      }
      String sorted = sorted(source);
      boolean isPermutation =
          sorted.equals(sorted(destination))
              && source.chars().distinct().count() == sorted.length();
      if (!isPermutation) {
        throw invalidArgument(
            "Destination and source format must determine a permutation, got %s and %s",
            source, destination);
      }
      return new Formats(source, destination);
    }

    private static String sorted(String format) {
      return format.chars().sorted().mapToObj(Character::toString).collect(Collectors.joining());
    }

    /** The place in the destination of axis {@code index} of the source. */
    int target(int index) {
      return destination.indexOf(source.charAt(index));
    }

    /** The formats less the batch and the channels. */
    Formats spatial() {
      String axes = source.length() == 5 ? "[^DHW]" : "[^HW]";
      Formats spatial = new Formats(source.replaceAll(axes, ""), destination.replaceAll(axes, ""));
      if (spatial.source.length() != source.length() - 2) {
        String needed = source.length() == 5 ? "D, H and W" : "H and W";
        throw invalidArgument("Format specifier must contain %s for 2D case", needed);
      }
      return spatial;
    }
  }

  private static Kernel.Sync permute(NodeSpec node) {
    Formats formats = Formats.of(node.attrs());
    return call -> {
      Tensor input = call.input(0);
      Shape shape = input.shape();
      check(shape, formats.source.length());
      Formats used = shape.size(0) == formats.source.length() ? formats : formats.spatial();
      Object out = input.dtype().kind().newArray(input.elements());
      int width = input.elements() / (int) shape.size(0);
      for (int i = 0; i < shape.size(0); i++) {
        int from = TensorMemory.offset(input) + i * width;
        input
            .dtype()
            .kind()
            .copy(TensorMemory.array(input), from, out, used.target(i) * width, width);
      }
      call.setOutput(0, Tensor.wrap(input.dtype(), shape, out));
    };
  }

  private static void check(Shape shape, int axes) {
    if (shape.rank() != 1 && shape.rank() != 2) {
      throw invalidArgument("input must be a vector or 2D tensor, but got shape %s", shape);
    }
    boolean fits = shape.size(0) == axes || shape.size(0) == axes - 2;
    if (shape.rank() == 1 && !fits) {
      throw invalidArgument(
          "1D input must be of size %d or %d, but got shape %s", axes - 2, axes, shape);
    }
    if (!fits) {
      throw invalidArgument(
          "First dimension of 2D input must be of size %d or %d, but got shape %s",
          axes - 2, axes, shape);
    }
    if (shape.rank() == 2 && shape.size(1) != 2) {
      throw invalidArgument(
          "Second dimension of 2D input must be of size 2, but got shape %s", shape);
    }
  }
}
