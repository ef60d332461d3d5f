package io.headrace.kernels.nn;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** NearestNeighbors: for each point, the centers at the least distances. */
final class NearestNeighborsOps {
  private NearestNeighborsOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "NearestNeighbors(points: float, centers: float, k: int64)"
                    + " -> (nearest_center_indices: int64, nearest_center_distances: float)")
            .shape(_ -> List.of(Shape.UNKNOWN, Shape.UNKNOWN))
            .remark("Squared distances are computed in double precision and rounded once.")
            .stateless(NearestNeighborsOps::compute));
  }

  private static void check(Shape points, Shape centers, Shape k) {
    if (points.rank() != 2) {
      throw invalidArgument("Input points should be a matrix.");
    }
    if (centers.rank() != 2) {
      throw invalidArgument("Input centers should be a matrix.");
    }
    if (k.rank() != 0) {
      throw invalidArgument("Input k should be a scalar.");
    }
    if (points.size(0) <= 0) {
      throw invalidArgument("Expected points.rows() > 0.");
    }
    if (points.size(1) != centers.size(1)) {
      throw invalidArgument(
          "Expected point_dimensions == center_dimensions: %d vs %d.",
          points.size(1), centers.size(1));
    }
  }

  private static void compute(KernelCall call) {
    Shape points = call.input(0).shape();
    Shape centers = call.input(1).shape();
    check(points, centers, call.input(2).shape());
    long k = Math.min(centers.size(0), call.input(2).integer(0));
    if (k < 0) {
      throw invalidArgument("k must not be negative: %d", k);
    }
    int count = (int) k;
    Shape result = Shape.of(points.size(0), k);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, result);
    float[] distances = (float[]) TensorLimit.allocate(DataType.FLOAT32, result);
    float[] from = call.input(0).floats();
    float[] to = call.input(1).floats();
    int dimensions = (int) points.size(1);
    double[] squares = new double[(int) centers.size(0)];
    Integer[] order = new Integer[squares.length];
    for (int p = 0; p < points.size(0); p++) {
      call.cancellation().check();
      for (int c = 0; c < squares.length; c++) {
        squares[c] = squaredDistance(from, p * dimensions, to, c * dimensions, dimensions);
        order[c] = c;
      }
      Arrays.sort(order, Comparator.comparingDouble(c -> squares[c]));
      for (int i = 0; i < count; i++) {
        indices[p * count + i] = order[i];
        distances[p * count + i] = (float) squares[order[i]];
      }
    }
    call.setOutput(0, Tensor.wrap(DataType.INT64, result, indices));
    call.setOutput(1, Tensor.wrap(DataType.FLOAT32, result, distances));
  }

  private static double squaredDistance(float[] a, int i, float[] b, int j, int dimensions) {
    double sum = 0;
    for (int d = 0; d < dimensions; d++) {
      double difference = (double) a[i + d] - b[j + d];
      sum += difference * difference;
    }
    return sum;
  }
}
