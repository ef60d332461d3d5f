package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/** Bucketize: for each value, the index of its bucket between sorted boundaries. */
final class BucketizeOps {
  private BucketizeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Bucketize(input: T) -> output: int32")
            .attrs("T: {int32, int64, float, double}", "boundaries: list(float)")
            .shape(ShapeFunctions.SAME)
            .kernel(RowKernel.made(BucketizeOps::bucketize)));
  }

  private static RowKernel.Body bucketize(NodeSpec node) {
    List<Float> list = node.attrs().floats("boundaries");
    float[] boundaries = new float[list.size()];
    for (int i = 0; i < boundaries.length; i++) {
      boundaries[i] = list.get(i);
      if (i > 0 && boundaries[i] < boundaries[i - 1]) {
        throw invalidArgument("Expected sorted boundaries");
      }
    }
    return rows -> {
      Tensor input = rows.all(0);
      int[] buckets = (int[]) rows.allocate(DataType.INT32, rows.shape(0));
      for (int i = 0; i < buckets.length; i++) {
        double value =
            NumericElements.real(
                input.dtype(), TensorMemory.array(input), TensorMemory.offset(input) + i);
        buckets[i] = bucket(boundaries, value);
      }
      rows.set(0, DataType.INT32, rows.shape(0), buckets);
      return true;
    };
  }

  /** The number of boundaries less than or equal to {@code value}. */
  private static int bucket(float[] boundaries, double value) {
    int low = 0;
    int high = boundaries.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (value < boundaries[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
