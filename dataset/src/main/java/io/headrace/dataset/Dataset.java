package io.headrace.dataset;

import io.headrace.dataset.execute.AutoShard;
import io.headrace.proto.tensorflow.GraphDef;
import io.headrace.runtime.graph.FunctionBuilder;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.graph.TracedFunction;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A sequence of elements, described and not yet read: a graph that this process runs when it is
 * iterated, and that workers, stock TensorFlow's as well, run when it is distributed.
 *
 * <pre>{@code
 * Dataset numbers = Dataset.range(10).map(x -> x.mul(2)).batch(4);
 * for (Element e : numbers) {
 *   long[] values = e.tensor().longs();
 * }
 * }</pre>
 *
 * <p>Immutable and thread-safe; every method returns another dataset. Lambdas are called once, when
 * the dataset is defined. An iteration closes itself at its end; to leave one early, close its
 * iterator.
 */
public final class Dataset implements Iterable<Element> {
  /** Lets parallelism or a buffer adapt. */
  public static final long AUTOTUNE = -1;

  /** Lets a service fill in a {@link #shard}. */
  public static final long SHARD_HINT = AutoShard.SHARD_HINT;

  /** Lets {@link #batch(long, boolean)} drop a last batch that is not full. */
  public static final boolean DROP_REMAINDER = true;

  /** What TensorFlow uses as the first of two seeds where only the second is given. */
  private static final long DEFAULT_GRAPH_SEED = 87654321;

  /** The buffer size that asks a shuffle for all elements: TensorFlow's unknown cardinality. */
  private static final long EVERYTHING = -2;

  private static final String RANGE = "RangeDataset";
  private static final String SLICES = "TensorSliceDataset";

  private final Structure structure;
  private final Recipe recipe;

  private Dataset(Structure structure, Recipe recipe) {
    this.structure = structure;
    this.recipe = recipe;
  }

  Recipe recipe() {
    return recipe;
  }

  /** How the elements' components are nested. */
  public Structure structure() {
    return structure;
  }

  // Sources

  /** 0, 1, ... up to {@code stop}, int64. */
  public static Dataset range(long stop) {
    return range(0, stop, 1);
  }

  /** {@code start}, {@code start + step}, ... short of {@code stop}, int64. */
  public static Dataset range(long start, long stop, long step) {
    return source(
        new Structure.Component(DataType.INT64, Shape.SCALAR),
        RANGE,
        op -> op.input(Tensor.scalar(start)).input(Tensor.scalar(stop)).input(Tensor.scalar(step)));
  }

  /** One element, with {@code components}. */
  public static Dataset tensors(Tensor... components) {
    List<Tensor> values = List.of(components);
    return source(structureOf(values, Tensor::shape), "TensorDataset", op -> op.constants(values));
  }

  /** An element for each slice of the first dimension of {@code components}. */
  public static Dataset tensorSlices(Tensor... components) {
    List<Tensor> values = List.of(components);
    return source(
        structureOf(values, value -> value.shape().dropFirst(1)),
        SLICES,
        op -> op.constants(values));
  }

  private static Structure structureOf(List<Tensor> values, Function<Tensor, Shape> shape) {
    List<Structure> parts =
        values.stream()
            .<Structure>map(value -> new Structure.Component(value.dtype(), shape.apply(value)))
            .toList();
    return parts.size() == 1 ? parts.getFirst() : new Structure.Tuple(parts);
  }

  /** The slices of the first dimension of outputs of a traced function. */
  public static Dataset tensorSlices(Output... components) {
    List<Output> values = List.of(components);
    List<Structure> parts =
        values.stream()
            .<Structure>map(v -> new Structure.Component(v.dtype(), v.shape().dropFirst(1)))
            .toList();
    Structure structure = parts.size() == 1 ? parts.getFirst() : new Structure.Tuple(parts);
    return new Dataset(
        structure,
        target -> typed(target.graph().op(SLICES).inputs(values), structure, "Toutput_types"));
  }

  /** 0, 1, ... up to an output of a traced function, a scalar int64. */
  public static Dataset range(Output stop) {
    Structure structure = new Structure.Component(DataType.INT64, Shape.SCALAR);
    return new Dataset(
        structure,
        target ->
            typed(
                target
                    .graph()
                    .op(RANGE)
                    .input(Tensor.scalar(0L))
                    .input(stop)
                    .input(Tensor.scalar(1L)),
                structure));
  }

  /** The names of the files that match {@code pattern} ({@code *}, {@code ?}, {@code [...]}). */
  public static Dataset listFiles(String pattern, Shuffle shuffle) {
    Structure structure = new Structure.Component(DataType.STRING, Shape.SCALAR);
    // A list of names, as TensorFlow's: each is a split that a worker can read.
    Dataset files =
        new Dataset(
            structure,
            target -> {
              Output names =
                  target.graph().op("MatchingFiles").input(Tensor.scalar(pattern)).build();
              NodeBuilder slices = target.graph().op(SLICES).inputs(List.of(names));
              return typed(slices.attr("is_files", true), structure, "Toutput_types");
            });
    // File names are small, and an order is only right over all of them.
    return files.shuffle(EVERYTHING, shuffle);
  }

  /** The records of TFRecord files, one file after the other; strings. */
  public static Dataset tfRecord(String... files) {
    return tfRecord(Compression.NONE, files);
  }

  /** The records of compressed TFRecord files. */
  public static Dataset tfRecord(Compression compression, String... files) {
    return records("TFRecordDataset", compression, Tensor.vector(files));
  }

  /** The records of the TFRecord files that an output of a traced function names. */
  public static Dataset tfRecord(Output files) {
    return tfRecord(Compression.NONE, files);
  }

  /** The records of compressed TFRecord files. */
  public static Dataset tfRecord(Compression compression, Output files) {
    return records("TFRecordDataset", compression, files);
  }

  /** The lines of text files, without their ends; strings. */
  public static Dataset textLines(String... files) {
    return records("TextLineDataset", Compression.NONE, Tensor.vector(files));
  }

  /** The lines of the text files that an output of a traced function names. */
  public static Dataset textLines(Output files) {
    return records("TextLineDataset", Compression.NONE, files);
  }

  private static Dataset records(String opName, Compression compression, Object files) {
    return new Dataset(
        new Structure.Component(DataType.STRING, Shape.SCALAR),
        target ->
            inputEither(target.graph().op(opName), files)
                .input(Tensor.scalar(compression.tfName()))
                .input(Tensor.scalar(READ_BUFFER_BYTES))
                .build());
  }

  private static final long READ_BUFFER_BYTES = 256 << 10;

  /** Records of {@code recordBytes} bytes, between a header and a footer of each file; strings. */
  public static Dataset fixedLengthRecords(
      long recordBytes,
      long headerBytes,
      long footerBytes,
      Compression compression,
      String... files) {
    return new Dataset(
        new Structure.Component(DataType.STRING, Shape.SCALAR),
        target ->
            target
                .graph()
                .op("FixedLengthRecordDatasetV2")
                .input(Tensor.vector(files))
                .input(Tensor.scalar(headerBytes))
                .input(Tensor.scalar(recordBytes))
                .input(Tensor.scalar(footerBytes))
                .input(Tensor.scalar(READ_BUFFER_BYTES))
                .input(Tensor.scalar(compression.tfName()))
                .build());
  }

  private static NodeBuilder inputEither(NodeBuilder op, Object value) {
    return value instanceof Output output ? op.input(output) : op.input((Tensor) value);
  }

  private static Dataset source(
      Structure structure, String opName, UnaryOperator<NodeBuilder> inputs) {
    return new Dataset(
        structure,
        target -> {
          NodeBuilder op = inputs.apply(target.graph().op(opName));
          return opName.startsWith("Tensor")
              ? typed(op, structure, "Toutput_types")
              : typed(op, structure);
        });
  }

  private static Output typed(NodeBuilder op, Structure structure) {
    return typed(op, structure, "output_types");
  }

  private static Output typed(NodeBuilder op, Structure structure, String typesAttr) {
    return op.types(typesAttr, structure.types())
        .shapes("output_shapes", structure.shapes())
        .build();
  }

  // Transformations of each element

  /** Each element with one component through {@code function}. */
  public Dataset map(Functions.Of1 function) {
    return mapElement(one(function));
  }

  /** Each element with two components through {@code function}. */
  public Dataset map(Functions.Of2 function) {
    return mapElement(two(function));
  }

  /** Each element with three components through {@code function}. */
  public Dataset map(Functions.Of3 function) {
    return mapElement(three(function));
  }

  /** The same, with {@code calls} elements in the making at once ({@link #AUTOTUNE} adapts). */
  public Dataset map(Functions.Of1 function, long calls) {
    return mapElement(one(function), calls, true);
  }

  /** The same, with {@code calls} elements in the making at once ({@link #AUTOTUNE} adapts). */
  public Dataset map(Functions.Of2 function, long calls) {
    return mapElement(two(function), calls, true);
  }

  /** The same, with {@code calls} elements in the making at once ({@link #AUTOTUNE} adapts). */
  public Dataset map(Functions.Of3 function, long calls) {
    return mapElement(three(function), calls, true);
  }

  private static Functions.OfElement one(Functions.Of1 function) {
    return e -> function.apply(e.output());
  }

  private static Functions.OfElement two(Functions.Of2 function) {
    return e -> {
      List<Output> c = components(e, 2);
      return function.apply(c.get(0), c.get(1));
    };
  }

  private static Functions.OfElement three(Functions.Of3 function) {
    return e -> {
      List<Output> c = components(e, 3);
      return function.apply(c.get(0), c.get(1), c.get(2));
    };
  }

  private static List<Output> components(SymbolicElement element, int count) {
    if (element.components().size() != count) {
      throw StatusException.invalidArgument(
          "the function takes %d components and the element has %d",
          count, element.components().size());
    }
    return element.components();
  }

  /** Each element, of any structure, through {@code function}. */
  public Dataset mapElement(Functions.OfElement function) {
    return mapped(trace("map", function), op -> op.build("MapDataset"));
  }

  /**
   * Each element through {@code function}, {@code calls} of them in the making at once ({@link
   * #AUTOTUNE} adapts); in order, unless {@code deterministic} is false.
   */
  public Dataset mapElement(Functions.OfElement function, long calls, boolean deterministic) {
    return mapped(
        trace("map", function),
        op ->
            op.input(Tensor.scalar(calls))
                .attr("deterministic", deterministic ? "true" : "false")
                .build("ParallelMapDatasetV2"));
  }

  private Dataset mapped(Traced traced, Function<FunctionCall, Output> finish) {
    return new Dataset(
        traced.structure(),
        target ->
            finish.apply(
                new FunctionCall(target, this, traced.function(), traced.structure())
                    .attr("preserve_cardinality", true)));
  }

  /** The elements with one component for which {@code condition} holds. */
  public Dataset filter(Functions.Condition condition) {
    return filterElement(e -> condition.test(e.output()));
  }

  /** The elements for which {@code condition} holds. */
  public Dataset filterElement(Functions.ElementCondition condition) {
    Traced traced = trace("filter", condition::test, "predicate");
    return new Dataset(
        structure,
        target ->
            new FunctionCall(target, this, traced.function(), structure)
                .functionAttr("predicate")
                .build("FilterDataset"));
  }

  /** The elements of the datasets that {@code function} makes of each element, in order. */
  public Dataset flatMap(Functions.ToDataset function) {
    return flatMapElement(e -> function.apply(e.output()));
  }

  /** The elements of the datasets that {@code function} makes of each element, in order. */
  public Dataset flatMapElement(Functions.ElementToDataset function) {
    Traced traced = traceDataset("flat_map", function);
    return new Dataset(
        traced.structure(),
        target ->
            new FunctionCall(target, this, traced.function(), traced.structure())
                .build("FlatMapDataset"));
  }

  /** The elements of the datasets that {@code function} makes, of several of them by turns. */
  public Dataset interleave(Functions.ToDataset function, Interleave how) {
    return interleaveElement(e -> function.apply(e.output()), how);
  }

  /** The elements of the datasets that {@code function} makes, of several of them by turns. */
  public Dataset interleaveElement(Functions.ElementToDataset function, Interleave how) {
    Traced traced = traceDataset("interleave", function);
    return new Dataset(
        traced.structure(),
        target -> {
          FunctionCall call =
              new FunctionCall(target, this, traced.function(), traced.structure())
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
   * Collects elements by key, and puts {@code windowSize} of one key at a time, and what is left at
   * the end, through {@code reduce}.
   */
  public Dataset groupByWindow(
      Functions.OfElement key, long windowSize, Functions.Reduction reduce) {
    Traced keyFunction = trace("key", key);
    TracedFunction size =
        FunctionBuilder.trace(
            "window_size",
            registry(),
            List.of(DataType.INT64),
            List.of(Shape.SCALAR),
            _ -> List.of(GraphBuilder.current().constant(Tensor.scalar(windowSize))));
    List<Structure> result = new ArrayList<>();
    TracedFunction reduction =
        FunctionBuilder.trace(
            "reduce",
            registry(),
            List.of(DataType.INT64, DataType.VARIANT),
            List.of(Shape.SCALAR, Shape.SCALAR),
            args -> {
              Dataset group = new Dataset(structure, _ -> args.get(1));
              Dataset reduced = reduce.apply(args.get(0), group);
              result.add(reduced.structure);
              return List.of(reduced.build(GraphBuilder.current()));
            });
    return new Dataset(
        result.getFirst(),
        Recipe.on(
            this,
            (graph, input) ->
                typed(
                    graph
                        .op("GroupByWindowDataset")
                        .input(input)
                        .inputs(keyFunction.function().captured())
                        .inputs(reduction.captured())
                        .inputs(size.captured())
                        .attr("key_func", keyFunction.function())
                        .attr("reduce_func", reduction)
                        .attr("window_size_func", size),
                    result.getFirst())));
  }

  // Transformations of the sequence

  /** Groups of {@code size} consecutive elements, stacked; the last may be smaller. */
  public Dataset batch(long size) {
    return batch(size, false);
  }

  /** Groups of {@code size} consecutive elements, stacked. */
  public Dataset batch(long size, boolean dropRemainder) {
    Structure batched =
        structure.mapShapes(shape -> shape.prepend(dropRemainder ? size : Shape.UNKNOWN_DIMENSION));
    return new Dataset(
        batched,
        Recipe.on(
            this,
            (graph, input) ->
                typed(
                    graph
                        .op("BatchDatasetV2")
                        .input(input)
                        .input(Tensor.scalar(size))
                        .input(Tensor.scalar(dropRemainder)),
                    batched)));
  }

  /**
   * Groups of {@code size} consecutive elements, each padded with zeros or empty strings to {@code
   * shapes}, a shape for each component; a dimension of -1 is the largest of the group.
   */
  public Dataset paddedBatch(long size, boolean dropRemainder, List<Shape> shapes) {
    List<Shape> remaining = new ArrayList<>(shapes);
    Structure batched =
        structure.mapShapes(
            _ -> remaining.removeFirst().prepend(dropRemainder ? size : Shape.UNKNOWN_DIMENSION));
    return new Dataset(
        batched,
        Recipe.on(
            this,
            (graph, input) ->
                graph
                    .op("PaddedBatchDatasetV2")
                    .input(input)
                    .input(Tensor.scalar(size))
                    .inputs(
                        shapes.stream()
                            .map(s -> graph.constant(Tensor.vector(s.dimensions())))
                            .toList())
                    .inputs(structure.types().stream().map(type -> padding(graph, type)).toList())
                    .input(Tensor.scalar(dropRemainder))
                    .types("Toutput_types", structure.types())
                    .shapes("output_shapes", batched.shapes())
                    .build()));
  }

  private static Output padding(GraphBuilder graph, DataType type) {
    return graph.constant(
        type == DataType.STRING
            ? Tensor.scalar("")
            : Tensor.of(type, Shape.SCALAR, type.kind().newArray(1)));
  }

  /**
   * Elements drawn at random from a buffer of {@code bufferSize}: TensorFlow's order for a seed.
   */
  public Dataset shuffle(long bufferSize, long seed) {
    return shuffle(bufferSize, Shuffle.seed(seed));
  }

  /** Elements drawn at random from a buffer of {@code bufferSize}. */
  public Dataset shuffle(long bufferSize, Shuffle how) {
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

  /** This dataset {@code count} times, without end if that is -1. */
  public Dataset repeat(long count) {
    return same("RepeatDataset", op -> op.input(Tensor.scalar(count)));
  }

  /** The first {@code count} elements, all if that is -1. */
  public Dataset take(long count) {
    return same("TakeDataset", op -> op.input(Tensor.scalar(count)));
  }

  /** All but the first {@code count} elements. */
  public Dataset skip(long count) {
    return same("SkipDataset", op -> op.input(Tensor.scalar(count)));
  }

  /**
   * Every {@code shards}-th element, from element {@code index} on. If {@code shards} is {@link
   * #SHARD_HINT}, a service that divides the dataset by hint fills in both; it can't be read
   * otherwise.
   */
  public Dataset shard(long shards, long index) {
    return same("ShardDataset", op -> op.input(Tensor.scalar(shards)).input(Tensor.scalar(index)));
  }

  /** Keeps {@code elements} ready ahead of the reader ({@link #AUTOTUNE} adapts). */
  public Dataset prefetch(long elements) {
    return same("PrefetchDataset", op -> op.input(Tensor.scalar(elements)));
  }

  /** Keeps the elements of the first whole pass in memory for those that follow. */
  public Dataset cache() {
    return same("CacheDatasetV2", op -> op.input(Tensor.scalar("")).node("DummyMemoryCache"));
  }

  /** The elements of this dataset, and then those of {@code next}. */
  public Dataset concatenate(Dataset next) {
    if (!structure.types().equals(next.structure.types())) {
      throw StatusException.invalidArgument(
          "datasets of %s and %s cannot be concatenated",
          structure.types(), next.structure.types());
    }
    List<Shape> others = new ArrayList<>(next.structure.shapes());
    Structure both = structure.mapShapes(shape -> common(shape, others.removeFirst()));
    return new Dataset(
        both,
        target ->
            typed(
                target
                    .graph()
                    .op("ConcatenateDataset")
                    .input(target.build(this))
                    .input(target.build(next)),
                both));
  }

  private static Shape common(Shape a, Shape b) {
    if (a.rank() < 0 || a.rank() != b.rank()) {
      return Shape.UNKNOWN;
    }
    long[] sizes = a.dimensions();
    for (int i = 0; i < sizes.length; i++) {
      sizes[i] = sizes[i] == b.size(i) ? sizes[i] : Shape.UNKNOWN_DIMENSION;
    }
    return Shape.of(sizes);
  }

  /** Tuples of an element of each dataset, as long as all have one. */
  public static Dataset zip(Dataset... datasets) {
    List<Dataset> inputs = List.of(datasets);
    Structure zipped = new Structure.Tuple(inputs.stream().map(d -> d.structure).toList());
    return new Dataset(
        zipped,
        target ->
            typed(
                target
                    .graph()
                    .op("ZipDataset")
                    .inputs(inputs.stream().map(target::build).toList())
                    .attr("N", inputs.size()),
                zipped));
  }

  /** Tuples of a number, from {@code start} on, and an element. */
  public Dataset enumerate(long start) {
    Dataset numbers =
        source(
            new Structure.Component(DataType.INT64, Shape.SCALAR),
            RANGE,
            op ->
                op.input(Tensor.scalar(start))
                    .input(Tensor.scalar(Long.MAX_VALUE))
                    .input(Tensor.scalar(1L))
                    // Where workers share the elements, each counts its own.
                    .attr("replicate_on_split", true));
    return zip(numbers, this);
  }

  /** What {@code transformation} makes of this dataset. */
  public Dataset apply(UnaryOperator<Dataset> transformation) {
    return transformation.apply(this);
  }

  private Dataset same(String opName, UnaryOperator<NodeBuilder> inputs) {
    return new Dataset(
        structure,
        Recipe.on(
            this, (graph, input) -> typed(inputs.apply(graph.op(opName).input(input)), structure)));
  }

  // Tracing

  /** A function, and what it makes of an element. */
  private record Traced(TracedFunction function, Structure structure) {}

  private Traced trace(String name, Functions.OfElement function) {
    return trace(name, function, name);
  }

  private Traced trace(String name, Functions.OfElement function, String role) {
    List<Structure> result = new ArrayList<>();
    TracedFunction traced =
        FunctionBuilder.trace(
            name,
            registry(),
            structure.types(),
            structure.shapes(),
            args -> {
              Object returned = function.apply(new SymbolicElement(structure, args));
              result.add(Structure.of(returned));
              return Structure.flatten(returned);
            });
    if (role.equals("predicate")) {
      checkPredicate(result.getFirst());
    }
    return new Traced(traced, result.getFirst());
  }

  private static void checkPredicate(Structure result) {
    if (!result.types().equals(List.of(DataType.BOOL))) {
      throw StatusException.invalidArgument(
          "a filter's condition must be a bool, and is %s", result.types());
    }
  }

  private Traced traceDataset(String name, Functions.ElementToDataset function) {
    List<Structure> result = new ArrayList<>();
    TracedFunction traced =
        FunctionBuilder.trace(
            name,
            registry(),
            structure.types(),
            structure.shapes(),
            args -> {
              Dataset made = function.apply(new SymbolicElement(structure, args));
              result.add(made.structure);
              return List.of(made.build(GraphBuilder.current()));
            });
    return new Traced(traced, result.getFirst());
  }

  private Output build(GraphBuilder graph) {
    return new Recipe.Target(graph).build(this);
  }

  private static OpRegistry registry() {
    return OpRegistry.standard();
  }

  // Use

  /** The graph of this dataset, as stock TensorFlow writes it: its last node is the result. */
  public GraphDef toGraphDef() {
    GraphBuilder graph = new GraphBuilder(registry());
    return graph.toDatasetGraph(build(graph));
  }

  /** Number of elements; -1 if there is no end, -2 if it is not known before they are read. */
  public long cardinality() {
    return LocalPass.load(toGraphDef(), StepContext.standalone()).cardinality();
  }

  /** Begins a pass in this process; close it to end it early. */
  @Override
  public ElementIterator iterator() {
    return new ElementIterator(structure, LocalPass.open(toGraphDef()));
  }

  /** A pass in this process, as a stream; close it to end it early. */
  public Stream<Element> stream() {
    return iterator().stream();
  }

  /** Begins a pass in this process that gives whole chunks; close it to end it early. */
  public ChunkReader chunks() {
    return LocalPass.open(toGraphDef());
  }

  @Override
  public String toString() {
    return "Dataset" + structure;
  }

  /**
   * A dataset of another module: {@code opName} on {@code inputs}, as what reads from a service.
   * Its elements have {@code structure}.
   */
  public static Dataset ofNode(Structure structure, Function<GraphBuilder, Output> node) {
    return new Dataset(structure, target -> node.apply(target.graph()));
  }
}
