package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/** Cases of Softmax and LogSoftmax: rows for one thread, for some, and for a block. */
final class SoftmaxCases {
  private final DataType dtype;
  private final TestValues values;
  private final List<WrittenCase> cases = new ArrayList<>();

  private SoftmaxCases(DataType dtype) {
    this.dtype = dtype;
    this.values = new TestValues(dtype.number());
  }

  /** The cases of a dtype. */
  static List<WrittenCase> of(DataType dtype) {
    SoftmaxCases all = new SoftmaxCases(dtype);
    all.add(all.values.numbers(dtype, Shape.of(7, 5), -10, 10));
    all.add(all.values.numbers(dtype, Shape.of(3, 70), -10, 10));
    all.add(all.values.numbers(dtype, Shape.of(301, 2), -1, 1));
    all.add(all.values.numbers(dtype, Shape.of(2, 1, 1030), -3, 3));
    all.add(all.values.numbers(dtype, Shape.of(1), 5, 6));
    all.add(all.special());
    all.add(all.steep());
    for (Shape shape : List.of(Shape.of(0, 3), Shape.of(3, 0), Shape.of())) {
      all.add(all.values.numbers(dtype, shape, 0, 1));
    }
    return all.cases;
  }

  private void add(Tensor logits) {
    cases.add(WrittenCase.of("Softmax", List.of(logits), "T", dtype).within(epsilon()));
    cases.add(WrittenCase.of("LogSoftmax", List.of(logits), "T", dtype).within(32 * epsilon()));
  }

  /** Half the distance of 1 from the next number; for double, the error of a long sum. */
  private double epsilon() {
    return switch (dtype) {
      case FLOAT64 -> 0x1p-46;
      case FLOAT16 -> 0x1p-11;
      case BFLOAT16 -> 0x1p-8;
      default -> 0x1p-24;
    };
  }

  /** Rows whose exponentials are infinite, unless all of a row know its largest element. */
  private Tensor steep() {
    Tensor rows = values.numbers(dtype, Shape.of(4, 70), -1, 1);
    Object array = dtype.kind().newArray(rows.elements());
    dtype.kind().copy(TensorMemory.array(rows), 0, array, 0, rows.elements());
    for (int row = 0; row < 4; row++) {
      TestValues.set(array, dtype, 70 * row + 7 * row + 1, 2000);
    }
    return Tensor.wrap(dtype, rows.shape(), array);
  }

  /** Rows with NaN, infinities, and numbers that are far apart. */
  private Tensor special() {
    double[] numbers = {
      Double.NaN,
      1,
      2,
      3,
      Double.POSITIVE_INFINITY,
      1,
      2,
      3,
      Double.NEGATIVE_INFINITY,
      1,
      2,
      3,
      Double.NEGATIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      1000,
      -1000,
      0,
      999
    };
    Object array = dtype.kind().newArray(numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      TestValues.set(array, dtype, i, numbers[i]);
    }
    return Tensor.wrap(dtype, Shape.of(numbers.length / 4, 4), array);
  }
}
