package io.headrace.kernels.elementwise;

import static io.headrace.kernels.kit.ElementwiseDeclarations.binary;
import static io.headrace.kernels.kit.ElementwiseDeclarations.unary;

import io.headrace.runtime.expression.Expression;
import io.headrace.runtime.expression.ScalarOperation;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import java.util.List;

/** BitwiseAnd, BitwiseOr, BitwiseXor, Invert, LeftShift, RightShift and PopulationCount. */
final class BitwiseOps {
  static final List<Op> OPS =
      List.of(
          binary("BitwiseAnd", "integer", Expression::and),
          binary("BitwiseOr", "integer", Expression::or),
          binary("BitwiseXor", "integer", (x, y) -> x.apply(ScalarOperation.XOR, y)),
          unary("Invert", "integer", x -> x.apply(ScalarOperation.INVERT)),
          binary("LeftShift", "integer", (x, y) -> x.apply(ScalarOperation.SHIFT_LEFT, y)),
          binary("RightShift", "integer", (x, y) -> x.apply(ScalarOperation.SHIFT_RIGHT, y)),
          Op.define("PopulationCount(x: T) -> y: uint8")
              .attrs("T: integer")
              .scalar((in, _) -> populationCount(in.getFirst())));

  private BitwiseOps() {}

  /** The number of set bits: those of pairs, of fours and of bytes, then the sum of the bytes. */
  private static Expression populationCount(Expression x) {
    Expression bits = x.convert(unsigned(x.dtype())).convert(DataType.UINT64);
    Expression pairs = bits.sub(masked(shifted(bits, 1), 0x5555555555555555L));
    Expression fours =
        masked(pairs, 0x3333333333333333L).add(masked(shifted(pairs, 2), 0x3333333333333333L));
    Expression bytes = masked(fours.add(shifted(fours, 4)), 0x0f0f0f0f0f0f0f0fL);
    return shifted(bytes.mul(constant(0x0101010101010101L)), 56).convert(DataType.UINT8);
  }

  private static DataType unsigned(DataType dtype) {
    return switch (dtype) {
      case INT8 -> DataType.UINT8;
      case INT16 -> DataType.UINT16;
      case INT32 -> DataType.UINT32;
      case INT64 -> DataType.UINT64;
      default -> dtype;
    };
  }

  private static Expression shifted(Expression bits, long distance) {
    return bits.apply(ScalarOperation.SHIFT_RIGHT, constant(distance));
  }

  private static Expression masked(Expression bits, long mask) {
    return bits.and(constant(mask));
  }

  private static Expression constant(long bits) {
    return Expression.constant(DataType.UINT64, bits);
  }
}
