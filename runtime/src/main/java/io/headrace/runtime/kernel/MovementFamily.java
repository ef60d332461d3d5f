package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/**
 * Ops that move, join, cut, count and choose elements: Concat, Split, Slice, Pad, Gather,
 * Transpose.
 */
public final class MovementFamily {
  private MovementFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            BatchSpaceOps.ops(),
            CountingOps.ops(),
            FillOps.ops(),
            GatherNdOps.ops(),
            GatherOps.ops(),
            GradientShapeOps.ops(),
            InTopKOps.ops(),
            JoiningOps.ops(),
            LayoutOps.ops(),
            PadOps.ops(),
            PartingOps.ops(),
            PartitionOps.ops(),
            PassingOps.ops(),
            ScatterOps.ops(),
            SearchOps.ops(),
            SegmentOps.ops(),
            SequenceOps.ops(),
            ShapeOps.ops(),
            ShapeQueryOps.ops(),
            ShiftOps.ops(),
            SliceOps.ops(),
            TopKOps.ops(),
            UniqueOps.ops(),
            WhereOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
