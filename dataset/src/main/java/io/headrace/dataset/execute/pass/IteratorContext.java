package io.headrace.dataset.execute.pass;

import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.origin.LongSet;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.random.RandomGenerator;

/**
 * The environment of one pass over a dataset.
 *
 * @param step device, resources and cancellation of the pass's functions
 * @param ticker measures the time rows take
 * @param random draws seeds for unseeded ops; used by one thread at a time
 * @param threads runs parallel and prefetching transformations; its tasks may block
 * @param parallelism the most rows AUTOTUNE may compute in parallel, at least 1
 * @param buffers the budget of the pass's AUTOTUNE buffers
 * @param deterministic whether transformations keep their order by default
 * @param inOrder whether all transformations keep their order, even those declared otherwise: rows
 *     are numbered
 * @param functions the instances of stateful functions
 * @param splits one provider for each of the dataset's {@link DatasetValue#splitSources}; empty for
 *     a pass over all of the dataset
 * @param allSplits the providers of the whole pipeline that the dataset is part of
 * @param progress the progress of the pass's user
 * @param files the files received as splits, to be checked when they are opened
 * @param path the position of the iterator that the context is for
 */
public record IteratorContext(
    StepContext step,
    Ticker ticker,
    RandomGenerator random,
    ExecutorService threads,
    int parallelism,
    BufferBudget buffers,
    boolean deterministic,
    boolean inOrder,
    StatefulFunctions functions,
    List<SplitProvider> splits,
    List<SplitProvider> allSplits,
    PassProgress progress,
    ExpectedFiles files,
    IteratorPath path) {
  /**
   * The context of a new pass that keeps orders and whose AUTOTUNE buffers may hold {@code
   * bufferBytes}.
   */
  public IteratorContext(
      StepContext step,
      Ticker ticker,
      RandomGenerator random,
      ExecutorService threads,
      int parallelism,
      long bufferBytes) {
    this(
        step,
        ticker,
        random,
        threads,
        parallelism,
        new BufferBudget(bufferBytes),
        true,
        false,
        new StatefulFunctions(),
        List.of(),
        List.of(),
        new PassProgress(),
        new ExpectedFiles(),
        IteratorPath.ROOT);
  }

  /**
   * Starts a pass over {@code input} for the iterator that this context is for, or for the user of
   * the whole pass. The caller closes it.
   */
  public ChunkIterator open(DatasetValue input) {
    IteratorPath inputPath = path.input(input.iteratorName());
    ChunkIterator iterator = input.iterator(withPath(inputPath));
    Stage stage = inputPath.stage();
    return stage.isMeasured() ? new MeteredIterator(iterator, stage.inside()) : iterator;
  }

  /** This context for the user of a pass whose stages are measured. */
  public IteratorContext measuredFor(Stage user) {
    return withPath(IteratorPath.measured(user));
  }

  /** The stage of the iterator that the context is for. */
  public Stage stage() {
    return path.stage();
  }

  /** This context where the iterator reads its input number {@code index}. */
  public IteratorContext at(long index) {
    return withPath(path.at(index));
  }

  private IteratorContext withPath(IteratorPath other) {
    return new IteratorContext(
        step,
        ticker,
        random,
        threads,
        parallelism,
        buffers,
        deterministic,
        inOrder,
        functions,
        splits,
        allSplits,
        progress,
        files,
        other);
  }

  /** The limit in bytes of the pass's AUTOTUNE buffers together. */
  public long bufferBytes() {
    return buffers.limitBytes();
  }

  /** This context for another thread: with another cancellation and its own random generator. */
  public IteratorContext inBackground(Cancellation cancellation) {
    return with(
        step.withCancellation(cancellation),
        new SplittableRandom(random.nextLong()),
        deterministic,
        splits,
        allSplits);
  }

  /** This context for a pass whose rows have the same order each time. */
  public IteratorContext withOrder() {
    return new IteratorContext(
        step,
        ticker,
        random,
        threads,
        parallelism,
        buffers,
        deterministic,
        true,
        functions,
        splits,
        allSplits,
        progress,
        files,
        path);
  }

  /** This context with another default for keeping orders. */
  public IteratorContext withDeterministic(boolean keepsOrder) {
    return with(step, random, keepsOrder, splits, allSplits);
  }

  /**
   * This context for a pass over a whole pipeline, which reads the splits of {@code providers}: one
   * for each of its split sources.
   */
  public IteratorContext withSplits(List<SplitProvider> providers) {
    return with(step, random, deterministic, providers, providers);
  }

  /** This context for passes over datasets made by functions, whose sources are not split. */
  public IteratorContext withoutSplits() {
    return allSplits.isEmpty() ? this : withSplits(List.of());
  }

  /**
   * The records of a split that a flat map must leave out because readers have received them.
   * Called on the context of the flat map itself. Thread-safe.
   *
   * @param source the number of the source, as in {@link io.headrace.runtime.origin.Origins}
   * @param split the number of the split
   */
  public LongSet received(long source, long split) {
    return allSplits.isEmpty()
        ? LongSet.EMPTY
        : allSplits.get((int) (source % allSplits.size())).received(source, split);
  }

  /** The contexts of passes over {@code inputs}, each with the splits of its own sources. */
  public List<IteratorContext> forEach(List<DatasetValue> inputs) {
    List<IteratorContext> contexts = new ArrayList<>(inputs.size());
    int from = 0;
    for (DatasetValue input : inputs) {
      IteratorContext part = withPath(path.atInput(contexts.size()));
      int to = splits.isEmpty() ? 0 : from + input.splitSources().size();
      contexts.add(splits.isEmpty() ? part : part.withSplitsOfPart(splits.subList(from, to)));
      from = to;
    }
    return contexts;
  }

  private IteratorContext withSplitsOfPart(List<SplitProvider> providers) {
    return with(step, random, deterministic, providers, allSplits);
  }

  /** Whether the sources are split and no later repetition has splits. */
  public boolean areSplitsExhausted() {
    return !splits.isEmpty() && splits.stream().allMatch(SplitProvider::isExhausted);
  }

  /** Starts the next repetition of every source. */
  public void resetSplits() {
    splits.forEach(SplitProvider::reset);
  }

  private IteratorContext with(
      StepContext s,
      RandomGenerator r,
      boolean d,
      List<SplitProvider> part,
      List<SplitProvider> all) {
    return new IteratorContext(
        s,
        ticker,
        r,
        threads,
        parallelism,
        buffers,
        d,
        inOrder,
        functions,
        part,
        all,
        progress,
        files,
        path);
  }
}
