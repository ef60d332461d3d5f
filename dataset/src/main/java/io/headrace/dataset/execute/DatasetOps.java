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
    ops.addAll(PassThroughOps.OPS);
    ops.addAll(ReadingOps.OPS);
    ops.addAll(ReaderOps.ops());
    return List.copyOf(ops);
  }

  private static List<Op> sources() {
    List<Op> ops = new ArrayList<>();
    ops.add(RangeDataset.OP);
    ops.add(TensorDataset.OP);
    ops.add(TensorSliceDataset.OP);
    ops.add(ListDataset.OP);
    ops.addAll(RandomDataset.OPS);
    ops.addAll(RecordFilesDataset.OPS);
    ops.addAll(CsvDataset.OPS);
    ops.add(MatchingFilesDataset.OP);
    return ops;
  }

  private static List<Op> transformations() {
    List<Op> ops = new ArrayList<>();
    ops.addAll(MapDataset.OPS);
    ops.addAll(ParseExampleDataset.OPS);
    ops.addAll(FilterDataset.OPS);
    ops.addAll(BatchDataset.OPS);
    ops.add(DenseToSparseBatchDataset.OP);
    ops.addAll(ShuffleDataset.OPS);
    ops.addAll(InterleaveDataset.OPS);
    ops.addAll(PaddedBatchDataset.OPS);
    ops.addAll(CacheDataset.OPS);
    ops.add(TakeDataset.OP);
    ops.add(SkipDataset.OP);
    ops.add(RepeatDataset.OP);
    ops.add(ConcatenateDataset.OP);
    ops.add(ShardDataset.OP);
    ops.add(ZipDataset.OP);
    ops.add(FlatMapDataset.OP);
    ops.add(PrefetchDataset.OP);
    ops.add(UnbatchDataset.OP);
    ops.add(GroupByWindowDataset.OP);
    ops.add(WindowDataset.OP);
    ops.add(ScanDataset.OP);
    ops.add(TakeWhileDataset.OP);
    ops.add(AssertCardinalityDataset.OP);
    ops.add(IgnoreErrorsDataset.OP);
    ops.add(DirectedInterleaveDataset.OP);
    ops.add(UniqueDataset.OP);
    ops.add(RebatchDataset.OP);
    ops.add(OptionsDataset.OP);
    return ops;
  }
}
