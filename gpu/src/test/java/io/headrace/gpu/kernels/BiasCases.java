package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Cases of BiasAdd, BiasAddV1 and BiasAddGrad: channels first and last, and wrong shapes. */
final class BiasCases {
  private static final List<Shape> SHAPES =
      List.of(
          Shape.of(7, 5),
          Shape.of(3, 1),
          Shape.of(2, 3, 4),
          Shape.of(2, 3, 4, 5),
          Shape.of(1, 70, 3, 2),
          Shape.of(0, 3),
          Shape.of(3, 0),
          Shape.of(4));

  private final DataType dtype;
  private final TestValues values;
  private final List<WrittenCase> cases = new ArrayList<>();

  private BiasCases(DataType dtype) {
    this.dtype = dtype;
    this.values = new TestValues(dtype.number());
  }

  /** The cases of a dtype. */
  static List<WrittenCase> of(DataType dtype) {
    BiasCases all = new BiasCases(dtype);
    for (Shape shape : SHAPES) {
      all.add(shape, "NHWC");
      all.add(shape, "NCHW");
    }
    Tensor matrix = all.numbers(Shape.of(7, 5));
    all.addBias("BiasAddV1", matrix, all.numbers(Shape.of(5)));
    all.addBias("BiasAddV1", matrix, all.numbers(Shape.of(1)));
    all.addBias("BiasAddV1", matrix, all.numbers(Shape.of(1, 5)));
    return all.cases;
  }

  private void add(Shape shape, String format) {
    Tensor x = numbers(shape);
    int axis = format.equals("NCHW") ? Math.min(1, shape.rank() - 1) : shape.rank() - 1;
    addBias("BiasAdd", x, numbers(Shape.of(shape.size(axis))), "data_format", format);
    cases.add(
        WrittenCase.of("BiasAddGrad", List.of(x), "T", dtype, "data_format", format)
            .within(tolerance(shape.elements())));
  }

  private void addBias(String op, Tensor value, Tensor bias, Object... attrs) {
    List<Object> all = new ArrayList<>(List.of("T", dtype));
    all.addAll(List.of(attrs));
    cases.add(WrittenCase.of(op, List.of(value, bias), all.toArray()));
  }

  private Tensor numbers(Shape shape) {
    return values.numbers(dtype, shape, dtype.isUnsigned() ? 0 : -100, 120);
  }

  /** The bound of docs/ops.md for a sum of {@code terms} terms. */
  private double tolerance(int terms) {
    double sum = 120.0 * Math.max(1, terms);
    return switch (dtype) {
      case FLOAT64 -> 0x1p-52 * (terms + 1) * sum;
      case FLOAT16 -> 0x1p-11 * sum;
      case BFLOAT16 -> 0x1p-8 * sum;
      default -> 0x1p-23 * sum;
    };
  }
}
