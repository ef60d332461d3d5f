package io.headrace.dispatcher;

import io.headrace.dispatcher.graph.DatasetFingerprint;
import io.headrace.dispatcher.graph.SplitSourceFinder;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.data.GetOrRegisterDatasetRequest;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.runtime.origin.Origins;
import io.headrace.runtime.origin.RecordSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The dataset of readers in a {@link Simulation}: the splits of a first source, then the records of
 * each split of a second one, repeated. The name of its only op encodes the numbers.
 *
 * @param splits the number of splits of the first source
 * @param groups the number of splits of the second source
 * @param repetitions the number of repetitions
 */
record SimulatedDataset(long splits, long groups, long repetitions) {
  GetOrRegisterDatasetRequest dataset() {
    return TestDispatcher.dataset("Splits_" + splits + "_" + groups + "_" + repetitions);
  }

  static SimulatedDataset of(DatasetDef dataset) {
    String[] words = dataset.getGraph().getNode(0).getOp().split("_", -1);
    return words.length < 4
        ? new SimulatedDataset(0, 0, 1)
        : new SimulatedDataset(
            Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
  }

  static CompletableFuture<SplitSourceFinder.Found> find(DatasetDef dataset) {
    SimulatedDataset sources = of(dataset);
    SplitSource first = SplitSource.newBuilder().setStep(1).setCount(sources.splits).build();
    SplitSource second = first.toBuilder().setCount(sources.groups).setGrouped(true).build();
    return CompletableFuture.completedFuture(
        new SplitSourceFinder.Found(
            DatasetFingerprint.ofRecords(dataset),
            List.of(first, second),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            DatasetOutline.getDefaultInstance()));
  }

  int size() {
    return 2;
  }

  boolean isGrouped(int provider) {
    return provider == 1;
  }

  /** The number of records in a split of the second source. */
  static long recordsOf(long group) {
    return (group * 7 + 3) % 5;
  }

  /** All records of a complete pass. */
  RecordSet all() {
    RecordSet all = new RecordSet();
    for (long repetition = 0; repetition < repetitions; repetition++) {
      if (splits > 0) {
        all.add(repetition * 2, Origins.SPLITS, 0, splits);
      }
      for (long group = 0; group < groups; group++) {
        if (recordsOf(group) > 0) {
          all.add(repetition * 2 + 1, group, 0, recordsOf(group));
        }
        all.end(repetition * 2 + 1, group, recordsOf(group));
      }
    }
    return all;
  }
}
