package io.headrace.dataset.execute;

import io.headrace.dataset.execute.json.DecodeJsonOp;
import io.headrace.dataset.execute.reader.ReaderOps;
import io.headrace.dataset.execute.snapshot.SnapshotOps;
import io.headrace.dataset.execute.source.CsvDataset;
import io.headrace.dataset.execute.source.DatasetResourceOps;
import io.headrace.dataset.execute.source.IterableDataset;
import io.headrace.dataset.execute.source.ListDataset;
import io.headrace.dataset.execute.source.MatchingFilesDataset;
import io.headrace.dataset.execute.source.RandomDataset;
import io.headrace.dataset.execute.source.RangeDataset;
import io.headrace.dataset.execute.source.RecordFilesDataset;
import io.headrace.dataset.execute.source.SparseTensorSliceDataset;
import io.headrace.dataset.execute.source.SqlDataset;
import io.headrace.dataset.execute.source.TensorDataset;
import io.headrace.dataset.execute.source.TensorSliceDataset;
import io.headrace.dataset.execute.transform.AssertCardinalityDataset;
import io.headrace.dataset.execute.transform.BatchDataset;
import io.headrace.dataset.execute.transform.CacheDataset;
import io.headrace.dataset.execute.transform.ConcatenateDataset;
import io.headrace.dataset.execute.transform.DatasetConsumerOps;
import io.headrace.dataset.execute.transform.DenseToSparseBatchDataset;
import io.headrace.dataset.execute.transform.DirectedInterleaveDataset;
import io.headrace.dataset.execute.transform.FilterDataset;
import io.headrace.dataset.execute.transform.FlatMapDataset;
import io.headrace.dataset.execute.transform.GlobalShuffleDataset;
import io.headrace.dataset.execute.transform.GroupByReducerDataset;
import io.headrace.dataset.execute.transform.GroupByWindowDataset;
import io.headrace.dataset.execute.transform.IgnoreErrorsDataset;
import io.headrace.dataset.execute.transform.IndexFlatMapDataset;
import io.headrace.dataset.execute.transform.InterleaveDataset;
import io.headrace.dataset.execute.transform.MapDataset;
import io.headrace.dataset.execute.transform.OptionsDataset;
import io.headrace.dataset.execute.transform.PaddedBatchDataset;
import io.headrace.dataset.execute.transform.ParseExampleDataset;
import io.headrace.dataset.execute.transform.PassThroughOps;
import io.headrace.dataset.execute.transform.PrefetchDataset;
import io.headrace.dataset.execute.transform.RebatchDataset;
import io.headrace.dataset.execute.transform.RepeatDataset;
import io.headrace.dataset.execute.transform.ReplicaBatchDataset;
import io.headrace.dataset.execute.transform.SamplingDataset;
import io.headrace.dataset.execute.transform.ScanDataset;
import io.headrace.dataset.execute.transform.ShardDataset;
import io.headrace.dataset.execute.transform.ShuffleDataset;
import io.headrace.dataset.execute.transform.SkipDataset;
import io.headrace.dataset.execute.transform.SleepDataset;
import io.headrace.dataset.execute.transform.SlidingWindowDataset;
import io.headrace.dataset.execute.transform.TakeDataset;
import io.headrace.dataset.execute.transform.TakeWhileDataset;
import io.headrace.dataset.execute.transform.UnbatchDataset;
import io.headrace.dataset.execute.transform.UniqueDataset;
import io.headrace.dataset.execute.transform.WeightedFlatMapDataset;
import io.headrace.dataset.execute.transform.WindowDataset;
import io.headrace.dataset.execute.transform.ZipDataset;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.OpLibrary;
import io.headrace.runtime.time.SystemTicker;
import java.util.ArrayList;
import java.util.List;

/**
 * The ops of datasets: sources, transformations, snapshots, seeds, reductions and TensorFlow 1's
 * readers.
 */
public final class DatasetOps implements OpLibrary {
  /** For {@link java.util.ServiceLoader}. */
  public DatasetOps() {}

  @Override
  public List<Op> ops() {
    List<Op> ops = new ArrayList<>();
    ops.addAll(sources());
    ops.addAll(transformations());
    ops.addAll(DatasetResourceOps.OPS);
    ops.addAll(PassThroughOps.OPS);
    ops.addAll(DatasetConsumerOps.OPS);
    ops.addAll(SnapshotOps.ops(SystemTicker.INSTANCE));
    ops.addAll(ReaderOps.ops());
    ops.add(DecodeJsonOp.OP);
    ops.addAll(ExperimentalOps.of(ops));
    return List.copyOf(ops);
  }

  private static List<Op> sources() {
    List<Op> ops = new ArrayList<>();
    ops.add(RangeDataset.OP);
    ops.add(TensorDataset.OP);
    ops.add(TensorSliceDataset.OP);
    ops.add(ListDataset.OP);
    ops.add(SparseTensorSliceDataset.OP);
    ops.addAll(RandomDataset.OPS);
    ops.addAll(RecordFilesDataset.OPS);
    ops.addAll(CsvDataset.OPS);
    ops.add(SqlDataset.op(SystemTicker.INSTANCE));
    ops.add(MatchingFilesDataset.OP);
    ops.add(IterableDataset.OP);
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
    ops.add(GlobalShuffleDataset.OP);
    ops.addAll(InterleaveDataset.OPS);
    ops.addAll(PaddedBatchDataset.OPS);
    ops.addAll(CacheDataset.ops(SystemTicker.INSTANCE));
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
    ops.add(GroupByReducerDataset.OP);
    ops.add(WindowDataset.OP);
    ops.add(ScanDataset.OP);
    ops.add(TakeWhileDataset.OP);
    ops.add(AssertCardinalityDataset.OP);
    ops.add(IgnoreErrorsDataset.OP);
    ops.add(DirectedInterleaveDataset.OP);
    ops.add(UniqueDataset.OP);
    ops.add(RebatchDataset.OP);
    ops.add(ReplicaBatchDataset.OP);
    ops.add(SamplingDataset.OP);
    ops.add(OptionsDataset.OP);
    ops.add(SleepDataset.OP);
    ops.add(SlidingWindowDataset.OP);
    ops.add(WeightedFlatMapDataset.OP);
    ops.add(IndexFlatMapDataset.OP);
    return ops;
  }
}
