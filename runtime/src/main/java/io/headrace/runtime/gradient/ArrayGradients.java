package io.headrace.runtime.gradient;

import static io.headrace.runtime.gradient.ElementwiseGradients.all;
import static io.headrace.runtime.gradient.ElementwiseGradients.first;
import static io.headrace.runtime.gradient.ElementwiseGradients.sumToInput;

import io.headrace.runtime.graph.NodeBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.Attrs;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Gradients of array ops: reshapes, slices, concatenations, gathers. */
final class ArrayGradients {
  static final List<String> MASKS =
      List.of("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask");

  private ArrayGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    for (String op : List.of("Reshape", "ExpandDims", "Squeeze")) {
      rules.put(op, at -> first(at, at.reshapeLike(at.dy(), at.x(0))));
    }
    rules.put(
        "Transpose",
        at -> first(at, at.binary("Transpose", at.dy(), at.unary("InvertPermutation", at.x(1)))));
    rules.put("Reverse", at -> first(at, at.binary("Reverse", at.dy(), at.x(1))));
    rules.put("ReverseV2", at -> first(at, at.binary("ReverseV2", at.dy(), at.x(1))));
    rules.put("BroadcastTo", at -> first(at, sumToInput(at, at.dy(), at.x(0))));
    rules.put("Fill", ArrayGradients::fill);
    rules.put("Tile", ArrayGradients::tile);
    rules.put("ConcatV2", at -> parts(at, 0, at.inputs() - 1, at.inputs() - 1));
    rules.put("Concat", at -> parts(at, 1, at.inputs(), 0));
    rules.put("Pack", ArrayGradients::pack);
    rules.put("Unpack", ArrayGradients::unpack);
    rules.put("Split", at -> Arrays.asList(null, joined(at, at.x(0))));
    rules.put("SplitV", at -> first(at, joined(at, at.x(2))));
    rules.put("Slice", ArrayGradients::slice);
    rules.put("StridedSlice", ArrayGradients::stridedSlice);
    rules.put("TensorStridedSliceUpdate", ArrayGradients::stridedSliceUpdate);
    rules.put("Pad", ArrayGradients::pad);
    rules.put("PadV2", ArrayGradients::pad);
    rules.put("Gather", at -> first(at, scattered(at, at.dy(), at.x(1), at.shape(at.x(0)))));
    rules.put("GatherV2", ArrayGradients::gather);
    rules.put("ResourceGather", ArrayGradients::gatherOfVariable);
    rules.put(
        "GatherNd",
        at ->
            first(
                at,
                at.op("ScatterNd")
                    .input(at.x(1))
                    .input(at.dy())
                    .input(shape(at, at.x(0), at.x(1).dtype()))
                    .build()));
    rules.put(
        "ScatterNd", at -> Arrays.asList(null, at.binary("GatherNd", at.dy(), at.x(0)), null));
    rules.put("DynamicPartition", ArrayGradients::partition);
    rules.put("DynamicStitch", ArrayGradients::stitch);
    rules.put("ParallelDynamicStitch", ArrayGradients::stitch);
    rules.put(
        "MatrixBandPart",
        at ->
            first(
                at, at.op("MatrixBandPart").input(at.dy()).input(at.x(1)).input(at.x(2)).build()));
  }

  private static List<@Nullable Output> stitch(BackpropContext at) {
    int pairs = at.inputs() / 2;
    return all(at, i -> i < pairs ? null : gatherRows(at, at.dy(), at.x(i - pairs)));
  }

  private static Output shape(BackpropContext at, Output x, DataType dtype) {
    return at.op("Shape").input(x).attr("out_type", dtype).build();
  }

  private static Output gatherRows(BackpropContext at, Output rows, Output indices) {
    return at.op("GatherV2").input(rows).input(indices).input(Tensor.scalar(0)).build();
  }

  private static List<@Nullable Output> fill(BackpropContext at) {
    Output axes =
        at.op("Range")
            .input(Tensor.scalar(0))
            .input(at.unary("Rank", at.dy()))
            .input(Tensor.scalar(1))
            .build();
    return Arrays.asList(null, at.binary("Sum", at.dy(), axes));
  }

  /** Splits each dimension in two, the copies and the original, and sums over the copies. */
  private static List<@Nullable Output> tile(BackpropContext at) {
    Output shape = at.shape(at.x(0));
    Output multiples = at.x(1).cast(DataType.INT32);
    Output pairs = at.op("Pack").inputs(List.of(multiples, shape)).attr("axis", 1).build();
    Output both = at.binary("Reshape", pairs, at.ints(-1));
    Output copies =
        at.op("Range")
            .input(Tensor.scalar(0))
            .input(at.unary("Size", both))
            .input(Tensor.scalar(2))
            .build();
    Output apart = at.binary("Reshape", at.dy(), both);
    return first(at, at.binary("Reshape", at.binary("Sum", apart, copies), shape));
  }

  /**
   * The gradient of a concatenation, split into the slices of its inputs {@code from} to {@code
   * to}.
   */
  private static List<@Nullable Output> parts(BackpropContext at, int from, int to, int axisInput) {
    if (to - from == 1) {
      return all(at, i -> i == from ? at.dy() : null);
    }
    List<Output> shapes = new ArrayList<>();
    for (int i = from; i < to; i++) {
      shapes.add(at.unary("Shape", at.x(i)));
    }
    Output axis = at.x(axisInput).cast(DataType.INT32).floorMod(at.unary("Rank", at.x(from)));
    List<Output> offsets = at.op("ConcatOffset").input(axis).inputs(shapes).buildAll();
    return all(
        at,
        i ->
            i < from || i >= to
                ? null
                : at.op("Slice")
                    .input(at.dy())
                    .input(offsets.get(i - from))
                    .input(shapes.get(i - from))
                    .build());
  }

  private static List<@Nullable Output> pack(BackpropContext at) {
    List<Output> parts =
        at.op("Unpack")
            .input(at.dy())
            .attr("num", at.inputs())
            .attr("axis", at.attrs().integer("axis"))
            .buildAll();
    return all(at, parts::get);
  }

  private static List<@Nullable Output> unpack(BackpropContext at) {
    int count = at.attrs().count("num");
    List<Output> gradients = IntStream.range(0, count).mapToObj(at::dy).toList();
    return first(
        at, at.op("Pack").inputs(gradients).attr("axis", at.attrs().integer("axis")).build());
  }

  private static Output joined(BackpropContext at, Output axis) {
    int count = at.attrs().count("num_split");
    List<Output> gradients = IntStream.range(0, count).mapToObj(at::dy).toList();
    return at.op("ConcatV2").inputs(gradients).input(axis).build();
  }

  private static List<@Nullable Output> slice(BackpropContext at) {
    Output begin = at.x(1);
    Output after =
        shape(at, at.x(0), begin.dtype()).sub(shape(at, at.y(), begin.dtype())).sub(begin);
    Output paddings = at.op("Pack").inputs(List.of(begin, after)).attr("axis", 1).build();
    return first(at, at.binary("Pad", at.dy(), paddings));
  }

  private static List<@Nullable Output> stridedSlice(BackpropContext at) {
    NodeBuilder gradient = at.op("StridedSliceGrad").input(shape(at, at.x(0), at.x(1).dtype()));
    return first(at, sliced(at, gradient).input(at.dy()).build());
  }

  /** The gradient outside of the slice, and, summed where the value was broadcast, within it. */
  private static List<@Nullable Output> stridedSliceUpdate(BackpropContext at) {
    Output within = sliced(at, at.op("StridedSlice").input(at.dy())).build();
    Output outside =
        sliced(at, at.op("TensorStridedSliceUpdate").input(at.dy()))
            .input(at.zerosLike(within))
            .build();
    return Arrays.asList(outside, null, null, null, sumToInput(at, within, at.x(4)));
  }

  /** {@code node} with the bounds and masks of the differentiated node's slice. */
  private static NodeBuilder sliced(BackpropContext at, NodeBuilder node) {
    Attrs attrs = at.attrs();
    MASKS.forEach(mask -> node.attr(mask, attrs.integer(mask)));
    return node.input(at.x(1)).input(at.x(2)).input(at.x(3));
  }

  private static List<@Nullable Output> pad(BackpropContext at) {
    Output paddings = at.x(1);
    Output before =
        at.op("Slice")
            .input(paddings)
            .input(at.constant(Tensor.vector(0, 0)).cast(paddings.dtype()))
            .input(at.constant(Tensor.vector(-1, 1)).cast(paddings.dtype()))
            .build();
    Output begin = at.binary("Reshape", before, at.ints(-1));
    return first(
        at,
        at.op("Slice")
            .input(at.dy())
            .input(begin)
            .input(shape(at, at.x(0), paddings.dtype()))
            .build());
  }

  /**
   * Scatter-adds the rows {@code gradient} at {@code indices} into zeros of {@code shape}, the
   * shape of the gathered tensor.
   */
  private static Output scattered(
      BackpropContext at, Output gradient, Output indices, Output shape) {
    Output rest = at.op("Slice").input(shape).input(at.ints(1)).input(at.ints(-1)).build();
    Output rows =
        at.op("ConcatV2").inputs(List.of(at.ints(-1), rest)).input(Tensor.scalar(0)).build();
    Output count =
        at.binary(
            "Reshape",
            at.op("Slice").input(shape).input(at.ints(0)).input(at.ints(1)).build(),
            at.constant(Tensor.vector(new int[0])));
    Output sums =
        at.op("UnsortedSegmentSum")
            .input(at.binary("Reshape", gradient, rows))
            .input(at.binary("Reshape", indices, at.ints(-1)))
            .input(count)
            .build();
    return at.binary("Reshape", sums, shape);
  }

  /** For an axis other than the first, transposes that axis to the front and back. */
  private static List<@Nullable Output> gather(BackpropContext at) {
    int rank = at.rank(at.x(0));
    int batchDims = (int) at.attrs().integer("batch_dims");
    int given = (int) at.constantOf(at.x(2)).integer(0);
    int axis = given < 0 ? given + rank : given;
    if (batchDims != 0) {
      throw at.missing("batch_dims other than 0");
    }
    if (axis == 0) {
      return first(at, scattered(at, at.dy(), at.x(1), at.shape(at.x(0))));
    }
    int indexRank = at.rank(at.x(1));
    int dyRank = rank - 1 + indexRank;
    int[] indicesFirst =
        IntStream.concat(
                IntStream.range(axis, axis + indexRank),
                IntStream.concat(
                    IntStream.range(0, axis), IntStream.range(axis + indexRank, dyRank)))
            .toArray();
    int[] axisFirst =
        IntStream.concat(
                IntStream.of(axis), IntStream.range(0, rank).filter(dimension -> dimension != axis))
            .toArray();
    Output taken = at.binary("Transpose", at.x(0), at.ints(axisFirst));
    Output gradient = at.binary("Transpose", at.dy(), at.ints(indicesFirst));
    Output sums = scattered(at, gradient, at.x(1), at.shape(taken));
    return first(
        at, at.binary("Transpose", sums, at.unary("InvertPermutation", at.ints(axisFirst))));
  }

  private static List<@Nullable Output> gatherOfVariable(BackpropContext at) {
    if (at.attrs().integer("batch_dims") != 0) {
      throw at.missing("batch_dims other than 0");
    }
    return first(at, scattered(at, at.dy(), at.x(1), at.unary("VariableShape", at.x(0))));
  }

  private static List<@Nullable Output> partition(BackpropContext at) {
    Output partitions = at.x(1);
    int count = at.attrs().count("num_partitions");
    Output size = at.unary("Size", partitions);
    Output places =
        at.binary(
            "Reshape",
            at.op("Range").input(Tensor.scalar(0)).input(size).input(Tensor.scalar(1)).build(),
            at.unary("Shape", partitions));
    List<Output> moved =
        at.op("DynamicPartition")
            .input(places)
            .input(partitions)
            .attr("num_partitions", count)
            .buildAll();
    List<Output> gradients = IntStream.range(0, count).mapToObj(at::dy).toList();
    Output stitched = at.op("DynamicStitch").inputs(moved).inputs(gradients).build();
    return first(at, at.reshapeLike(stitched, at.x(0)));
  }
}
