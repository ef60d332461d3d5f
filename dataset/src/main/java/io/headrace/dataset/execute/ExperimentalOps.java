package io.headrace.dataset.execute;

import io.headrace.runtime.op.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The ops of datasets under the names that they had before they were stable: Experimental followed
 * by today's name. TensorFlow's Python library still writes some of them.
 */
final class ExperimentalOps {
  private static final String PREFIX = "Experimental";
  private static final Set<String> METADATA = Set.of("metadata");

  /** Today's names, and the attrs that the op got with them. */
  private static final Map<String, Set<String>> NEWER_ATTRS =
      Map.ofEntries(
          Map.entry("AssertNextDataset", Set.of()),
          Map.entry("BytesProducedStatsDataset", Set.of()),
          Map.entry("CSVDataset", Set.of()),
          Map.entry("ChooseFastestDataset", Set.of()),
          Map.entry("DatasetCardinality", Set.of("cardinality_options")),
          Map.entry("DenseToSparseBatchDataset", Set.of()),
          Map.entry("DirectedInterleaveDataset", Set.of("stop_on_empty_dataset")),
          Map.entry("GroupByReducerDataset", Set.of()),
          Map.entry("GroupByWindowDataset", METADATA),
          Map.entry("IgnoreErrorsDataset", Set.of()),
          Map.entry("LatencyStatsDataset", Set.of()),
          Map.entry("MapAndBatchDataset", METADATA),
          Map.entry("MatchingFilesDataset", Set.of()),
          Map.entry("MaxIntraOpParallelismDataset", Set.of()),
          Map.entry("NonSerializableDataset", Set.of()),
          Map.entry("ParallelInterleaveDataset", METADATA),
          Map.entry(
              "ParseExampleDataset",
              Set.of("ragged_keys", "ragged_split_types", "ragged_value_types")),
          Map.entry("PrivateThreadPoolDataset", Set.of()),
          Map.entry("RandomDataset", METADATA),
          Map.entry("RebatchDataset", Set.of()),
          Map.entry("ScanDataset", Set.of("metadata", "use_default_device")),
          Map.entry("SleepDataset", Set.of()),
          Map.entry("SlidingWindowDataset", Set.of("drop_remainder")),
          Map.entry("SqlDataset", Set.of()),
          Map.entry("TakeWhileDataset", METADATA),
          Map.entry("UnbatchDataset", METADATA),
          Map.entry("UniqueDataset", METADATA));

  private ExperimentalOps() {}

  /** The experimental ops whose stable ops are among {@code stable}. */
  static List<Op> of(List<Op> stable) {
    List<Op> ops = new ArrayList<>();
    for (Op op : stable) {
      Optional.ofNullable(NEWER_ATTRS.get(op.name()))
          .map(newer -> op.underOlderName(PREFIX + op.name(), newer))
          .ifPresent(ops::add);
    }
    return ops;
  }
}
