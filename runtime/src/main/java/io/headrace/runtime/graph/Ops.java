package io.headrace.runtime.graph;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * Operations for traced lambdas that are not methods of {@link Output}. {@link Numbers}, {@link
 * Tensors}, {@link Strings}, {@link Images} and {@link Randoms} have more.
 */
public final class Ops {
  private Ops() {}

  /** A constant. */
  public static Output constant(Tensor value) {
    return GraphBuilder.current().constant(value);
  }

  /** A float32 constant. */
  public static Output constant(float value) {
    return constant(Tensor.scalar(value));
  }

  /** An int64 constant. */
  public static Output constant(long value) {
    return constant(Tensor.scalar(value));
  }

  /** A string constant. */
  public static Output constant(String value) {
    return constant(Tensor.scalar(value));
  }

  /** The numbers 0, 1, ... below the scalar {@code stop}, of its dtype: a vector. */
  public static Output range(Output stop) {
    GraphBuilder graph = GraphBuilder.currentFor(stop);
    return graph
        .op("Range")
        .input(graph.constant(Tensor.scalar(0)).cast(stop.dtype()))
        .input(stop)
        .input(graph.constant(Tensor.scalar(1)).cast(stop.dtype()))
        .build();
  }

  /**
   * A tensor of {@code shape}, a vector of int32 or int64, filled with the scalar {@code value}.
   */
  public static Output fill(Output shape, Output value) {
    return GraphBuilder.currentFor(shape).op("Fill").input(shape).input(value).build();
  }

  /** Stacks tensors of one shape along a new dimension {@code axis}. */
  public static Output stack(List<Output> values, int axis) {
    return GraphBuilder.currentFor(values.getFirst())
        .op("Pack")
        .inputs(values)
        .attr("axis", axis)
        .build();
  }

  /** Concatenates tensors along dimension {@code axis}. */
  public static Output concat(List<Output> values, int axis) {
    return GraphBuilder.currentFor(values.getFirst())
        .op("ConcatV2")
        .inputs(values)
        .input(Tensor.scalar(axis))
        .build();
  }

  /** The bytes of the file whose name is the scalar {@code name}; NOT_FOUND if there is none. */
  public static Output readFile(Output name) {
    return op(name, "ReadFile").build();
  }

  /** The index of the largest value along {@code axis}; int64. */
  public static Output argMax(Output values, int axis) {
    return op(values, "ArgMax").input(Tensor.scalar(axis)).build();
  }

  /**
   * For each of {@code indices} a vector of {@code depth} values: 1 at the index, 0 elsewhere; all
   * 0 for an index outside.
   */
  public static Output oneHot(Output indices, int depth, DataType type) {
    GraphBuilder graph = GraphBuilder.currentFor(indices);
    return op(indices, "OneHot")
        .input(Tensor.scalar(depth))
        .input(graph.constant(Tensor.scalar(1)).cast(type))
        .input(graph.constant(Tensor.scalar(0)).cast(type))
        .build();
  }

  /** The values, none of them below {@code least} or above {@code greatest}. */
  public static Output clip(Output values, double least, double greatest) {
    return values.maximum(least).minimum(greatest);
  }

  /** The values, {@code times[i]} times along dimension i. */
  public static Output tile(Output values, long... times) {
    return op(values, "Tile").input(intVector(times)).build();
  }

  /** The values with {@code before[i]} zeros before and {@code after[i]} behind, in dimension i. */
  public static Output pad(Output values, long[] before, long[] after) {
    if (before.length != after.length) {
      throw StatusException.invalidArgument(
          "values are padded in the same dimensions before (%d) and behind (%d)",
          before.length, after.length);
    }
    long[] both = new long[2 * before.length];
    for (int i = 0; i < before.length; i++) {
      both[2 * i] = before[i];
      both[2 * i + 1] = after[i];
    }
    return op(values, "Pad").input(intVector(both).reshape(Shape.of(before.length, 2))).build();
  }

  /** The k largest values along the last dimension, largest first, and their indices, int32. */
  public static List<Output> topK(Output values, int k) {
    return op(values, "TopKV2").input(Tensor.scalar(k)).buildAll();
  }

  /** Whether all values along {@code axes} are true. */
  public static Output all(Output values, long... axes) {
    return op(values, "All").input(intVector(axes)).build();
  }

  /** Whether one of the values along {@code axes} is true. */
  public static Output any(Output values, long... axes) {
    return op(values, "Any").input(intVector(axes)).build();
  }

  /** Exponentials that add up to 1 along the last dimension. */
  public static Output softmax(Output values) {
    return op(values, "Softmax").build();
  }

  /** The indices of true values, a row each; int64. */
  public static Output where(Output condition) {
    return op(condition, "Where").build();
  }

  private static NodeBuilder op(Output first, String name) {
    return GraphBuilder.currentFor(first).op(name).input(first);
  }

  /**
   * Uniform random values in [0, 1), float32; the sequence differs in every iteration of the
   * dataset unless a seed is not 0. The same values as TensorFlow for the same seeds.
   */
  public static Output randomUniform(long seed, long seed2, long... shape) {
    return GraphBuilder.current()
        .op("RandomUniform")
        .input(intVector(shape))
        .attr("dtype", DataType.FLOAT32)
        .attr("seed", seed)
        .attr("seed2", seed2)
        .build();
  }

  /**
   * Uniform random values in [0, 1), float32, determined by {@code seed}, two int64. The same
   * values as TensorFlow for the same seed.
   */
  public static Output statelessUniform(Output seed, long... shape) {
    GraphBuilder graph = GraphBuilder.currentFor(seed);
    List<Output> keyAndCounter = graph.op("StatelessRandomGetKeyCounter").input(seed).buildAll();
    return graph
        .op("StatelessRandomUniformV2")
        .input(intVector(shape))
        .input(keyAndCounter.get(0))
        .input(keyAndCounter.get(1))
        .input(Tensor.scalar(1))
        .attr("dtype", DataType.FLOAT32)
        .build();
  }

  /**
   * Pins the nodes added until the scope is closed to a device: one of the worker that runs the
   * function, such as {@code /device:CPU:1}, or of another task of its cluster, {@code
   * /job:gpu/task:1/device:GPU:0}. Missing parts default to the worker itself and its first CPU.
   *
   * @throws StatusException INVALID_ARGUMENT if it is malformed
   */
  public static GraphBuilder.DeviceScope device(String spec) {
    return GraphBuilder.current().device(spec);
  }

  /**
   * {@code condition ? thenBranch : elseBranch}; only the taken branch runs.
   *
   * @throws StatusException INVALID_ARGUMENT naming the caller's line if a branch returns null
   */
  public static List<Output> cond(
      Output condition, Supplier<List<Output>> thenBranch, Supplier<List<Output>> elseBranch) {
    GraphBuilder graph = GraphBuilder.currentFor(condition);
    // Both branches take the captures of either: a first trace collects them, a second one uses
    // them.
    Set<Output> both = new LinkedHashSet<>();
    both.addAll(FunctionBuilder.traceBranch("then", graph, List.of(), thenBranch).captured());
    both.addAll(FunctionBuilder.traceBranch("else", graph, List.of(), elseBranch).captured());
    List<Output> captured = List.copyOf(both);
    TracedFunction thenAll = FunctionBuilder.traceBranch("then", graph, captured, thenBranch);
    TracedFunction elseAll = FunctionBuilder.traceBranch("else", graph, captured, elseBranch);
    boolean stateful = thenAll.isStateful() || elseAll.isStateful();
    return graph
        .op(stateful ? "If" : "StatelessIf")
        .input(condition)
        .inputs(captured)
        .attr("then_branch", thenAll)
        .attr("else_branch", elseAll)
        .types("Tout", thenAll.resultTypes())
        .shapes("output_shapes", thenAll.resultShapes())
        .buildAll();
  }

  /**
   * One dense feature of an Example, for {@link #parseExample}.
   *
   * @param shape the shape; the first dimension is unknown in a feature of any length
   * @param ifMissing the value of a missing feature; if absent, that is an error
   */
  public record Feature(String name, DataType dtype, Shape shape, Optional<Tensor> ifMissing) {
    /** A feature that must be there. */
    public Feature(String name, DataType dtype, Shape shape) {
      this(name, dtype, shape, Optional.empty());
    }

    /** A feature with a single value. */
    public static Feature scalar(String name, DataType dtype) {
      return new Feature(name, dtype, Shape.SCALAR);
    }

    /**
     * A feature with any number of values, as a vector. In batches, shorter ones are filled up with
     * zeros or empty strings at their ends. A missing feature has no values.
     */
    public static Feature list(String name, DataType dtype) {
      Tensor padding =
          dtype == DataType.STRING
              ? Tensor.scalar("")
              : Tensor.wrap(dtype, Shape.SCALAR, dtype.kind().newArray(1));
      return new Feature(name, dtype, Shape.of(Shape.UNKNOWN_DIMENSION), Optional.of(padding));
    }

    /** Takes {@code value}, of the feature's dtype and shape, where the feature is missing. */
    public Feature orElse(Tensor value) {
      return new Feature(name, dtype, shape, Optional.of(value));
    }

    /** The default that ParseExampleV2 takes: an empty tensor if the feature must be there. */
    private Tensor defaultInput() {
      return ifMissing.orElseGet(() -> Tensor.wrap(dtype, Shape.of(0), dtype.kind().newArray(0)));
    }
  }

  /**
   * The dense features of a serialized Example, or of a vector of them, in the order of {@code
   * features}. At run time, INVALID_ARGUMENT naming the feature if one is missing without a
   * default, or has another dtype or size.
   */
  public static List<Output> parseExample(Output serialized, List<Feature> features) {
    GraphBuilder graph = GraphBuilder.currentFor(serialized);
    String[] keys = features.stream().map(Feature::name).toArray(String[]::new);
    List<Output> defaults = new ArrayList<>();
    for (Feature feature : features) {
      defaults.add(graph.constant(feature.defaultInput()));
    }
    return graph
        .op("ParseExampleV2")
        .input(serialized)
        .input(Tensor.vector(new String[0]))
        .input(Tensor.vector(new String[0]))
        .input(Tensor.vector(keys))
        .input(Tensor.vector(new String[0]))
        .inputs(defaults)
        .attr("num_sparse", 0)
        .types("sparse_types", List.of())
        .types("ragged_value_types", List.of())
        .types("ragged_split_types", List.of())
        .shapes("dense_shapes", features.stream().map(Feature::shape).toList())
        .buildAll();
  }

  private static Tensor intVector(long... values) {
    return Tensor.vector(LongStream.of(values).mapToInt(Math::toIntExact).toArray());
  }
}
