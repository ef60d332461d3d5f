package io.headrace.gpu.kernels;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * Cases of Softmax, LogSoftmax and the cross-entropies: rows for one thread, for some, and for a
 * block.
 */
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
    Tensor probabilities = probabilities(logits.shape());
    cases.add(
        WrittenCase.of("SoftmaxCrossEntropyWithLogits", List.of(logits, probabilities), "T", dtype)
            .within(dtype == DataType.FLOAT64 ? errorOfSums(logits) : 64 * epsilon()));
    int rows = logits.shape().rank() == 0 ? 0 : (int) logits.shape().size(0);
    int classes = logits.shape().rank() < 2 ? 1 : (int) logits.shape().size(1);
    addSparse(logits, labels(rows, Math.max(1, classes)), DataType.INT64);
    addSparse(logits, labels(rows, Math.max(1, classes)), DataType.INT32);
    addSparse(logits, labels(rows, classes + 1), DataType.INT64);
    addSparse(logits, labels(rows + 1, Math.max(1, classes)), DataType.INT64);
  }

  /** A bound on the error of a sum of products of logits with numbers up to 1. */
  private static double errorOfSums(Tensor logits) {
    double largest = 1;
    for (int i = 0; i < logits.elements(); i++) {
      double size = Math.abs(TestValues.number(logits, i));
      largest = size < Double.POSITIVE_INFINITY ? Math.max(largest, size) : largest;
    }
    int width = logits.shape().rank() < 2 ? 1 : (int) logits.shape().size(1);
    return 0x1p-53 * width * width * largest;
  }

  private void addSparse(Tensor logits, Tensor labels, DataType labelType) {
    Tensor cast = TestValues.cast(labels, labelType);
    cases.add(
        WrittenCase.of(
                "SparseSoftmaxCrossEntropyWithLogits",
                List.of(logits, cast),
                "T",
                dtype,
                "Tlabels",
                labelType)
            .within(64 * epsilon()));
  }

  /** Numbers from 0 to 1, some of them 0. */
  private Tensor probabilities(Shape shape) {
    Tensor all = values.numbers(dtype, shape, -0.5, 1);
    Object array = dtype.kind().newArray(all.elements());
    for (int i = 0; i < all.elements(); i++) {
      TestValues.set(array, dtype, i, Math.max(0, TestValues.number(all, i)));
    }
    return Tensor.wrap(dtype, shape, array);
  }

  /** As many labels, the last of them the largest. */
  private static Tensor labels(int count, int classes) {
    long[] labels = new long[count];
    for (int i = 0; i < count; i++) {
      labels[i] = (classes - 1 + (count - 1 - i) * 3L) % classes;
    }
    return Tensor.vector(labels);
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
