package io.headrace.runtime.gradient;

import static io.headrace.runtime.gradient.ElementwiseGradients.first;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Gradients of reductions, scans and segments. */
final class ReductionGradients {
  private ReductionGradients() {}

  static void addTo(Map<String, GradientRule> rules) {
    rules.put("Sum", at -> first(at, spread(at, at.dy())));
    rules.put("Mean", ReductionGradients::mean);
    rules.put("Max", ReductionGradients::extreme);
    rules.put("Min", ReductionGradients::extreme);
    rules.put("Prod", ReductionGradients::product);
    rules.put("EuclideanNorm", ReductionGradients::norm);
    rules.put("Cumsum", at -> first(at, cumulated(at, at.dy())));
    rules.put("Cumprod", ReductionGradients::cumulatedProduct);
    rules.put("SegmentSum", at -> first(at, gather(at, at.dy(), at.x(1))));
    rules.put("SegmentMean", ReductionGradients::segmentMean);
    rules.put("UnsortedSegmentSum", ReductionGradients::unsortedSum);
    for (String name : List.of("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN")) {
      rules.put(name, at -> first(at, pickedSlices(at, name + "Grad")));
      rules.put(name + "WithNumSegments", at -> first(at, pickedSlices(at, name + "Grad")));
    }
    rules.put("L2Loss", at -> first(at, at.x(0).mul(at.dy())));
  }

  /** The shape of a reduction's result with the reduced dimensions kept as 1. */
  private static Output keptShape(BackpropContext at) {
    Output x = at.x(0);
    Output axes = at.x(1).cast(DataType.INT32);
    if (x.shape().isKnown() && at.x(1).constantValue().isPresent()) {
      int[] sizes = new int[x.shape().rank()];
      Arrays.setAll(sizes, i -> (int) x.shape().size(i));
      for (int axis : axes(at)) {
        sizes[axis] = 1;
      }
      return at.ints(sizes);
    }
    Output shape = at.shape(x);
    Output rank = at.unary("Size", shape);
    Output wrapped = axes.add(rank).floorMod(rank);
    Output ones = at.binary("Fill", at.unary("Shape", wrapped), at.constant(Tensor.scalar(1)));
    Output all = at.op("Range").input(Tensor.scalar(0)).input(rank).input(Tensor.scalar(1)).build();
    return at.op("DynamicStitch")
        .inputs(List.of(all, vector(at, wrapped)))
        .inputs(List.of(shape, vector(at, ones)))
        .build();
  }

  private static Output vector(BackpropContext at, Output value) {
    return at.binary("Reshape", value, at.ints(-1));
  }

  /** The constant axes of a reduction, normalized to be non-negative; the rank is known. */
  private static int[] axes(BackpropContext at) {
    Tensor axes = at.constantOf(at.x(1));
    int rank = at.rank(at.x(0));
    return LongStream.of(axes.integers())
        .mapToInt(Math::toIntExact)
        .map(axis -> axis < 0 ? axis + rank : axis)
        .toArray();
  }

  /** Broadcasts a value per result to the elements that were reduced to it. */
  private static Output spread(BackpropContext at, Output value) {
    Output kept = at.binary("Reshape", value, keptShape(at));
    return at.binary("BroadcastTo", kept, at.shape(at.x(0)));
  }

  private static List<@Nullable Output> mean(BackpropContext at) {
    Output all = at.unary("Size", at.x(0));
    Output results = at.unary("Size", at.y()).maximum(1);
    Output each = all.floorDiv(results).cast(at.dy().dtype());
    return first(at, spread(at, at.dy()).div(each));
  }

  /** Elements that tie for the extremum share the gradient. */
  private static List<@Nullable Output> extreme(BackpropContext at) {
    Output kept = keptShape(at);
    Output y = at.binary("Reshape", at.y(), kept);
    Output dy = at.binary("Reshape", at.dy(), kept);
    Output isExtreme = at.x(0).equalTo(y).cast(dy.dtype());
    Output count = at.binary("Reshape", at.binary("Sum", isExtreme, at.x(1)), kept);
    return first(at, isExtreme.div(count).mul(dy));
  }

  /** Each element's share of the norm, in the form of TensorFlow's kernel: x / (y / dy). */
  private static List<@Nullable Output> norm(BackpropContext at) {
    Output kept = keptShape(at);
    Output y = at.binary("Reshape", at.y(), kept);
    Output dy = at.binary("Reshape", at.dy(), kept);
    return first(at, at.x(0).div(y.div(dy)));
  }

  /**
   * The product of all other elements, correct for zeros: the exclusive cumulative products from
   * both ends.
   */
  private static List<@Nullable Output> product(BackpropContext at) {
    Output x = at.x(0);
    int[] reduced = axes(at);
    int[] permutation = reducedFirst(at.rank(x), reduced);
    Output front = at.binary("Transpose", x, at.ints(permutation));
    Output shape = at.unary("Shape", front);
    Output count =
        at.op("Prod")
            .input(
                at.op("Slice")
                    .input(shape)
                    .input(at.ints(0))
                    .input(at.ints(reduced.length))
                    .build())
            .input(at.ints(0))
            .build();
    Output rows = at.op("Pack").inputs(List.of(count, at.constant(Tensor.scalar(-1)))).build();
    Output matrix = at.binary("Reshape", front, rows);
    Output others =
        at.conjugate(exclusive(at, matrix, false)).mul(at.conjugate(exclusive(at, matrix, true)));
    Output back =
        at.binary(
            "Transpose",
            at.binary("Reshape", others, shape),
            at.unary("InvertPermutation", at.ints(permutation)));
    return first(at, spread(at, at.dy()).mul(at.reshapeLike(back, x)));
  }

  private static int[] reducedFirst(int rank, int[] reduced) {
    IntStream others =
        IntStream.range(0, rank).filter(i -> IntStream.of(reduced).noneMatch(r -> r == i));
    return IntStream.concat(IntStream.of(reduced), others).toArray();
  }

  private static Output exclusive(BackpropContext at, Output matrix, boolean reverse) {
    return at.op("Cumprod")
        .input(matrix)
        .input(Tensor.scalar(0))
        .attr("exclusive", true)
        .attr("reverse", reverse)
        .build();
  }

  private static Output cumulated(BackpropContext at, Output value) {
    return at.op("Cumsum")
        .input(value)
        .input(at.x(1))
        .attr("exclusive", at.attrs().bool("exclusive"))
        .attr("reverse", !at.attrs().bool("reverse"))
        .build();
  }

  private static List<@Nullable Output> cumulatedProduct(BackpropContext at) {
    Output product =
        at.op("Cumprod")
            .input(at.x(0))
            .input(at.x(1))
            .attr("exclusive", at.attrs().bool("exclusive"))
            .attr("reverse", at.attrs().bool("reverse"))
            .build();
    return first(at, at.binary("DivNoNan", cumulated(at, product.mul(at.dy())), at.x(0)));
  }

  private static Output gather(BackpropContext at, Output rows, Output indices) {
    return at.op("GatherV2").input(rows).input(indices).input(Tensor.scalar(0)).build();
  }

  /** Each row of a segment has an equal share of its mean. */
  private static List<@Nullable Output> segmentMean(BackpropContext at) {
    Output ids = at.x(1);
    int[] column = new int[at.rank(at.x(0))];
    Arrays.fill(column, 1);
    column[0] = -1;
    Output ones = at.unary("OnesLike", ids).cast(at.dy().dtype());
    Output counts = at.binary("SegmentSum", at.binary("Reshape", ones, at.ints(column)), ids);
    return first(at, gather(at, at.dy().div(counts), ids));
  }

  private static Output pickedSlices(BackpropContext at, String grad) {
    Output size = gather(at, at.shape(at.x(0)), at.constant(Tensor.scalar(0)));
    return at.op(grad).input(at.dy()).input(at.x(1)).input(at.x(2)).input(size).build();
  }

  /** Rows of negative segments are dropped, so their gradient is zero. */
  private static List<@Nullable Output> unsortedSum(BackpropContext at) {
    Output ids = at.x(1);
    Output zeros = at.zerosLike(ids);
    Output rows = gather(at, at.dy(), ids.maximum(zeros));
    Output kept = ids.greaterEqual(zeros).cast(rows.dtype());
    int more = at.rank(at.x(0)) - at.rank(ids);
    for (int i = 0; i < more; i++) {
      kept = kept.expandDims(-1);
    }
    return first(at, rows.mul(kept));
  }
}
