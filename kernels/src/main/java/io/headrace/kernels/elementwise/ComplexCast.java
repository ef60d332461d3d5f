package io.headrace.kernels.elementwise;

import io.headrace.kernels.kit.Accumulators;
import io.headrace.runtime.elementwise.ElementwiseKernel;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Casts from and to complex dtypes. A cast to a real dtype drops the imaginary part; a cast from a
 * real dtype sets it to 0. Thread-safe.
 */
final class ComplexCast implements UnaryOperator<Tensor> {
  private final DataType from;
  private final DataType to;

  /** Casts the real or imaginary part of {@code from} to that of {@code to}. */
  private final ElementwiseKernel part;

  ComplexCast(DataType from, DataType to) {
    this.from = from;
    this.to = to;
    DataType fromPart = partOf(from);
    this.part =
        ElementwiseKernel.of(
            new Expression.Input(0, fromPart).convert(partOf(to)), List.of(fromPart));
  }

  /** Whether one dtype is complex and the other is complex or has scalar expressions. */
  static boolean covers(DataType from, DataType to) {
    return (isComplex(from) || isComplex(to))
        && Expression.isScalar(partOf(from))
        && Expression.isScalar(partOf(to));
  }

  private static boolean isComplex(DataType dtype) {
    return dtype == DataType.COMPLEX64 || dtype == DataType.COMPLEX128;
  }

  private static DataType partOf(DataType dtype) {
    return switch (dtype) {
      case COMPLEX64 -> DataType.FLOAT32;
      case COMPLEX128 -> DataType.FLOAT64;
      default -> dtype;
    };
  }

  @Override
  public Tensor apply(Tensor input) {
    Tensor real = cast(input, 0);
    if (!isComplex(to)) {
      return real;
    }
    TensorLimit.check(to, input.shape());
    Object re = real.detach().array();
    Object im =
        isComplex(from)
            ? cast(input, 1).detach().array()
            : Accumulators.newArray(to, input.elements());
    return Tensor.of(to, input.shape(), Accumulators.join(re, im));
  }

  /** The real (0) or imaginary (1) parts of {@code input}, cast to the part type of the target. */
  private Tensor cast(Tensor input, int which) {
    Tensor parts =
        isComplex(from)
            ? Tensor.of(partOf(from), input.shape(), Accumulators.part(input, which))
            : input;
    return partOf(from) == partOf(to) ? parts : part.apply(parts);
  }
}
