package io.headrace.runtime.graph;

import io.headrace.proto.tensorflow.AttrValue;
import io.headrace.runtime.tensor.Tensor;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

/**
 * Operations on numbers for traced lambdas, element by element where nothing else is said; {@link
 * Output} has those of everyday arithmetic. Functions take and give floating-point values.
 *
 * <pre>{@code
 * prices.map(x -> Numbers.log1p(Numbers.relu(x)))
 * }</pre>
 */
public final class Numbers {
  private Numbers() {}

  /** -1, 0 or 1, by the sign of the values. */
  public static Output sign(Output x) {
    return op(x, "Sign").build();
  }

  /** The values, rounded up. */
  public static Output ceil(Output x) {
    return op(x, "Ceil").build();
  }

  /** 1 divided by the values. */
  public static Output reciprocal(Output x) {
    return op(x, "Reciprocal").build();
  }

  /** 1 divided by the square roots. */
  public static Output rsqrt(Output x) {
    return op(x, "Rsqrt").build();
  }

  /** The natural logarithm of 1 plus the values, exact for small ones. */
  public static Output log1p(Output x) {
    return op(x, "Log1p").build();
  }

  /** e to the power of the values, minus 1, exact for small ones. */
  public static Output expm1(Output x) {
    return op(x, "Expm1").build();
  }

  /** The sine. */
  public static Output sin(Output x) {
    return op(x, "Sin").build();
  }

  /** The cosine. */
  public static Output cos(Output x) {
    return op(x, "Cos").build();
  }

  /** The tangent. */
  public static Output tan(Output x) {
    return op(x, "Tan").build();
  }

  /** The arc sine. */
  public static Output asin(Output x) {
    return op(x, "Asin").build();
  }

  /** The arc cosine. */
  public static Output acos(Output x) {
    return op(x, "Acos").build();
  }

  /** The arc tangent. */
  public static Output atan(Output x) {
    return op(x, "Atan").build();
  }

  /** The hyperbolic tangent. */
  public static Output tanh(Output x) {
    return op(x, "Tanh").build();
  }

  /** 1 / (1 + exp(-x)). */
  public static Output sigmoid(Output x) {
    return op(x, "Sigmoid").build();
  }

  /** The values, and 0 in the place of negative ones. */
  public static Output relu(Output x) {
    return op(x, "Relu").build();
  }

  /** log(1 + exp(x)). */
  public static Output softplus(Output x) {
    return op(x, "Softplus").build();
  }

  /** The logarithms of {@link Ops#softmax}, along the last dimension. */
  public static Output logSoftmax(Output x) {
    return op(x, "LogSoftmax").build();
  }

  /** The error function. */
  public static Output erf(Output x) {
    return op(x, "Erf").build();
  }

  /** Whether a value is no number. */
  public static Output isNan(Output x) {
    return op(x, "IsNan").build();
  }

  /** Whether a value is infinite, of either sign. */
  public static Output isInfinite(Output x) {
    return op(x, "IsInf").build();
  }

  /** Whether a value is a number and not infinite. */
  public static Output isFinite(Output x) {
    return op(x, "IsFinite").build();
  }

  /** The angle of the point (x, y), from -pi to pi. */
  public static Output atan2(Output y, Output x) {
    return op(y, "Atan2").input(x).build();
  }

  /** The square of the difference. */
  public static Output squaredDifference(Output a, Output b) {
    return op(a, "SquaredDifference").input(b).build();
  }

  /** The quotient of floating-point values, and 0 where the divisor is 0. */
  public static Output divOrZero(Output a, Output b) {
    return op(a, "DivNoNan").input(b).build();
  }

  /** Exclusive or of bools. */
  public static Output xor(Output a, Output b) {
    return op(a, "NotEqual").input(b).build();
  }

  /** The product over {@code axes}, at least one. */
  public static Output product(Output x, long... axes) {
    return op(x, "Prod").input(intVector(axes)).build();
  }

  /** The sums of the values up to each one, along {@code axis}. */
  public static Output cumulativeSum(Output x, int axis) {
    return op(x, "Cumsum").input(Tensor.scalar(axis)).build();
  }

  /** The index of the smallest value along {@code axis}; int64. */
  public static Output argMin(Output x, int axis) {
    return op(x, "ArgMin").input(Tensor.scalar(axis)).build();
  }

  /**
   * The index of the bucket of each number, int32: how many of {@code boundaries}, which increase,
   * are at most the number.
   */
  public static Output bucketize(Output x, double... boundaries) {
    AttrValue.ListValue.Builder list = AttrValue.ListValue.newBuilder();
    DoubleStream.of(boundaries).forEach(boundary -> list.addF((float) boundary));
    return op(x, "Bucketize")
        .attr("boundaries", AttrValue.newBuilder().setList(list).build())
        .build();
  }

  /** How often each of 0, 1, ... {@code size - 1} is among {@code x}, int32 or int64; int64. */
  public static Output counts(Output x, long size) {
    GraphBuilder graph = GraphBuilder.currentFor(x);
    return op(x, "DenseBincount")
        .input(graph.constant(Tensor.scalar(size)).cast(x.dtype()))
        .input(Tensor.vector(new long[0]))
        .build();
  }

  /** Values of mean 0 and variance 1: less the mean over {@code axes}, by the deviation. */
  public static Output standardize(Output x, long... axes) {
    GraphBuilder graph = GraphBuilder.currentFor(x);
    Output mean = mean(graph, x, axes);
    Output variance = mean(graph, squaredDifference(x, mean), axes);
    return divOrZero(x.sub(mean), variance.sqrt());
  }

  /** The mean over {@code axes}, which stay as dimensions of size 1. */
  private static Output mean(GraphBuilder graph, Output x, long... axes) {
    return graph.op("Mean").input(x).input(intVector(axes)).attr("keep_dims", true).build();
  }

  private static Tensor intVector(long... values) {
    return Tensor.vector(LongStream.of(values).mapToInt(Math::toIntExact).toArray());
  }

  private static NodeBuilder op(Output first, String name) {
    return GraphBuilder.currentFor(first).op(name).input(first);
  }
}
