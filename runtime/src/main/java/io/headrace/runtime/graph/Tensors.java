package io.headrace.runtime.graph;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Operations that move, cut, compare and store tensors of any dtype, for traced lambdas; {@link
 * Output} and {@link Ops} have the most common ones.
 *
 * <pre>{@code
 * // the first two columns of a matrix, and its rows in another order
 * matrices.map(x -> List.of(Tensors.range(x, 1, 0, 2), Tensors.roll(x, 1, 0)))
 * }</pre>
 */
public final class Tensors {
  private Tensors() {}

  /**
   * The same values with {@code shape} known, as batches and models need it. At run time,
   * INVALID_ARGUMENT if they have another shape.
   */
  public static Output ensureShape(Output x, Shape shape) {
    return op(x, "EnsureShape").attr("shape", shape).build();
  }

  /**
   * The values, repeated along dimensions of size 1 and new first dimensions up to {@code sizes}.
   */
  public static Output broadcastTo(Output x, long... sizes) {
    return op(x, "BroadcastTo").input(Tensor.vector(sizes)).build();
  }

  /** Zeros in the shape and dtype of {@code x}. */
  public static Output zerosLike(Output x) {
    return op(x, "ZerosLike").build();
  }

  /** Ones in the shape and dtype of {@code x}. */
  public static Output onesLike(Output x) {
    return op(x, "OnesLike").build();
  }

  /** The number of elements, an int64 scalar. */
  public static Output size(Output x) {
    return op(x, "Size").attr("out_type", DataType.INT64).build();
  }

  /**
   * The slices along dimension {@code axis}, without the dimension.
   *
   * @throws StatusException INVALID_ARGUMENT if its size is not known before anything runs
   */
  public static List<Output> unstack(Output x, int axis) {
    int dimension = axis < 0 ? axis + x.shape().rank() : axis;
    if (x.shape().isUnknownRank()
        || dimension < 0
        || dimension >= x.shape().rank()
        || x.shape().size(dimension) == Shape.UNKNOWN_DIMENSION) {
      throw StatusException.invalidArgument(
          "unstack needs a dimension %d of known size, and was given %s", axis, x);
    }
    return op(x, "Unpack").attr("num", x.shape().size(dimension)).attr("axis", axis).buildAll();
  }

  /** The {@code parts} parts of equal size of dimension {@code axis}. */
  public static List<Output> split(Output x, int parts, int axis) {
    GraphBuilder graph = GraphBuilder.currentFor(x);
    return graph
        .op("Split")
        .input(Tensor.scalar(axis))
        .input(x)
        .attr("num_split", parts)
        .buildAll();
  }

  /** The parts of {@code sizes} of dimension {@code axis}, one behind the other. */
  public static List<Output> split(Output x, long[] sizes, int axis) {
    return op(x, "SplitV")
        .input(Tensor.vector(sizes))
        .input(Tensor.scalar(axis))
        .attr("num_split", sizes.length)
        .buildAll();
  }

  /** The slices from {@code from} up to, excluding, {@code to} of dimension {@code axis}. */
  public static Output range(Output x, int axis, long from, long to) {
    long[] begin = new long[axis + 1];
    long[] end = new long[axis + 1];
    long[] steps = LongStream.generate(() -> 1).limit(axis + 1L).toArray();
    begin[axis] = from;
    end[axis] = to;
    long others = (1L << axis) - 1;
    return op(x, "StridedSlice")
        .input(Tensor.vector(begin))
        .input(Tensor.vector(end))
        .input(Tensor.vector(steps))
        .attr("begin_mask", others)
        .attr("end_mask", others)
        .build();
  }

  /** The values at {@code indices}, whose last dimension has an index a dimension of {@code x}. */
  public static Output gatherNd(Output x, Output indices) {
    return op(x, "GatherNd").input(indices).build();
  }

  /** The slices of the first dimension for which {@code condition}, a vector of bools, is true. */
  public static Output mask(Output x, Output condition) {
    return x.gather(Ops.where(condition).squeeze(1), 0);
  }

  /** The values, shifted by {@code shift} along {@code axis}; those that leave enter again. */
  public static Output roll(Output x, long shift, int axis) {
    return op(x, "Roll").input(Tensor.scalar(shift)).input(Tensor.scalar(axis)).build();
  }

  /** The numbers of a vector in descending order. */
  public static Output sortDescending(Output x) {
    return op(x, "TopKV2").input(size(x).cast(DataType.INT32)).buildAll().getFirst();
  }

  /** The different values of a vector, in the order in which they come first. */
  public static Output unique(Output x) {
    return op(x, "Unique").buildAll().getFirst();
  }

  /** The tensor as a string, as {@link #parse} reads it: a serialized TensorProto. */
  public static Output serialize(Output x) {
    return op(x, "SerializeTensor").build();
  }

  /** The tensor of dtype {@code type} in a string; INVALID_ARGUMENT if it is none, or another. */
  public static Output parse(Output serialized, DataType type) {
    return op(serialized, "ParseTensor").attr("out_type", type).build();
  }

  private static NodeBuilder op(Output first, String name) {
    return GraphBuilder.currentFor(first).op(name).input(first);
  }
}
