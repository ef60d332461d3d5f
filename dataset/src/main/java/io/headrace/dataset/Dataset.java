package io.headrace.dataset;

import static java.util.Objects.requireNonNull;

import io.headrace.dataset.execute.shard.AutoShard;
import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The definition of a sequence of elements: a TensorFlow graph, which this process runs when the
 * dataset is iterated, and workers, including stock TensorFlow's, run when it is distributed.
 *
 * <pre>{@code
 * Dataset numbers = Dataset.range(10).map(x -> x.mul(2)).batch(4);
 * for (Element e : numbers) {
 *   long[] values = e.tensor().longs();
 * }
 * }</pre>
 *
 * <p>Immutable and thread-safe; every method returns another dataset. Lambdas are called once, when
 * the dataset is defined; one that returns null, or a value of another type, is INVALID_ARGUMENT,
 * naming the method and the caller's line. An iterator closes itself at its end; close it to end it
 * early.
 */
public final class Dataset extends DatasetSources implements Iterable<Element> {
  /** Adapts parallelism or a buffer size at run time. */
  public static final long AUTOTUNE = -1;

  /** A placeholder for {@link #shard}'s arguments, which the service fills in. */
  public static final long SHARD_HINT = AutoShard.SHARD_HINT;

  /** Makes {@link #batch(long, boolean)} drop a last batch that is not full. */
  public static final boolean DROP_REMAINDER = true;

  /** TensorFlow's graph-level seed where only the op-level seed is given. */
  static final long DEFAULT_GRAPH_SEED = 87654321;

  private static final Set<DataType> UNIQUE =
      Set.of(DataType.INT32, DataType.INT64, DataType.STRING);

  private final Structure structure;
  private final DatasetNodeBuilder recipe;

  Dataset(Structure structure, DatasetNodeBuilder recipe) {
    this.structure = structure;
    this.recipe = recipe;
  }

  DatasetNodeBuilder recipe() {
    return recipe;
  }

  /** The nesting of the elements' components. */
  public Structure structure() {
    return structure;
  }

  // Transformations of each element

  /** Maps each element, of one component, with {@code function}. */
  public Dataset map(Functions.Of1 function) {
    return mapElement(one(function));
  }

  /** Maps each element, of two components, with {@code function}. */
  public Dataset map(Functions.Of2 function) {
    return mapElement(two(function));
  }

  /** Maps each element, of three components, with {@code function}. */
  public Dataset map(Functions.Of3 function) {
    return mapElement(three(function));
  }

  /**
   * Maps with up to {@code calls} calls in parallel ({@link #AUTOTUNE} adapts); keeps the order.
   */
  public Dataset map(Functions.Of1 function, long calls) {
    return mapElement(one(function), calls, true);
  }

  /**
   * Maps with up to {@code calls} calls in parallel ({@link #AUTOTUNE} adapts); keeps the order.
   */
  public Dataset map(Functions.Of2 function, long calls) {
    return mapElement(two(function), calls, true);
  }

  /**
   * Maps with up to {@code calls} calls in parallel ({@link #AUTOTUNE} adapts); keeps the order.
   */
  public Dataset map(Functions.Of3 function, long calls) {
    return mapElement(three(function), calls, true);
  }

  /** Maps each element, of one component, with {@code function}, which runs on a device. */
  public Dataset map(Functions.Of1 function, Placement placement) {
    return mapElement(one(function), placement);
  }

  /** Maps each element, of two components, with {@code function}, which runs on a device. */
  public Dataset map(Functions.Of2 function, Placement placement) {
    return mapElement(two(function), placement);
  }

  /** Maps each element, of three components, with {@code function}, which runs on a device. */
  public Dataset map(Functions.Of3 function, Placement placement) {
    return mapElement(three(function), placement);
  }

  private static Functions.OfElement one(Functions.Of1 function) {
    requireNonNull(function, "function is null");
    return e -> function.apply(e.output());
  }

  private static Functions.OfElement two(Functions.Of2 function) {
    requireNonNull(function, "function is null");
    return e -> {
      List<Output> c = components(e, 2);
      return function.apply(c.get(0), c.get(1));
    };
  }

  private static Functions.OfElement three(Functions.Of3 function) {
    requireNonNull(function, "function is null");
    return e -> {
      List<Output> c = components(e, 3);
      return function.apply(c.get(0), c.get(1), c.get(2));
    };
  }

  private static List<Output> components(SymbolicElement element, int count) {
    if (element.components().size() != count) {
      throw StatusException.invalidArgument(
          "the function takes %d components and the element has %d: %s; mapElement takes it whole",
          count, element.components().size(), element.structure());
    }
    return element.components();
  }

  /** Maps each element, of any structure, with {@code function}. */
  public Dataset mapElement(Functions.OfElement function) {
    requireNonNull(function, "function is null");
    return mapped(trace("map", function), op -> op.build("MapDataset"));
  }

  /**
   * Maps each element with {@code function}, up to {@code calls} calls in parallel ({@link
   * #AUTOTUNE} adapts); in order, unless {@code deterministic} is false.
   */
  public Dataset mapElement(Functions.OfElement function, long calls, boolean deterministic) {
    requireNonNull(function, "function is null");
    requireCalls(calls);
    return mapped(
        trace("map", function),
        op ->
            op.input(Tensor.scalar(calls))
                .attr("deterministic", deterministic ? "true" : "false")
                .build("ParallelMapDatasetV2"));
  }

  /**
   * Maps each element with {@code function}, which runs on a device. The device takes many elements
   * at once; a local iterator, without a worker, has no devices and fails with INVALID_ARGUMENT.
   *
   * @throws StatusException FAILED_PRECONDITION if the placement is {@link Placement#strict} and a
   *     CPU would run a part of the function
   */
  public Dataset mapElement(Functions.OfElement function, Placement placement) {
    requireNonNull(function, "function is null");
    requireNonNull(placement, "placement is null");
    TracedLambda traced = trace("map", element -> placement.pinned(() -> function.apply(element)));
    placement.check(traced.function());
    return mapped(traced, op -> op.build("MapDataset"));
  }

  private Dataset mapped(TracedLambda traced, Function<FunctionDatasetNode, Output> finish) {
    return new Dataset(
        traced.structure(),
        target ->
            finish.apply(
                new FunctionDatasetNode(target, this, traced.function(), traced.structure())
                    .attr("preserve_cardinality", true)));
  }

  /**
   * Maps each element to what {@code function} makes of it and of a state, and hands the state on
   * to the next element. One element at a time, in order.
   *
   * <pre>{@code
   * // 0, 1, 3, 6, 10: the running sums
   * Dataset.range(5).scan(List.of(Tensor.scalar(0L)), (state, x) -> {
   *   Output sum = state.getFirst().add(x.output());
   *   return Scanned.of(sum, sum);
   * })
   * }</pre>
   *
   * @param initialState the state for the first element; later states have its dtypes, and any
   *     shapes
   */
  public Dataset scan(List<Tensor> initialState, Functions.Scan function) {
    requireNonNull(initialState, "initialState is null");
    requireNonNull(function, "function is null");
    return Scans.of(this, initialState, function);
  }

  /** The elements, of one component, for which {@code condition} holds. */
  public Dataset filter(Functions.Condition condition) {
    requireNonNull(condition, "condition is null");
    return filterElement(e -> condition.test(e.output()));
  }

  /** The elements for which {@code condition} holds. */
  public Dataset filterElement(Functions.ElementCondition condition) {
    requireNonNull(condition, "condition is null");
    TracedLambda traced = TracedLambda.condition("filter", structure, condition::test);
    return new Dataset(
        structure,
        target ->
            new FunctionDatasetNode(target, this, traced.function(), structure)
                .functionAttr("predicate")
                .build("FilterDataset"));
  }

  /** The elements before the first for which {@code condition} does not hold. */
  public Dataset takeWhile(Functions.ElementCondition condition) {
    requireNonNull(condition, "condition is null");
    TracedLambda traced = TracedLambda.condition("take_while", structure, condition::test);
    return new Dataset(
        structure,
        target ->
            new FunctionDatasetNode(target, this, traced.function(), structure)
                .functionAttr("predicate")
                .build("TakeWhileDataset"));
  }

  /** Concatenates the datasets that {@code function} returns for each element. */
  public Dataset flatMap(Functions.ToDataset function) {
    requireNonNull(function, "function is null");
    return flatMapElement(e -> function.apply(e.output()));
  }

  /** Concatenates the datasets that {@code function} returns for each element. */
  public Dataset flatMapElement(Functions.ElementToDataset function) {
    requireNonNull(function, "function is null");
    TracedLambda traced = traceDataset("flat_map", function);
    return new Dataset(
        traced.structure(),
        target ->
            new FunctionDatasetNode(target, this, traced.function(), traced.structure())
                .build("FlatMapDataset"));
  }

  /** Interleaves the datasets that {@code function} returns for each element. */
  public Dataset interleave(Functions.ToDataset function, Interleave how) {
    requireNonNull(function, "function is null");
    requireNonNull(how, "how is null");
    return interleaveElement(e -> function.apply(e.output()), how);
  }

  /** Interleaves the datasets that {@code function} returns for each element. */
  public Dataset interleaveElement(Functions.ElementToDataset function, Interleave how) {
    requireNonNull(function, "function is null");
    requireNonNull(how, "how is null");
    TracedLambda traced = traceDataset("interleave", function);
    return new Dataset(
        traced.structure(),
        target -> {
          FunctionDatasetNode call =
              new FunctionDatasetNode(target, this, traced.function(), traced.structure())
                  .input(Tensor.scalar(how.cycleLength()))
                  .input(Tensor.scalar(how.blockLength()));
          if (how.parallelism() == 0) {
            return call.build("InterleaveDataset");
          }
          return call.input(Tensor.scalar(AUTOTUNE))
              .input(Tensor.scalar(AUTOTUNE))
              .input(Tensor.scalar(how.parallelism()))
              .attr("deterministic", how.deterministic() ? "true" : "false")
              .build("ParallelInterleaveDatasetV4");
        });
  }

  /**
   * Groups elements by key, and applies {@code reduce} to each group of {@code windowSize} elements
   * of one key and, at the end, to the incomplete groups.
   */
  public Dataset groupByWindow(
      Functions.OfElement key, long windowSize, Functions.Reduction reduce) {
    requireNonNull(key, "key is null");
    requireNonNull(reduce, "reduce is null");
    if (windowSize < 1) {
      throw StatusException.invalidArgument("a group has at least 1 element, not %d", windowSize);
    }
    return GroupByWindow.of(
        this, key, _ -> GraphBuilder.current().constant(Tensor.scalar(windowSize)), reduce);
  }

  /**
   * Groups elements by key, a scalar int64, and applies {@code reduce} to each group of as many
   * elements of one key as {@code windowSize} returns for it, a scalar int64, and, at the end, to
   * the incomplete groups.
   */
  public Dataset groupByWindow(
      Functions.OfElement key, UnaryOperator<Output> windowSize, Functions.Reduction reduce) {
    requireNonNull(key, "key is null");
    requireNonNull(windowSize, "windowSize is null");
    requireNonNull(reduce, "reduce is null");
    return GroupByWindow.of(this, key, windowSize, reduce);
  }

  /**
   * Batches of elements of similar length: an element goes into the bucket of its length, a scalar
   * int32 or int64, and each bucket that is full becomes a batch. Incomplete ones follow at the
   * end.
   *
   * <pre>{@code
   * // up to 32 sequences of fewer than 10 steps, 16 of fewer than 50, or 8 longer ones
   * sequences.bucketBySequenceLength(
   *     x -> x.output().shapeTensor().at(0),
   *     Buckets.of(new long[] {10, 50}, new long[] {32, 16, 8}))
   * }</pre>
   */
  public Dataset bucketBySequenceLength(Functions.ToScalar length, Buckets how) {
    requireNonNull(length, "length is null");
    requireNonNull(how, "how is null");
    return BucketBatches.of(this, length, how);
  }

  /**
   * The elements with the class of each, as tuples (class, element), so drawn that the classes come
   * in given proportions: elements of classes that are too frequent are dropped at random.
   *
   * <pre>{@code
   * // as many of class 0 as of class 1
   * images.rejectionResample(x -> x.get("label").output(), Resampling.to(0.5, 0.5).seed(1))
   * }</pre>
   *
   * @param classOf the class of an element, a scalar int32 or int64 from 0 on; called several times
   */
  public Dataset rejectionResample(Functions.ToScalar classOf, Resampling how) {
    requireNonNull(classOf, "classOf is null");
    requireNonNull(how, "how is null");
    return RejectionSampling.of(this, classOf, how);
  }

  // Transformations of the sequence of elements

  /** Batches of {@code size} consecutive elements, stacked; the last batch may be smaller. */
  public Dataset batch(long size) {
    return batch(size, false);
  }

  /** Batches of {@code size} consecutive elements, stacked. */
  public Dataset batch(long size, boolean dropRemainder) {
    requireBatchSize(size);
    return Batches.of(this, size, dropRemainder);
  }

  /**
   * Batches of {@code size} consecutive elements, of which up to {@code calls} are put together at
   * the same time ({@link #AUTOTUNE} adapts); in order, unless {@link #withOptions} says otherwise.
   */
  public Dataset batch(long size, boolean dropRemainder, long calls) {
    requireBatchSize(size);
    requireCalls(calls);
    return Batches.parallel(this, size, dropRemainder, calls);
  }

  /**
   * Batches of {@code size} consecutive elements, padded as {@code padding} states. An element that
   * is larger than the padded shape fails with DATA_LOSS.
   *
   * <pre>{@code
   * // [[1, 2, -7], [3, 4, 5]]
   * vectors.paddedBatch(2, false, Padding.TO_LONGEST.with(Tensor.scalar(-7L)))
   * }</pre>
   */
  public Dataset paddedBatch(long size, boolean dropRemainder, Padding padding) {
    requireNonNull(padding, "padding is null");
    requireBatchSize(size);
    return Batches.padded(this, size, dropRemainder, padding);
  }

  /** The same as {@link #raggedBatch(long, boolean)}; the last batch may be smaller. */
  public Dataset raggedBatch(long size) {
    return raggedBatch(size, false);
  }

  /**
   * Batches of {@code size} consecutive elements without padding. In the place of each component
   * with an unknown dimension is a map of the values of all rows, {@code flat_values}, and of where
   * the rows begin and end, {@code row_splits_0} and so on, int64; {@link Ragged} helps with it in
   * lambdas. Other components are stacked, as {@link #batch(long)} does.
   *
   * <pre>{@code
   * // {flat_values: [1, 2, 3], row_splits_0: [0, 1, 3]} of the vectors [1] and [2, 3]
   * vectors.raggedBatch(2, false)
   * }</pre>
   */
  public Dataset raggedBatch(long size, boolean dropRemainder) {
    requireBatchSize(size);
    return RaggedBatches.of(this, size, dropRemainder);
  }

  /**
   * One element for each slice of the components along the first dimension, which must be as large
   * in each component: the inverse of {@link #batch(long)}.
   */
  public Dataset unbatch() {
    return Rebatches.unbatch(this);
  }

  /** The rows of this dataset's batches in batches of {@code size}; the last may be smaller. */
  public Dataset rebatch(long size) {
    return rebatch(false, size);
  }

  /**
   * The rows of this dataset's batches in batches of {@code sizes}, in turn.
   *
   * <pre>{@code
   * Dataset.range(8).batch(8).rebatch(false, 2, 1) // [0, 1], [2], [3, 4], [5], [6, 7]
   * }</pre>
   *
   * @param dropRemainder whether a last batch that is not full is dropped
   */
  public Dataset rebatch(boolean dropRemainder, long... sizes) {
    requireNonNull(sizes, "sizes is null");
    for (long size : sizes) {
      requireBatchSize(size);
    }
    return Rebatches.rebatch(this, dropRemainder, sizes);
  }

  /**
   * Windows of elements. An element of the result has, in the place of each component, a dataset of
   * that component's values in the window.
   *
   * <pre>{@code
   * // [0, 1, 2], [2, 3, 4], [4, 5]
   * Dataset.range(6)
   *     .window(Window.of(3).shift(2))
   *     .flatMapElement(window -> window.dataset().batch(3))
   * }</pre>
   *
   * <p>Take several components together with {@link #zip}: {@code Dataset.zip(w.get(0).dataset(),
   * w.get(1).dataset())}. Datasets cannot be sent by a service, so flat-map windows before
   * distributing them.
   */
  public Dataset window(Window how) {
    requireNonNull(how, "how is null");
    return Windows.of(this, how);
  }

  /**
   * Elements drawn at random from a buffer of {@code bufferSize}, in TensorFlow's order for {@code
   * seed}.
   */
  public Dataset shuffle(long bufferSize, long seed) {
    return shuffle(bufferSize, Shuffle.seed(seed));
  }

  /** Elements drawn at random from a buffer of {@code bufferSize}. */
  public Dataset shuffle(long bufferSize, Shuffle how) {
    requireNonNull(how, "how is null");
    if (bufferSize < 1 && bufferSize != FileSources.ALL_NAMES) {
      throw StatusException.invalidArgument(
          "a shuffle has a buffer of at least 1 element, not %d", bufferSize);
    }
    long first = how.seeded() ? DEFAULT_GRAPH_SEED : 0;
    return same(
        "ShuffleDatasetV3",
        op ->
            op.input(Tensor.scalar(bufferSize))
                .input(Tensor.scalar(first))
                .input(Tensor.scalar(how.seed()))
                .node("DummySeedGenerator")
                .attr("reshuffle_each_iteration", how.reshuffleEachIteration()));
  }

  /** This dataset {@code count} times; without end if {@code count} is -1. */
  public Dataset repeat(long count) {
    requireCount("repeat", count);
    return same("RepeatDataset", op -> op.input(Tensor.scalar(count)));
  }

  /** The first {@code count} elements; all if {@code count} is -1. */
  public Dataset take(long count) {
    requireCount("take", count);
    return same("TakeDataset", op -> op.input(Tensor.scalar(count)));
  }

  /** The elements after the first {@code count}; none if {@code count} is -1. */
  public Dataset skip(long count) {
    requireCount("skip", count);
    return same("SkipDataset", op -> op.input(Tensor.scalar(count)));
  }

  /**
   * Every {@code shards}-th element, from element {@code index} on. If {@code shards} is {@link
   * #SHARD_HINT}, a service with sharding policy HINT fills in both; the dataset can't be read
   * otherwise.
   */
  public Dataset shard(long shards, long index) {
    if (shards != SHARD_HINT && (index < 0 || index >= shards)) {
      throw StatusException.invalidArgument(
          "shard takes an index from 0 to %d of %d shards, and was given %d",
          shards - 1, shards, index);
    }
    return same("ShardDataset", op -> op.input(Tensor.scalar(shards)).input(Tensor.scalar(index)));
  }

  /**
   * The elements without those that were there before: scalars or tensors of int32, int64 or
   * string. All different elements of a pass are kept in memory.
   */
  public Dataset unique() {
    structure.checkTensors("unique");
    if (structure.size() != 1 || !UNIQUE.contains(structure.types().getFirst())) {
      throw StatusException.invalidArgument(
          "unique takes elements of one component of int32, int64 or string, and was given %s",
          structure);
    }
    return same("UniqueDataset", op -> op);
  }

  /**
   * The elements that have no error; others are left out in silence, and counted: {@link
   * ElementIterator#errorsIgnored} says how many.
   */
  public Dataset ignoreErrors() {
    return ignoreErrors(false);
  }

  /**
   * The elements without those that failed, which {@link ElementIterator#errorsIgnored} counts.
   *
   * @param logWarning whether warnings tell of these, in the log of the process that runs this (a
   *     worker's before {@code distribute}): of the first ten of a pass by a line each, then by a
   *     sum, at most every ten seconds, and one at the end of the pass
   */
  public Dataset ignoreErrors(boolean logWarning) {
    return same("IgnoreErrorsDataset", op -> op.attr("log_warning", logWarning));
  }

  /**
   * The same elements; a pass fails with FAILED_PRECONDITION at its end, or at the first element
   * too many, if they are not {@code count}. -1 stands for infinitely many.
   */
  public Dataset assertCardinality(long count) {
    return same("AssertCardinalityDataset", op -> op.input(Tensor.scalar(count)));
  }

  /** This dataset, with {@code options} for its transformations. */
  public Dataset withOptions(DatasetOptions options) {
    requireNonNull(options, "options is null");
    return same(
        "OptionsDataset",
        op ->
            op.attr("serialized_options", AttrValue.newBuilder().setS(options.toBytes()).build()));
  }

  /** Reads elements ahead of the consumer, as many as prove useful. */
  public Dataset prefetch() {
    return prefetch(AUTOTUNE);
  }

  /** Reads {@code elements} elements ahead of the consumer ({@link #AUTOTUNE} adapts). */
  public Dataset prefetch(long elements) {
    requireCount("prefetch", elements);
    return same("PrefetchDataset", op -> op.input(Tensor.scalar(elements)));
  }

  /** Caches the elements of the first complete pass in memory for later passes. */
  public Dataset cache() {
    return same("CacheDatasetV2", op -> op.input(Tensor.scalar("")).node("DummyMemoryCache"));
  }

  // On disk

  /**
   * Caches the elements of the first complete pass in files whose names begin with {@code file},
   * for later passes of this and other processes; the files are TensorFlow's.
   *
   * <p>One pass at a time writes them. Reading fails with ALREADY_EXISTS, naming the lock file,
   * while another does, and after a writer was killed, until the lock file is deleted. A pass that
   * ends early caches nothing. Workers need caches of their own, one file for each.
   */
  public Dataset cache(String file) {
    requireNonNull(file, "file is null");
    return same("CacheDatasetV2", op -> op.input(Tensor.scalar(file)).node("DummyMemoryCache"));
  }

  /** Snapshots with {@link SaveOptions#SNAPSHOT}: {@link #snapshot(String, SaveOptions)}. */
  public Dataset snapshot(String path) {
    requireNonNull(path, "path is null");
    return snapshot(path, SaveOptions.SNAPSHOT);
  }

  /**
   * This dataset, until a pass has been read to its end, which writes a snapshot of it under {@code
   * path}; later passes of any process over an equal dataset read that instead. The snapshot is for
   * the graph of this dataset: one with another graph, even another constant, has its own.
   *
   * <p>Any number of passes may write at the same time; the last to finish is read. The files are
   * TensorFlow's.
   */
  public Dataset snapshot(String path, SaveOptions how) {
    requireNonNull(how, "how is null");
    requireNonNull(path, "path is null");
    return SavedDatasets.snapshot(this, path, how);
  }

  /** Saves with {@link SaveOptions#SAVE}: {@link #save(String, SaveOptions)}. */
  public void save(String path) {
    requireNonNull(path, "path is null");
    save(path, SaveOptions.SAVE);
  }

  /**
   * Reads this dataset in this process and saves its elements in the folder {@code path}, to be
   * read with {@link #load(String)} or TensorFlow's {@code Dataset.load}. An earlier dataset there
   * stays readable until all is on disk, and is then replaced.
   *
   * <pre>{@code
   * Dataset.range(1000).save("/data/numbers", SaveOptions.SAVE.compression(Compression.GZIP));
   * Dataset numbers = Dataset.load("/data/numbers", Compression.GZIP);
   * }</pre>
   *
   * @throws StatusException UNIMPLEMENTED for elements that hold datasets; the error of an element,
   *     or of the disk
   */
  public void save(String path, SaveOptions how) {
    requireNonNull(how, "how is null");
    requireNonNull(path, "path is null");
    SavedDatasets.save(this, path, how);
  }

  /** The elements that {@link #save(String)} or TensorFlow saved in {@code path}, uncompressed. */
  public static Dataset load(String path) {
    requireNonNull(path, "path is null");
    return load(path, Compression.NONE);
  }

  /**
   * The elements that were saved in {@code path} with {@code compression}; shards are interleaved.
   * Their structure is read here and now, the elements where the dataset runs.
   *
   * <p>It may be a snapshot that a service writes (TensorFlow's {@code distributed_save}): its
   * compression is known, and a pass waits for the chunks that are not written yet.
   *
   * @throws StatusException NOT_FOUND if no dataset is saved there; UNIMPLEMENTED if its elements
   *     have sparse or ragged tensors
   */
  public static Dataset load(String path, Compression compression) {
    requireNonNull(path, "path is null");
    requireNonNull(compression, "compression is null");
    return SavedDatasets.load(path, compression);
  }

  /** The elements of this dataset, followed by those of {@code next}. */
  public Dataset concatenate(Dataset next) {
    requireNonNull(next, "next is null");
    return ZipAndConcatenate.concatenate(this, next);
  }

  /** Tuples of one element of each dataset; ends with the shortest. */
  public static Dataset zip(Dataset... datasets) {
    requireNonNull(datasets, "datasets is null");
    return ZipAndConcatenate.zip(List.of(datasets));
  }

  /**
   * Elements of {@code datasets}, each from one that is drawn at random.
   *
   * <pre>{@code
   * Dataset.sampleFromDatasets(List.of(cats, dogs), Sampling.weights(0.3, 0.7).seed(4))
   * }</pre>
   *
   * @param datasets datasets of elements of the same dtypes
   */
  public static Dataset sampleFromDatasets(List<Dataset> datasets, Sampling how) {
    requireNonNull(how, "how is null");
    requireNonNull(datasets, "datasets is null");
    return DirectedInterleave.sample(datasets, how);
  }

  /**
   * Elements of {@code datasets}, each from the one whose index, a scalar int64, is the next
   * element of {@code choices}.
   *
   * <pre>{@code
   * // 0, 10, 1, 11
   * Dataset.chooseFromDatasets(
   *     List.of(Dataset.range(2), Dataset.range(10, 12, 1)), Dataset.range(2).repeat(2), true)
   * }</pre>
   *
   * @param stopOnEmptyDataset whether a choice of a dataset that has ended ends the result;
   *     otherwise it is skipped
   */
  public static Dataset chooseFromDatasets(
      List<Dataset> datasets, Dataset choices, boolean stopOnEmptyDataset) {
    requireNonNull(choices, "choices is null");
    requireNonNull(datasets, "datasets is null");
    return DirectedInterleave.choose(datasets, choices, stopOnEmptyDataset);
  }

  /**
   * The same as {@link #chooseFromDatasets(List, Dataset, boolean)}; a choice of a dataset that has
   * ended ends the result.
   */
  public static Dataset chooseFromDatasets(List<Dataset> datasets, Dataset choices) {
    requireNonNull(choices, "choices is null");
    requireNonNull(datasets, "datasets is null");
    return chooseFromDatasets(datasets, choices, true);
  }

  /** Tuples of an index, counted from {@code start}, and an element. */
  public Dataset enumerate(long start) {
    // Where workers divide the elements, each worker counts its own.
    return zip(MemorySources.replicatedCounter(start), this);
  }

  /** Applies {@code transformation} to this dataset. */
  public Dataset apply(UnaryOperator<Dataset> transformation) {
    requireNonNull(transformation, "transformation is null");
    return TracedLambda.dataset(transformation.apply(this));
  }

  private static void requireBatchSize(long size) {
    if (size < 1) {
      throw StatusException.invalidArgument("a batch has at least 1 element, not %d", size);
    }
  }

  /** Requires a number of elements or passes, or -1. */
  private static void requireCount(String name, long count) {
    if (count < -1) {
      throw StatusException.invalidArgument(
          "%s takes a number from 0 on, or -1, and was given %d", name, count);
    }
  }

  private static void requireCalls(long calls) {
    if (calls < 1 && calls != AUTOTUNE) {
      throw StatusException.invalidArgument(
          "at least 1 call runs at a time, or as many as AUTOTUNE (-1) finds, not %d", calls);
    }
  }

  private Dataset same(String opName, UnaryOperator<NodeBuilder> inputs) {
    return new Dataset(
        structure,
        DatasetNodeBuilder.on(
            this,
            (graph, input) ->
                DatasetNodeBuilder.typed(inputs.apply(graph.op(opName).input(input)), structure)));
  }

  private TracedLambda trace(String name, Functions.OfElement function) {
    return TracedLambda.of(name, structure, function);
  }

  private TracedLambda traceDataset(String name, Functions.ElementToDataset function) {
    return TracedLambda.ofDataset(name, structure, function);
  }

  /** Adds this dataset's nodes to {@code graph}, which must not hold any of them. */
  Output build(GraphBuilder graph) {
    return new DatasetNodeBuilder.Target(graph).build(this);
  }

  private static OpRegistry registry() {
    return OpRegistry.standard();
  }

  // Reading

  /** The graph of this dataset, as stock TensorFlow serializes it: its last node is the result. */
  public GraphDef toGraphDef() {
    GraphBuilder graph = new GraphBuilder(registry());
    return graph.toDatasetGraph(build(graph));
  }

  /** The number of elements; -1 if infinite, -2 if unknown before reading. */
  public long cardinality() {
    return LocalChunkReader.load(toGraphDef(), StepContext.standalone()).cardinality();
  }

  /** Starts a pass in this process; close it to end it early, as {@link ElementIterator} tells. */
  @Override
  public ElementIterator iterator() {
    return new ElementIterator(structure, LocalChunkReader.open(toGraphDef()));
  }

  /**
   * Calls {@code action} with each element of a pass in this process. The pass ends with the first
   * element that fails, and with the first error of the action, which is thrown.
   */
  @Override
  public void forEach(Consumer<? super Element> action) {
    requireNonNull(action, "action is null");
    try (ElementIterator elements = iterator()) {
      elements.forEachRemaining(action);
    }
  }

  /** A pass in this process, as a stream; close it to end it early. */
  public Stream<Element> stream() {
    return iterator().stream();
  }

  /** Starts a pass in this process that returns whole chunks; close it to end it early. */
  public ChunkReader chunks() {
    return LocalChunkReader.open(toGraphDef());
  }

  /**
   * This dataset, read as records: a view that runs nothing of its own. Parts of a map go to the
   * components of the same names, parts of a tuple, or a single component, to those in the same
   * place. Components are numbers, booleans, Strings, arrays of them by rank (a one-dimensional
   * array also takes tensors of a higher rank, in row-major order), {@code byte[]} for a string,
   * direct buffers such as {@link java.nio.FloatBuffer} for tensors of any rank, {@link Tensor}, or
   * records for nested parts.
   *
   * <pre>{@code
   * record Image(float[] image, long label) {}
   *
   * for (Image image : images.as(Image.class)) { ... }
   * }</pre>
   *
   * @throws StatusException INVALID_ARGUMENT, naming both sides, if the elements do not fit
   */
  public <R extends Record> TypedDataset<R> as(Class<R> type) {
    requireNonNull(type, "type is null");
    return new TypedDataset<>(this, RowType.of(type).reader(structure));
  }

  /**
   * The plan of this dataset, a line a stage in the order in which elements pass them: the stage,
   * its main arguments, what its elements are, and how its functions run. Below a stage whose
   * elements a service's workers make are the stages that the workers run, how these are divided,
   * and the guarantee: the dispatcher is asked for it, for five seconds at most.
   */
  public String explain() {
    return Plan.explained(this);
  }

  /** The plan of this dataset, a line a stage; {@link #explain} tells more. */
  @Override
  public String toString() {
    return Plan.of(this);
  }

  /**
   * A dataset whose op belongs to another module, for instance one that reads from a service:
   * {@code node} adds its node to a graph. Its elements have {@code structure}.
   */
  public static Dataset ofNode(Structure structure, Function<GraphBuilder, Output> node) {
    requireNonNull(structure, "structure is null");
    requireNonNull(node, "node is null");
    return new Dataset(structure, target -> node.apply(target.graph()));
  }
}
