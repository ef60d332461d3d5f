package io.headrace.kernels.movement;

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
            BincountOps.ops(),
            FillOps.ops(),
            GatherNdOps.ops(),
            GatherOps.ops(),
            BroadcastGradientArgsOps.ops(),
            InTopKOps.ops(),
            ConcatOps.ops(),
            TransposeOps.ops(),
            PadOps.ops(),
            SplitOps.ops(),
            PartitionOps.ops(),
            IdentityOps.ops(),
            ScatterOps.ops(),
            SearchSortedOps.ops(),
            SegmentOps.ops(),
            RangeOps.ops(),
            ReshapeOps.ops(),
            ShapeOps.ops(),
            ReverseOps.ops(),
            SliceOps.ops(),
            TopKOps.ops(),
            UniqueOps.ops(),
            WhereOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
