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
 * What surrounds one pass over a dataset.
 *
 * @param step device, resources and cancellation of the functions that run in it
 * @param ticker measures how long rows take
 * @param random seeds what the pipeline leaves unseeded; used by one thread at a time
 * @param threads runs the work of parallel and prefetching transformations; its tasks may block
 * @param parallelism how many rows AUTOTUNE may have in the making at once, at least 1
 * @param buffers what AUTOTUNE buffers of this pass may hold together
 * @param deterministic whether transformations that do not say themselves keep their order
 * @param inOrder whether all transformations keep their order, whatever they say: rows are numbered
 * @param functions the instances of stateful functions
 * @param splits for each of the dataset's {@link DatasetValue#splitSources}, what hands out its
 *     splits; empty for a pass over all of it
 * @param allSplits the same for the whole pipeline that the dataset is part of
 * @param progress how far the pass is taken by its user
 * @param files the files that splits are, as they must be when they are opened
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
    PassFunctions functions,
    List<SplitProvider> splits,
    List<SplitProvider> allSplits,
    PassProgress progress,
    ExpectedFiles files) {
  /**
   * The context of a new pass, whose AUTOTUNE buffers may hold {@code bufferBytes} bytes, and that
   * keeps orders.
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
        new PassFunctions(),
        List.of(),
        List.of(),
        new PassProgress(),
        new ExpectedFiles());
  }

  /** Bound on the bytes that AUTOTUNE buffers of this pass may hold together. */
  public long bufferBytes() {
    return buffers.limitBytes();
  }

  /**
   * This context with another cancellation, and a source of seeds of its own: for other threads.
   */
  public IteratorContext inBackground(Cancellation cancellation) {
    return with(
        step.withCancellation(cancellation),
        new SplittableRandom(random.nextLong()),
        deterministic,
        splits,
        allSplits);
  }

  /** This context for a pass whose rows come in the same order each time. */
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
        files);
  }

  /** This context with or without kept orders. */
  public IteratorContext withDeterministic(boolean keepsOrder) {
    return with(step, random, keepsOrder, splits, allSplits);
  }

  /**
   * This context for a pass of a whole pipeline, over the splits that {@code providers} hand out:
   * one for each of its split sources.
   */
  public IteratorContext withSplits(List<SplitProvider> providers) {
    return with(step, random, deterministic, providers, providers);
  }

  /** This context for passes over datasets that functions make, whose sources are not split. */
  public IteratorContext withoutSplits() {
    return allSplits.isEmpty() ? this : withSplits(List.of());
  }

  /**
   * The records of a split that a flat map must not make again; to be asked of the context that the
   * flat map itself has. Thread-safe.
   *
   * @param source the number of the source, as in {@link io.headrace.runtime.origin.Origins}
   * @param split the number of the split
   */
  public LongSet received(long source, long split) {
    return allSplits.isEmpty()
        ? LongSet.EMPTY
        : allSplits.get((int) (source % allSplits.size())).received(source, split);
  }

  /** This context for a pass over each of {@code inputs}, with its own sources' splits. */
  public List<IteratorContext> forEach(List<DatasetValue> inputs) {
    List<IteratorContext> contexts = new ArrayList<>(inputs.size());
    int from = 0;
    for (DatasetValue input : inputs) {
      int to = splits.isEmpty() ? 0 : from + input.splitSources().size();
      contexts.add(splits.isEmpty() ? this : withSplitsOfPart(splits.subList(from, to)));
      from = to;
    }
    return contexts;
  }

  private IteratorContext withSplitsOfPart(List<SplitProvider> providers) {
    return with(step, random, deterministic, providers, allSplits);
  }

  /** Whether sources are split, and none of them will have splits in a later repetition. */
  public boolean areSplitsExhausted() {
    return !splits.isEmpty() && splits.stream().allMatch(SplitProvider::isExhausted);
  }

  /** Begins the next repetition of every source. */
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
        files);
  }
}
