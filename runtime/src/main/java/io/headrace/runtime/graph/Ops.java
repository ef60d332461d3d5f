package io.headrace.runtime.graph;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Operations of traced lambdas that are not methods of one {@link Output}. */
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

  /** Tensors of one shape along a new dimension {@code axis}. */
  public static Output stack(List<Output> values, int axis) {
    return GraphBuilder.currentFor(values.getFirst())
        .op("Pack")
        .inputs(values)
        .attr("axis", axis)
        .build();
  }

  /** Tensors one after the other along dimension {@code axis}. */
  public static Output concat(List<Output> values, int axis) {
    return GraphBuilder.currentFor(values.getFirst())
        .op("ConcatV2")
        .inputs(values)
        .input(Tensor.scalar(axis))
        .build();
  }

  /**
   * Random values of {@code shape}, uniform from 0 up to 1 (float32), another sequence for every
   * pass unless one of the seeds is not 0. TensorFlow's values for TensorFlow's seeds.
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
   * Random values of {@code shape}, uniform from 0 up to 1 (float32), that follow from {@code
   * seed}, two int64, alone. TensorFlow's values for TensorFlow's seeds.
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
   * Pins what is added until the scope is closed to a device: one of the worker that runs the
   * function, such as {@code /device:CPU:1}, or of another task of its cluster, {@code
   * /job:gpu/task:1/device:GPU:0}. What is left open is the worker's own, and the first CPU.
   *
   * @throws StatusException INVALID_ARGUMENT if it is malformed
   */
  public static GraphBuilder.DeviceScope device(String spec) {
    return GraphBuilder.current().device(spec);
  }

  /** {@code condition ? thenBranch : elseBranch}, of which only one runs. */
  public static List<Output> cond(
      Output condition, Supplier<List<Output>> thenBranch, Supplier<List<Output>> elseBranch) {
    GraphBuilder graph = GraphBuilder.currentFor(condition);
    // Both branches take all that either captures: traced once to learn it, and once with it.
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

  /** One feature of an Example: what {@link #parseExample} is to find. */
  public record Feature(String name, DataType dtype, Shape shape) {
    /** A feature of one value. */
    public static Feature scalar(String name, DataType dtype) {
      return new Feature(name, dtype, Shape.SCALAR);
    }
  }

  /**
   * The dense features of a serialized Example, or of a vector of them, in the order of {@code
   * features}. INVALID_ARGUMENT naming the feature, when run, where one is missing or of another
   * dtype or size.
   */
  public static List<Output> parseExample(Output serialized, List<Feature> features) {
    GraphBuilder graph = GraphBuilder.currentFor(serialized);
    String[] keys = features.stream().map(Feature::name).toArray(String[]::new);
    List<Output> defaults = new ArrayList<>();
    for (Feature feature : features) {
      defaults.add(
          graph.constant(
              Tensor.of(feature.dtype(), Shape.of(0), feature.dtype().kind().newArray(0))));
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
