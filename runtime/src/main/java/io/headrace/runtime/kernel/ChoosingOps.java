package io.headrace.runtime.kernel;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** The ops that look at elements to choose, count and check them, by family. */
final class ChoosingOps {
  private ChoosingOps() {}

  static List<Op> ops() {
    return Stream.of(
            WhereOps.ops(),
            UniqueOps.ops(),
            PartitionOps.ops(),
            SearchOps.ops(),
            TopKOps.ops(),
            SparseToDenseOps.ops(),
            AssertionOps.ops(),
            CountingOps.ops(),
            SegmentOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
