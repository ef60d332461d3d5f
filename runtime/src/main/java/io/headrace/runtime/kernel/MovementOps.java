package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** The ops that move elements and do not look at them, by family. */
final class MovementOps {
  private MovementOps() {}

  static List<Op> ops() {
    return Stream.of(
            PassingOps.ops(),
            ShapeOps.ops(),
            ShapeQueryOps.ops(),
            SliceOps.ops(),
            JoiningOps.ops(),
            PartingOps.ops(),
            GatherOps.ops(),
            GatherNdOps.ops(),
            ScatterOps.ops(),
            LayoutOps.ops(),
            ShiftOps.ops(),
            PadOps.ops(),
            FillOps.ops(),
            SequenceOps.ops(),
            BitOps.ops(),
            MatrixDiagonalOps.ops(),
            MatrixLayoutOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
