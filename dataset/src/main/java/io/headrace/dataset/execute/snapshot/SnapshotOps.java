package io.headrace.dataset.execute.snapshot;

import io.headrace.runtime.op.Op;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** The ops of datasets that are saved, loaded and snapshotted. */
public final class SnapshotOps {
  private SnapshotOps() {}

  /** The ops, whose metadata {@code clock} dates. */
  public static List<Op> ops(InstantSource clock) {
    List<Op> ops = new ArrayList<>(ChunkFilesDataset.OPS);
    ops.add(NestedReaderOps.OP);
    ops.add(LoadDataset.OP);
    ops.add(ListSnapshotChunksDataset.OP);
    ops.add(SaveDataset.op(clock));
    ops.add(SaveDatasetOps.op(clock));
    ops.add(SnapshotDataset.op(clock));
    ops.add(LegacySnapshotDataset.op(clock));
    return ops;
  }
}
