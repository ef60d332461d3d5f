package io.headrace.kernels.elementwise;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Arithmetic, comparison, casts, selection, activations, reductions and scans. */
public final class ElementwiseFamily {
  private ElementwiseFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            ActivationOps.OPS,
            AddNOps.ops(),
            ArgMaxOps.OPS,
            ArithmeticOps.OPS,
            AssertOps.ops(),
            BitcastOps.ops(),
            BitwiseOps.OPS,
            CastOps.OPS,
            CheckNumericsOps.ops(),
            ClipOps.OPS,
            CompareOps.OPS,
            ComplexOps.ops(),
            DequantizeOps.ops(),
            FakeQuantGradientOps.ops(),
            FakeQuantOps.ops(),
            IsFiniteOps.OPS,
            LogicalOps.OPS,
            QuantizeAndDequantizeOps.ops(),
            QuantizeV2Ops.ops(),
            ReductionOps.OPS,
            CumsumOps.OPS,
            SelectOps.OPS,
            UnaryMathOps.OPS,
            UnaryCompositionOps.ops(),
            ZerosLikeOps.OPS)
        .flatMap(List::stream)
        .toList();
  }
}
