package io.headrace.kernels.elementwise;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Arithmetic, comparison, casts, selection, reductions and scans. */
public final class ElementwiseFamily {
  private ElementwiseFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            AddNOps.ops(),
            ArgOps.OPS,
            ArithmeticOps.OPS,
            AssertionOps.ops(),
            BitcastOps.ops(),
            CastOps.OPS,
            CompareOps.OPS,
            ComplexOps.ops(),
            FakeQuantOps.ops(),
            GradientOps.OPS,
            LogicalOps.OPS,
            UnaryMathOps.OPS,
            QuantizeDequantizeOps.ops(),
            ReductionOps.OPS,
            ScanOps.OPS,
            SelectOps.OPS,
            UnaryRules.ops())
        .flatMap(List::stream)
        .toList();
  }
}
