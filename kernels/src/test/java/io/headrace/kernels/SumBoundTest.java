package io.headrace.kernels;

import static org.assertj.core.api.Assertions.assertThat;

import io.headrace.runtime.execute.GraphRunner;
import io.headrace.runtime.graph.GraphBuilder;
import io.headrace.runtime.graph.Output;
import io.headrace.runtime.op.OpRegistry;
import io.headrace.runtime.op.StepContext;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.BiFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The error of sums of k terms is within the bound of docs/ops.md: eps * (k + 1) * the sum of the
 * absolute terms. Every op here computes a dot product of two vectors; for ops that sum without
 * multiplying, the second vector is all ones.
 */
final class SumBoundTest {
  /** The relative error of rounding to each dtype: the bound's eps. */
  private static final Map<DataType, Double> EPSILONS =
      Map.of(
          DataType.FLOAT16, 0x1p-11,
          DataType.BFLOAT16, 0x1p-8,
          DataType.FLOAT32, 0x1p-23,
          DataType.FLOAT64, 0x1p-52);

  /** Ops that round to the dtype after each term. */
  private static final Set<String> ROUNDED_EACH =
      Set.of("Cumsum", "SegmentSum", "UnsortedSegmentSum");

  private static final Map<String, BiFunction<Output, Output, Output>> SUMS =
      Map.of(
          "Sum", (x, _) -> x.sum(0),
          "Mean", (x, _) -> x.mean(0).cast(DataType.FLOAT64).mul(size(x)),
          "Cumsum", (x, _) -> scan(x).at(-1),
          "SegmentSum", (x, _) -> segments(x, "SegmentSum").at(0),
          "UnsortedSegmentSum", (x, _) -> unsorted(x).at(0),
          "MatMul", (x, y) -> x.reshape(1, -1).matmul(y.reshape(-1, 1)),
          "Einsum", SumBoundTest::einsum,
          "Conv2D", (x, y) -> convolution(x.reshape(1, 10, 10, -1), y.reshape(10, 10, -1, 1)),
          "BiasAddGrad", (x, _) -> x.graph().op("BiasAddGrad").input(x.reshape(-1, 1)).build());

  @ParameterizedTest
  @CsvSource({
    "Sum, false",
    "Mean, false",
    "Cumsum, false",
    "SegmentSum, false",
    "UnsortedSegmentSum, false",
    "MatMul, true",
    "Einsum, true",
    "Conv2D, true",
    "BiasAddGrad, false"
  })
  void sum_ofManyTerms_isWithinTheBound(String op, boolean multiplies) {
    for (int k : new int[] {100, 6_400, 100_000}) {
      for (DataType dtype : EPSILONS.keySet()) {
        check(op, dtype, k, multiplies);
      }
    }
  }

  private static double rounded(DataType dtype, double value) {
    return switch (dtype) {
      case FLOAT16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
      case BFLOAT16 -> Float.intBitsToFloat(Float.floatToIntBits((float) value) & 0xFFFF0000);
      default -> (float) value;
    };
  }

  private static void check(String op, DataType dtype, int k, boolean multiplies) {
    Random random = new Random(k);
    double[] x = random.doubles(k, -1, 2).map(v -> rounded(dtype, v)).toArray();
    double[] y = random.doubles(k, -1, 2).map(v -> multiplies ? rounded(dtype, v) : 1).toArray();
    double sum = 0;
    double size = 0;
    double lost = 0; // compensation of Kahan's summation
    for (int i = 0; i < k; i++) {
      double term = x[i] * y[i] - lost;
      double next = sum + term;
      lost = (next - sum) - term;
      sum = next;
      size += Math.abs(x[i] * y[i]);
    }
    boolean isHalf = dtype == DataType.FLOAT16 || dtype == DataType.BFLOAT16;
    boolean roundsOnce = isHalf && !ROUNDED_EACH.contains(op);
    double own = Objects.requireNonNull(EPSILONS.get(dtype));
    double epsilon = roundsOnce ? 0x1p-23 : own;
    double rounding = roundsOnce ? own * Math.abs(sum) : 0;

    assertThat(Math.abs(computed(op, dtype, x, y) - sum))
        .as("%s of %d terms of %s", op, k, dtype.tfName())
        .isLessThanOrEqualTo(epsilon * (k + 1) * size + rounding);
  }

  private static double computed(String op, DataType dtype, double[] x, double[] y) {
    GraphBuilder graph = new GraphBuilder(OpRegistry.standard());
    Output sum =
        Objects.requireNonNull(SUMS.get(op))
            .apply(constant(graph, dtype, x), constant(graph, dtype, y));
    Output result = sum.cast(DataType.FLOAT64);
    Tensor value =
        GraphRunner.run(
                graph.toGraphDef(),
                List.of(result.name()),
                OpRegistry.standard(),
                StepContext.standalone())
            .getFirst()
            .compact();
    return value.doubles()[0];
  }

  private static Output constant(GraphBuilder graph, DataType dtype, double[] values) {
    return graph
        .constant(Tensor.wrap(DataType.FLOAT64, Shape.of(values.length), values))
        .cast(dtype);
  }

  private static Output size(Output x) {
    return x.shapeTensor().at(0).cast(DataType.FLOAT64);
  }

  private static Output scan(Output x) {
    return x.graph().op("Cumsum").input(x).input(Tensor.scalar(0)).build();
  }

  private static Output zeros(Output x) {
    return x.graph().op("ZerosLike").input(x).build().cast(DataType.INT32);
  }

  private static Output segments(Output x, String op) {
    return x.graph().op(op).input(x).input(zeros(x)).build();
  }

  private static Output unsorted(Output x) {
    return x.graph()
        .op("UnsortedSegmentSum")
        .input(x)
        .input(zeros(x))
        .input(Tensor.scalar(1))
        .build();
  }

  private static Output einsum(Output x, Output y) {
    return x.graph().op("Einsum").inputs(List.of(x, y)).attr("equation", "a,a->").build();
  }

  private static Output convolution(Output images, Output filter) {
    return images
        .graph()
        .op("Conv2D")
        .input(images)
        .input(filter)
        .integers("strides", List.of(1L, 1L, 1L, 1L))
        .attr("padding", "VALID")
        .build();
  }
}
