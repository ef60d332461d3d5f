package io.headrace.kernels.checkpoint;

import io.headrace.runtime.op.Op;
import java.util.List;
import java.util.stream.Stream;

/** Ops that save and restore checkpoints, in TensorFlow's V1 and V2 formats. */
public final class CheckpointFamily {
  private CheckpointFamily() {}

  /** The ops of this family. */
  public static List<Op> ops() {
    return Stream.of(
            SaveV2Ops.ops(),
            RestoreV2Ops.ops(),
            MergeV2CheckpointsOps.ops(),
            ShardedFilenameOps.ops(),
            SaveOps.ops(),
            RestoreOps.ops())
        .flatMap(List::stream)
        .toList();
  }
}
