package io.headrace.kernels.elementwise;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.variant.VariantMath;
import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/** ZerosLike and OnesLike: a tensor of zeros or ones with the shape and dtype of another. */
final class ZerosLikeOps {
  static final List<Op> OPS =
      List.of(
          Op.define("ZerosLike(x: T) -> y: T")
              .attrs("T: {number, bool, string, variant}")
              .shape(ShapeFunctions.SAME)
              .scalarWhere(
                  attrs -> Expression.isScalar(attrs.type("T")), (in, _) -> in.getFirst().same(0))
              .kernel(ZerosLikeOps::zerosLike),
          Op.define("OnesLike(x: T) -> y: T")
              .attrs("T: {number, bool}")
              .scalar((in, _) -> in.getFirst().same(1)));

  private ZerosLikeOps() {}

  /** Zeros of dtypes without scalar expressions: empty strings. */
  private static boolean zeros(Rows rows) {
    DataType dtype = rows.dtype(0);
    rows.set(0, dtype, rows.shape(0), rows.allocateZeros(dtype, rows.shape(0)));
    return true;
  }

  private static Kernel.Sync zerosLike(NodeSpec node) {
    return node.attrs().type("T") == DataType.VARIANT
        ? VariantMath::zerosLike
        : RowKernel.of(ZerosLikeOps::zeros).create(node);
  }
}
