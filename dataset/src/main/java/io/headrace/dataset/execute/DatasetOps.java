package io.headrace.dataset.execute;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import java.util.ArrayList;
import java.util.List;

/** The ops that make, transform and read datasets. */
public final class DatasetOps implements OpLibrary {
  /** For {@link java.util.ServiceLoader}. */
  public DatasetOps() {}

  @Override
  public List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    ops.addAll(sources());
    ops.addAll(transformations());
    ops.addAll(SeedOps.OPS);
    return List.copyOf(ops);
  }

  private static List<Op> sources() {
    List<Op> ops = new ArrayList<>();
    ops.add(RangeDataset.OP);
    ops.add(TensorDataset.OP);
    ops.add(TensorSliceDataset.OP);
    ops.addAll(RandomDataset.OPS);
    return ops;
  }

  private static List<Op> transformations() {
    List<Op> ops = new ArrayList<>();
    ops.addAll(MapDataset.OPS);
    ops.addAll(FilterDataset.OPS);
    ops.addAll(BatchDataset.OPS);
    ops.addAll(ShuffleDataset.OPS);
    ops.addAll(CacheDataset.OPS);
    ops.add(TakeDataset.OP);
    ops.add(SkipDataset.OP);
    ops.add(RepeatDataset.OP);
    ops.add(ConcatenateDataset.OP);
    ops.add(ShardDataset.OP);
    ops.add(ZipDataset.OP);
    return ops;
  }
}
