package io.headrace.dispatcher;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.DatasetValue;
import io.headrace.dataset.execute.SplitSource.Kind;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Finds what the splits of a dataset's sources are, once for an iteration: it makes the dataset,
 * which may list files, and reads none of its elements. Thread-safe.
 */
@FunctionalInterface
interface SplitSources {
  /** The sources of {@code dataset}. */
  CompletableFuture<Found> of(DatasetDef dataset);

  /**
   * What was found.
   *
   * @param sources the sources, from left to right
   * @param lostLineage why it can't be told of each element which records it was made of; empty if
   *     it can
   * @param notRemade why not all that a lost worker made of some splits is made again by another
   *     that is given them; empty if it is
   */
  record Found(
      List<SplitSource> sources, Optional<String> lostLineage, Optional<String> notRemade) {
    /** What is known of a dataset whose sources nobody needs to know. */
    static final Found NOTHING = new Found(List.of(), Optional.empty(), Optional.empty());

    public Found {
      sources = List.copyOf(sources);
    }
  }

  /**
   * The real one.
   *
   * @param threads make datasets, which may block
   * @param random seeds sources of random numbers
   */
  static SplitSources on(Executor threads, LongSupplier random) {
    return dataset -> CompletableFuture.supplyAsync(() -> find(dataset, random), threads);
  }

  private static Found find(DatasetDef dataset, LongSupplier random) {
    DatasetValue value =
        DatasetGraph.read(dataset.getGraph()).load(OpRegistry.standard(), StepContext.standalone());
    return new Found(
        value.splitSources().stream().map(source -> record(source, random)).toList(),
        value.lineage().reasonLost(),
        value.lineage().reasonNotRemade());
  }

  private static SplitSource record(
      io.headrace.dataset.execute.SplitSource source, LongSupplier random) {
    SplitSource.Builder record =
        SplitSource.newBuilder()
            .setFirst(source.first())
            .setStep(source.step())
            .setCount(source.count())
            .setGrouped(source.grouped())
            .setFingerprint(source.fingerprint());
    if (source.kind() == Kind.RANDOM) {
      record.setRandomSeed(random.getAsLong());
    }
    return record.build();
  }
}
