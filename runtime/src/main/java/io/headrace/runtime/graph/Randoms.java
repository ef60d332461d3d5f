package io.headrace.runtime.graph;

import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Random numbers for traced lambdas: TensorFlow's for the same seeds, except that normal ones may
 * differ in their last digits. Those with two seeds differ from element to element, and from pass
 * to pass unless a seed is not 0; the stateless ones are determined by their seed, two int64, so
 * that an element has the same wherever and whenever it is made.
 *
 * <pre>{@code
 * images.map(x -> x.add(Randoms.normal(1, 2, 28, 28).mul(0.1)))
 * }</pre>
 */
public final class Randoms {
  private Randoms() {}

  /** Uniform in [0, 1), float32. */
  public static Output uniform(long seed, long seed2, long... shape) {
    return Ops.randomUniform(seed, seed2, shape);
  }

  /** Normal, of mean 0 and deviation 1, float32. */
  public static Output normal(long seed, long seed2, long... shape) {
    return floats("RandomStandardNormal", seed, seed2, shape);
  }

  /** Normal, of mean 0 and deviation 1, drawn again beyond 2 deviations, float32. */
  public static Output truncatedNormal(long seed, long seed2, long... shape) {
    return floats("TruncatedNormal", seed, seed2, shape);
  }

  private static Output floats(String op, long seed, long seed2, long... shape) {
    return GraphBuilder.current()
        .op(op)
        .input(intVector(shape))
        .attr("dtype", DataType.FLOAT32)
        .attr("seed", seed)
        .attr("seed2", seed2)
        .build();
  }

  /** Uniform integers from {@code least} up to, excluding, {@code bound}; int64. */
  public static Output integers(long seed, long seed2, long least, long bound, long... shape) {
    return GraphBuilder.current()
        .op("RandomUniformInt")
        .input(intVector(shape))
        .input(Tensor.scalar(least))
        .input(Tensor.scalar(bound))
        .attr("seed", seed)
        .attr("seed2", seed2)
        .build();
  }

  /** The slices of the first dimension in a random order. */
  public static Output shuffle(Output x, long seed, long seed2) {
    return GraphBuilder.currentFor(x)
        .op("RandomShuffle")
        .input(x)
        .attr("seed", seed)
        .attr("seed2", seed2)
        .build();
  }

  /** Uniform in [0, 1), float32, determined by {@code seed}. */
  public static Output statelessUniform(Output seed, long... shape) {
    return Ops.statelessUniform(seed, shape);
  }

  /** Normal, of mean 0 and deviation 1, float32, determined by {@code seed}. */
  public static Output statelessNormal(Output seed, long... shape) {
    return stateless("StatelessRandomNormalV2", seed, shape)
        .attr("dtype", DataType.FLOAT32)
        .build();
  }

  /**
   * Uniform integers from {@code least} up to, excluding, {@code bound}, int64, determined by
   * {@code seed}.
   */
  public static Output statelessIntegers(Output seed, long least, long bound, long... shape) {
    return stateless("StatelessRandomUniformIntV2", seed, shape)
        .input(Tensor.scalar(least))
        .input(Tensor.scalar(bound))
        .build();
  }

  private static NodeBuilder stateless(String op, Output seed, long... shape) {
    GraphBuilder graph = GraphBuilder.currentFor(seed);
    List<Output> keyAndCounter = graph.op("StatelessRandomGetKeyCounter").input(seed).buildAll();
    return graph
        .op(op)
        .input(intVector(shape))
        .input(keyAndCounter.get(0))
        .input(keyAndCounter.get(1))
        .input(Tensor.scalar(1));
  }

  private static Tensor intVector(long... values) {
    return Tensor.vector(LongStream.of(values).mapToInt(Math::toIntExact).toArray());
  }
}
