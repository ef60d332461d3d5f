package io.headrace.dispatcher.graph;

import io.headrace.dataset.execute.pass.DatasetValue;
import io.headrace.dataset.execute.pass.SourceFile;
import io.headrace.dataset.execute.pass.SplitSource.Kind;
import io.headrace.dispatcher.state.IterationSources;
import io.headrace.proto.data.DatasetDef;
import io.headrace.proto.headrace.DatasetOutline;
import io.headrace.proto.headrace.SourceFileProto;
import io.headrace.proto.headrace.journal.SplitSource;
import io.headrace.rpc.UnaryCalls;
import io.headrace.runtime.status.StatusException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * Finds the split sources of a dataset, once per iteration. It evaluates the dataset's graph
 * ({@link SourceEvaluation}), which may list files, and reads no elements. Thread-safe.
 */
public interface SplitSourceFinder {
  /** The split sources of {@code dataset}. */
  CompletableFuture<Found> of(DatasetDef dataset);

  /** The row order of {@code dataset}, for jobs without sharding. */
  default CompletableFuture<Found> whole(DatasetDef dataset) {
    return CompletableFuture.completedFuture(Found.whole(dataset, RowOrder.of(dataset)));
  }

  /**
   * The findings about a dataset.
   *
   * @param dataset {@link DatasetFingerprint#ofRecords}, where the sources are known
   * @param sources the split sources, from left to right
   * @param lostLineage why elements can't be traced to the records they were made of; empty if they
   *     can
   * @param notRemade why another worker, given the same splits, would not make the same elements;
   *     empty if it would
   * @param order the row order, for jobs without sharding
   * @param outline of the dataset and its files
   */
  record Found(
      long dataset,
      List<SplitSource> sources,
      Optional<String> lostLineage,
      Optional<String> notRemade,
      Optional<RowOrder> order,
      DatasetOutline outline) {
    /** No findings, for a job that needs none. */
    public static final Found NOTHING =
        new Found(
            0,
            List.of(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            DatasetOutline.getDefaultInstance());

    /** The findings for a dataset that is not divided among workers. */
    static Found whole(DatasetDef dataset, RowOrder order) {
      return new Found(
          0,
          List.of(),
          Optional.empty(),
          Optional.empty(),
          Optional.of(order),
          DatasetOutlines.of(dataset, List.of()));
    }

    public Found {
      sources = List.copyOf(sources);
    }

    /** The fingerprint that tokens of the dataset and its sources carry; 0 if there can be none. */
    public long fingerprint() {
      return sources.isEmpty()
          ? order.filter(of -> of.obstacle().isEmpty()).map(RowOrder::fingerprint).orElse(0L)
          : DatasetFingerprint.of(dataset, new IterationSources(sources).fingerprint());
    }
  }

  /**
   * The production implementation.
   *
   * @param threads run what may take long
   * @param evaluation evaluates the datasets
   * @param random draws the seeds of sources of random numbers
   */
  static SplitSourceFinder on(Executor threads, SourceEvaluation evaluation, LongSupplier random) {
    return new SplitSourceFinder() {
      @Override
      public CompletableFuture<Found> of(DatasetDef dataset) {
        return evaluation.of(dataset, value -> find(dataset, value, random));
      }

      @Override
      public CompletableFuture<Found> whole(DatasetDef dataset) {
        return CompletableFuture.supplyAsync(() -> RowOrder.of(dataset), threads)
            .thenCompose(order -> withSources(order, dataset, evaluation))
            .thenApply(order -> Found.whole(dataset, order));
      }
    };
  }

  /** The sources' contents count too, as the graph may hold no more than file names. */
  private static CompletableFuture<RowOrder> withSources(
      RowOrder order, DatasetDef dataset, SourceEvaluation evaluation) {
    if (order.obstacle().isPresent()) {
      return CompletableFuture.completedFuture(order);
    }
    return evaluation
        .of(dataset, value -> order.withSources(hash(value)))
        .exceptionally(e -> {
          if (UnaryCalls.cause(e) instanceof StatusException status) {
            return order.withObstacle("its sources can't be inspected: " + status.getMessage());
          }
          throw new CompletionException(UnaryCalls.cause(e));
        });
  }

  private static long hash(DatasetValue dataset) {
    long hash = 0;
    for (io.headrace.dataset.execute.pass.SplitSource source : dataset.splitSources()) {
      SplitSource found = record(source, () -> 0);
      hash = (hash * 31 + found.getFingerprint()) * 31 + found.getCount();
    }
    return hash;
  }

  private static Found find(DatasetDef dataset, DatasetValue value, LongSupplier random) {
    List<SplitSource> sources =
        value.splitSources().stream().map(source -> record(source, random)).toList();
    return new Found(
        DatasetFingerprint.ofRecords(dataset),
        sources,
        value.lineage().reasonLost(),
        value.lineage().reasonNotRemade(),
        Optional.empty(),
        DatasetOutlines.of(dataset, sources));
  }

  /** The journal record of a source; lists the present state of its files. */
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
            .setNamed(source.kind() == Kind.NAMES)
            .addAllFiles(files.stream().map(SplitSourceFinder::message).toList());
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
