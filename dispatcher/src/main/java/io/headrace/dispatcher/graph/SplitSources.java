package io.headrace.dispatcher.graph;

import io.headrace.dataset.execute.DatasetGraph;
import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.SourceFile;
import io.headrace.dataset.execute.pass.SplitSource.Kind;
import io.headrace.dispatcher.state.Sources;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.SourceFileProto;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Finds what the splits of a dataset's sources are, once for an iteration: it makes the dataset,
 * which may list files, and reads none of its elements. Thread-safe.
 */
public interface SplitSources {
  /** The sources of {@code dataset}. */
  CompletableFuture<Found> of(DatasetDef dataset);

  /** What is known of {@code dataset}'s rows where each worker makes all of them. */
  default CompletableFuture<Found> whole(DatasetDef dataset) {
    return CompletableFuture.completedFuture(Found.whole(RowOrder.of(dataset)));
  }

  /**
   * What was found.
   *
   * @param dataset {@link DatasetFingerprint#ofRecords}, where the sources are known
   * @param sources the sources, from left to right
   * @param lostLineage why it can't be told of each element which records it was made of; empty if
   *     it can
   * @param notRemade why not all that a lost worker made of some splits is made again by another
   *     that is given them; empty if it is
   * @param order the order of the rows, where each worker makes all of them
   */
  record Found(
      long dataset,
      List<SplitSource> sources,
      Optional<String> lostLineage,
      Optional<String> notRemade,
      Optional<RowOrder> order) {
    /** What is known of a dataset whose sources nobody needs to know. */
    public static final Found NOTHING =
        new Found(0, List.of(), Optional.empty(), Optional.empty(), Optional.empty());

    /** What is known of a dataset that is not divided. */
    static Found whole(RowOrder order) {
      return new Found(0, List.of(), Optional.empty(), Optional.empty(), Optional.of(order));
    }

    public Found {
      sources = List.copyOf(sources);
    }

    /** What tells tokens of the dataset and its sources from others; 0 if there are none. */
    public long fingerprint() {
      return sources.isEmpty()
          ? order.filter(of -> of.obstacle().isEmpty()).map(RowOrder::fingerprint).orElse(0L)
          : DatasetFingerprint.of(dataset, new Sources(sources).fingerprint());
    }
  }

  /**
   * The real one.
   *
   * @param threads make datasets, which may block
   * @param random seeds sources of random numbers
   */
  static SplitSources on(Executor threads, LongSupplier random) {
    return new SplitSources() {
      @Override
      public CompletableFuture<Found> of(DatasetDef dataset) {
        return CompletableFuture.supplyAsync(() -> find(dataset, random), threads);
      }

      @Override
      public CompletableFuture<Found> whole(DatasetDef dataset) {
        return CompletableFuture.supplyAsync(() -> Found.whole(order(dataset)), threads);
      }
    };
  }

  /** What the sources read is a part of it: the graph has no more than names of files. */
  private static RowOrder order(DatasetDef dataset) {
    RowOrder order = RowOrder.of(dataset);
    if (order.obstacle().isPresent()) {
      return order;
    }
    try {
      long hash = 0;
      for (io.headrace.dataset.execute.pass.SplitSource source : load(dataset).splitSources()) {
        SplitSource found = record(source, () -> 0);
        hash = (hash * 31 + found.getFingerprint()) * 31 + found.getCount();
      }
      return order.withSources(hash);
    } catch (StatusException e) {
      return order.withObstacle("it can't be told whether its sources change: " + e.getMessage());
    }
  }

  private static DatasetValue load(DatasetDef dataset) {
    return DatasetGraph.read(dataset.getGraph())
        .load(OpRegistry.standard(), StepContext.standalone());
  }

  private static Found find(DatasetDef dataset, LongSupplier random) {
    DatasetValue value = load(dataset);
    return new Found(
        DatasetFingerprint.ofRecords(dataset),
        value.splitSources().stream().map(source -> record(source, random)).toList(),
        value.lineage().reasonLost(),
        value.lineage().reasonNotRemade(),
        Optional.empty());
  }

  /** What is journaled of a source: of files, how they are found now. */
  private static SplitSource record(
      io.headrace.dataset.execute.pass.SplitSource source, LongSupplier random) {
    List<SourceFile> files = SourceFile.of(source.files());
    SplitSource.Builder record =
        SplitSource.newBuilder()
            .setFirst(source.first())
            .setStep(source.step())
            .setCount(source.count())
            .setGrouped(source.grouped())
            .setFingerprint(files.isEmpty() ? source.fingerprint() : source.fingerprint(files))
            .addAllFiles(files.stream().map(SplitSources::message).toList());
    if (source.kind() == Kind.RANDOM) {
      record.setRandomSeed(random.getAsLong());
    }
    return record.build();
  }

  private static SourceFileProto message(SourceFile file) {
    SourceFileProto.Builder message = SourceFileProto.newBuilder().setName(file.name());
    if (file.isSeen()) {
      message.setSize(file.size()).setModifiedMillis(file.modifiedMillis());
    }
    return message.build();
  }
}
