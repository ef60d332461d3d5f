package io.headrace.kernels.movement;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/**
 * Ops that move, join, split, index and count elements: Concat, Split, Slice, Pad, Gather,
 * Transpose.
 */
public final class MovementFamily {
  private MovementFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            SpaceToBatchOps.ops(),
            BincountOps.ops(),
            BroadcastOps.ops(),
            BucketizeOps.ops(),
            ConcatOps.ops(),
            ConstOps.ops(),
            DynamicStitchOps.ops(),
            FillOps.ops(),
            GatherNdOps.ops(),
            GatherOps.ops(),
            HistogramOps.ops(),
            IdentityOps.ops(),
            InplaceOps.ops(),
            InTopKOps.ops(),
            LinSpaceOps.ops(),
            ListDiffOps.ops(),
            NoOpOps.ops(),
            NthElementOps.ops(),
            OneHotOps.ops(),
            PackOps.ops(),
            PadOps.ops(),
            DynamicPartitionOps.ops(),
            PlaceholderOps.ops(),
            RangeOps.ops(),
            ReshapeOps.ops(),
            ReverseOps.ops(),
            RollOps.ops(),
            ScatterOps.ops(),
            SearchSortedOps.ops(),
            SegmentOps.ops(),
            ShapeOps.ops(),
            SliceOps.ops(),
            SliceUpdate.ops(),
            SplitOps.ops(),
            TileOps.ops(),
            TopKOps.ops(),
            TransposeOps.ops(),
            UniqueOps.ops(),
            UnravelIndexOps.ops(),
            WhereOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
