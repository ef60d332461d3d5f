package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/** Cases of reductions: empty tensors, single elements, odd sizes, parts, all kinds of axes. */
final class ReductionCases {
  /** The input of one element more than {@link #LARGE} elements is cut into parts. */
  private static final int LARGE = 4096;

  private final DataType dtype;
  private final TestValues values;
  private final List<WrittenCase> cases = new ArrayList<>();

  private ReductionCases(DataType dtype) {
    this.dtype = dtype;
    this.values = new TestValues(dtype.number());
  }

  /** A shape and the axes that are reduced. */
  private record Axes(Shape shape, List<Integer> axes) {
    static Axes of(Shape shape, Integer... axes) {
      return new Axes(shape, List.of(axes));
    }

    Tensor tensor() {
      return Tensor.vector(axes.stream().mapToInt(Integer::intValue).toArray());
    }
  }

  private static final List<Axes> SHAPES =
      List.of(
          Axes.of(Shape.of(1), 0),
          Axes.of(Shape.of()),
          Axes.of(Shape.of(7, 5), 1),
          Axes.of(Shape.of(7, 5), 0),
          Axes.of(Shape.of(3, 70), -1),
          Axes.of(Shape.of(300), 0),
          Axes.of(Shape.of(LARGE + 1), 0),
          Axes.of(Shape.of(3, 4, 5, 6), 0, 2),
          Axes.of(Shape.of(3, 4, 5, 6), 1, 3),
          Axes.of(Shape.of(2, 3, 2, 3, 2, 3, 2), 1, 3, 5),
          Axes.of(Shape.of(2, 3, 2, 3, 2, 3), 0, 2, 4),
          Axes.of(Shape.of(2, 2, 2, 2, 2, 2, 3), 0, 2, 4, 6),
          Axes.of(Shape.of(4, 3)),
          Axes.of(Shape.of(0, 3), 0),
          Axes.of(Shape.of(3, 0), 0),
          Axes.of(Shape.of(3, 2), 2),
          Axes.of(Shape.of(3, 2), 1, -1));

  /** Axes for results whose sign tells the order of zeros. */
  private static final List<Axes> ZEROS =
      List.of(
          Axes.of(Shape.of(7, 5), 1),
          Axes.of(Shape.of(3, 70), -1),
          Axes.of(Shape.of(3, 4, 5, 6), 0, 2));

  /** The cases of a dtype. */
  static List<WrittenCase> of(DataType dtype) {
    ReductionCases all = new ReductionCases(dtype);
    for (Axes one : SHAPES) {
      if (dtype == DataType.BOOL) {
        all.logical(one);
      } else {
        all.numeric(one);
      }
    }
    all.arguments();
    return all.cases;
  }

  private void logical(Axes one) {
    for (String op : List.of("All", "Any")) {
      Tensor x = values.tensor(dtype, one.shape);
      cases.add(WrittenCase.of(op, List.of(x, one.tensor())));
      Tensor same = Tensor.wrap(dtype, one.shape, new byte[one.shape.elements()]);
      cases.add(WrittenCase.of(op, List.of(same, one.tensor()), "keep_dims", true));
    }
  }

  private void numeric(Axes one) {
    boolean isUnsigned = dtype.isUnsigned();
    Tensor x = values.numbers(dtype, one.shape, isUnsigned ? 0 : -100, 120);
    sum("Sum", x, one, false);
    if (dtype != DataType.UINT64) { // whose mean is the CPU's
      sum("Mean", x, one, true);
    }
    Tensor factors = values.numbers(dtype, one.shape, 0.97, 1.03);
    double steps = dtype == DataType.FLOAT32 ? one.shape.elements() + 1 : 1;
    cases.add(reduce("Prod", factors, one, false).within(tolerance(one, 1.5) * steps));
    cases.add(reduce("Max", x, one, true).within(0));
    if (dtype.isFloating() && ZEROS.contains(one)) {
      sum("Sum", withNan(x), one, false);
      cases.add(reduce("Max", zeros(one.shape), one, true));
      cases.add(reduce("Min", zeros(one.shape), one, true));
    }
    cases.add(reduce("Min", withNan(x), one, false).within(0));
    cases.add(reduce("Max", withNan(x), one, false).within(0));
    cases.add(reduce("Min", x, one, true).within(0));
  }

  private void sum(String op, Tensor x, Axes one, boolean keepsDims) {
    double terms = op.equals("Sum") ? 120 * Math.max(1, one.shape.elements()) : 120;
    cases.add(reduce(op, x, one, keepsDims).within(tolerance(one, terms)));
  }

  /** The bound of docs/ops.md for terms of this sum. */
  private double tolerance(Axes one, double sumOfTerms) {
    double count = one.shape.elements() + 1;
    return switch (dtype) {
      case FLOAT64 -> 0x1p-52 * count * sumOfTerms;
      case FLOAT16 -> 0x1p-11 * sumOfTerms;
      case BFLOAT16 -> 0x1p-8 * sumOfTerms;
      default -> 0x1p-23 * sumOfTerms;
    };
  }

  private WrittenCase reduce(String op, Tensor x, Axes one, boolean keepsDims) {
    return WrittenCase.of(op, List.of(x, one.tensor()), "T", dtype, "keep_dims", keepsDims);
  }

  /** The same with NaN in the middle, if the dtype has it, and zeros of both signs. */
  private Tensor withNan(Tensor x) {
    int n = x.elements();
    if (!dtype.isFloating() || n < 4) {
      return x;
    }
    Object array = dtype.kind().newArray(n);
    dtype.kind().copy(TensorMemory.array(x), TensorMemory.offset(x), array, 0, n);
    TestValues.set(array, dtype, n / 2, Double.NaN);
    TestValues.set(array, dtype, 0, 0.0);
    TestValues.set(array, dtype, 1, -0.0);
    return Tensor.wrap(dtype, x.shape(), array);
  }

  /** Zeros of both signs, mixed along each axis. */
  private Tensor zeros(Shape shape) {
    Object array = dtype.kind().newArray(shape.elements());
    for (int i = 0; i < shape.elements(); i++) {
      TestValues.set(array, dtype, i, Integer.bitCount(i) % 2 == 0 ? 0.0 : -0.0);
    }
    return Tensor.wrap(dtype, shape, array);
  }

  private void arguments() {
    for (String op : List.of("ArgMax", "ArgMin")) {
      for (Axes one :
          List.of(
              Axes.of(Shape.of(7, 5), 1),
              Axes.of(Shape.of(7, 5), 0),
              Axes.of(Shape.of(300), 0),
              Axes.of(Shape.of(2, 70, 3), 1),
              Axes.of(Shape.of(1), -1),
              Axes.of(Shape.of(3, 0), 1),
              Axes.of(Shape.of(3, 0), 0),
              Axes.of(Shape.of(3), 1))) {
        Tensor x =
            dtype == DataType.BOOL
                ? values.tensor(dtype, one.shape)
                : values.numbers(dtype, one.shape, 0, 9);
        argument(op, x, one.axes.getFirst(), DataType.INT64);
        argument(op, withNan(x), one.axes.getFirst(), DataType.INT32);
      }
    }
    if (dtype.isFloating()) {
      Tensor nan = values.numbers(dtype, Shape.of(40), Double.NaN, Double.NaN);
      Tensor some = numbersAfterNan();
      argument("ArgMax", some, 1, DataType.INT64);
      argument("ArgMin", some, 1, DataType.INT32);
      argument("ArgMax", nan, 0, DataType.INT64);
      argument("ArgMax", nan, 0, DataType.INT16);
    }
  }

  /** Rows of which each eighth element, from the first on, is NaN. */
  private Tensor numbersAfterNan() {
    Tensor numbers = values.numbers(dtype, Shape.of(2, 72), 0, 9);
    Object array = dtype.kind().newArray(numbers.elements());
    dtype.kind().copy(TensorMemory.array(numbers), 0, array, 0, numbers.elements());
    for (int i = 0; i < numbers.elements(); i += 8) {
      TestValues.set(array, dtype, i, Double.NaN);
    }
    return Tensor.wrap(dtype, numbers.shape(), array);
  }

  private void argument(String op, Tensor x, int axis, DataType output) {
    cases.add(
        WrittenCase.of(op, List.of(x, Tensor.scalar(axis)), "T", dtype, "output_type", output));
  }
}
