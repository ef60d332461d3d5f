package io.headrace.kernels.elementwise;

import static io.headrace.runtime.tensor.DataType.BOOL;
import static io.headrace.runtime.tensor.DataType.COMPLEX128;
import static io.headrace.runtime.tensor.DataType.FLOAT32;
import static io.headrace.runtime.tensor.DataType.FLOAT64;
import static io.headrace.runtime.tensor.DataType.INT32;
import static io.headrace.runtime.tensor.DataType.INT64;
import static io.headrace.runtime.tensor.DataType.UINT64;

import io.headrace.kernels.kit.DataTypeLimits;
import io.headrace.kernels.kit.ReductionAxes;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.BitSet;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/** Reductions along axes: Sum, Mean, Prod, Max, Min, EuclideanNorm, All and Any. */
public final class ReductionOps {
  private static final String WIDE_SUMS =
      "Floats are added up in double precision: more exact than TensorFlow's sums, and of halfs"
          + " they do not overflow on the way.";

  static final List<Op> OPS =
      List.of(
          numeric("Sum", "number", WIDE_SUMS, ReductionOps::sum),
          numeric("Mean", "number", WIDE_SUMS, ReductionOps::mean),
          numeric("Prod", "number", "", ReductionOps::product),
          numeric(
              "Max",
              "real",
              "",
              dtype -> extremum(dtype, Expression::max, DataTypeLimits.lowest(dtype))),
          numeric(
              "Min",
              "real",
              "",
              dtype -> extremum(dtype, Expression::min, DataTypeLimits.highest(dtype))),
          declared("EuclideanNorm", "number").remark(WIDE_SUMS).kernel(kernel(ReductionOps::norm)),
          logical("All", Expression::and, 1),
          logical("Any", Expression::or, 0));

  private ReductionOps() {}

  private static Op numeric(
      String name, String types, String remark, Function<DataType, Reduction> reduction) {
    return declared(name, types)
        .remark(remark)
        .runsOnGpu("reduction_indices")
        .kernel(kernel(reduction));
  }

  private static Op.KernelMaker kernel(Function<DataType, Reduction> reduction) {
    return RowKernel.made(node ->
        body(reduction.apply(node.inputTypes().getFirst()), node.attrs().bool("keep_dims")));
  }

  private static Op.Builder declared(String name, String types) {
    return Op.define(name + "(input: T, reduction_indices: Tidx) -> output: T")
        .attrs("keep_dims: bool = false", "T: " + types, "Tidx: {int32, int64} = int32")
        .shape(ReductionAxes::shape);
  }

  private static Op logical(String name, BinaryOperator<Expression> combine, long identity) {
    Expression.Constant none = new Expression.Constant(BOOL, identity);
    return Op.define(name + "(input: bool, reduction_indices: Tidx) -> output: bool")
        .attrs("keep_dims: bool = false", "Tidx: {int32, int64} = int32")
        .shape(ReductionAxes::shape)
        .runsOnGpu("reduction_indices")
        .kernel(
            RowKernel.made(node ->
                body(
                    new Reduction(BOOL, combine, none, (total, _) -> total),
                    node.attrs().bool("keep_dims"))));
  }

  private static RowKernel.Body body(Reduction reduction, boolean keep) {
    return rows -> reduce(rows, reduction, keep);
  }

  private static boolean reduce(Rows rows, Reduction reduction, boolean keep) {
    Tensor indices = rows.same(1);
    if (indices == null) {
      return false;
    }
    BitSet axes = ReductionAxes.of(indices, rows.shape(0));
    Shape output = ReductionAxes.reduced(rows.shape(0), axes, keep);
    if (rows.varies(0)) {
      axes = shifted(axes);
      rows.set(0, reduction.run(rows.all(0), axes, rows.withRows(output), rows.cancellation()));
    } else {
      rows.setSame(0, reduction.run(rows.all(0), axes, output, rows.cancellation()));
    }
    return true;
  }

  /** {@code axes} shifted by a leading row dimension. */
  private static BitSet shifted(BitSet axes) {
    BitSet shifted = new BitSet();
    axes.stream().forEach(axis -> shifted.set(axis + 1));
    return shifted;
  }

  /** The sum of elements of {@code dtype}; floats accumulate in float64. */
  public static Reduction sum(DataType dtype) {
    return new Reduction(
        dtype,
        Expression::add,
        Expression.constant(sumType(dtype), 0L),
        (total, _) -> total.convert(dtype));
  }

  private static DataType sumType(DataType dtype) {
    if (dtype.isFloating()) {
      return FLOAT64;
    }
    if (dtype.isComplex()) {
      return COMPLEX128;
    }
    return dtype == INT64 || dtype == UINT64 ? dtype : INT32;
  }

  private static Reduction mean(DataType dtype) {
    if (dtype.isComplex()) {
      return complexMean(dtype);
    }
    DataType wide = dtype.isFloating() ? FLOAT64 : dtype == UINT64 ? UINT64 : INT64;
    return new Reduction(
        dtype,
        Expression::add,
        Expression.constant(wide, 0L),
        (total, count) -> {
          Expression number = wide == FLOAT64 ? count : count.max(count.same(1));
          return total.div(number).convert(dtype);
        });
  }

  /** The mean of complex numbers; 0 of none. */
  private static Reduction complexMean(DataType dtype) {
    return new Reduction(
        dtype,
        Expression::add,
        Expression.constant(COMPLEX128, 0L),
        (total, count) -> {
          Expression number = count.real().max(count.real().same(1));
          return new Expression.Pair(total.real().div(number), total.imaginary().div(number))
              .convert(dtype);
        });
  }

  /** Sums of squares of integers are reduced to the integer dtype, where they may wrap around. */
  private static Reduction norm(DataType dtype) {
    return new Reduction(
        dtype,
        x -> x.mul(x.conjugate()),
        Expression::add,
        Expression.constant(sumType(dtype), 0L),
        (total, _) -> {
          Expression squares = dtype.isInteger() ? total.convert(dtype) : total;
          return squares.convert(FLOAT64).apply(ScalarOperation.SQRT).convert(dtype);
        });
  }

  private static Reduction product(DataType dtype) {
    DataType wide = dtype.isFloating() && dtype != FLOAT64 ? FLOAT32 : dtype;
    return new Reduction(
        dtype, Expression::mul, Expression.constant(wide, 1L), (total, _) -> total.convert(dtype));
  }

  private static Reduction extremum(
      DataType dtype, BinaryOperator<Expression> combine, Expression.Constant none) {
    return new Reduction(dtype, combine, none, (total, _) -> total);
  }
}
