package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The SparseSplit op: a sparse tensor in parts along a dimension. If its size is not divisible, the
 * first parts are larger by 1.
 */
final class SparseSplitOps {
  private SparseSplitOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "SparseSplit(split_dim: int64, indices: int64, values: T, shape: int64) ->"
                    + " (output_indices: num_split * int64, output_values: num_split * T,"
                    + " output_shape: num_split * int64)")
            .attrs("num_split: int", "T: type")
            .shape(SparseSplitOps::splitRule)
            .kernel(node -> {
              int parts = node.attrs().count("num_split");
              return call -> split(call, parts);
            }));
  }

  private static List<Shape> splitRule(ShapeFunction.Inputs in) {
    int parts = in.attrs().count("num_split");
    Shape shape = in.shape(3);
    Shape indices = Shape.of(Shape.UNKNOWN_DIMENSION, Shapes.elements(shape));
    List<Shape> result = new ArrayList<>(Collections.nCopies(parts, indices));
    result.addAll(Collections.nCopies(parts, Shapes.ofRank(1)));
    result.addAll(Collections.nCopies(parts, shape));
    return result;
  }

  private static void split(KernelCall call, int parts) {
    Tensor dimension = call.input(0);
    if (dimension.shape().rank() != 0) {
      throw invalidArgument(
          "split_dim should be a scalar but received shape %s", dimension.shape());
    }
    SparseTensor.checkRankOf("Input indices should be a matrix", call.input(1), 2);
    SparseTensor.checkRankOf("Input values should be a vector", call.input(2), 1);
    SparseTensor.checkRankOf("Input shape should be a vector", call.input(3), 1);
    int rank = call.input(3).elements();
    Integer axis = Shapes.axis(dimension.integer(0), rank);
    if (axis == null) {
      throw invalidArgument(
          "Input axis should be in range [%d, %d), got %d", -rank, rank, dimension.integer(0));
    }
    SparseTensor sparse = SparseTensor.of(call, 1);
    long size = sparse.size(axis);
    if (parts < 1 || parts > size) {
      throw invalidArgument(
          "Input num_split should be between 1 and the splitting dimension size (%d), got %d",
          size, parts);
    }
    sparse.checkSize();
    new Split(call, sparse, axis, parts).run();
  }

  private static final class Split {
    private final KernelCall call;
    private final SparseTensor sparse;
    private final int axis;
    private final int parts;
    private final long width;
    private final long larger;

    Split(KernelCall call, SparseTensor sparse, int axis, int parts) {
      this.call = call;
      this.sparse = sparse;
      this.axis = axis;
      this.parts = parts;
      this.width = sparse.size(axis) / parts;
      this.larger = sparse.size(axis) % parts;
    }

    void run() {
      int[] counts = new int[parts];
      int[] partOf = new int[sparse.count()];
      for (int i = 0; i < partOf.length; i++) {
        if (!sparse.isWithin(i)) {
          throw invalidArgument(
              "indices[%d] = %s is out of bounds: need 0 <= index < %s",
              i, sparse.indexText(i), Shape.of(sparse.shape().integers()));
        }
        partOf[i] = part(sparse.index(i, axis));
        counts[partOf[i]]++;
      }
      int[][] picked = new int[parts][];
      Arrays.setAll(picked, part -> new int[counts[part]]);
      Arrays.fill(counts, 0);
      for (int i = 0; i < partOf.length; i++) {
        picked[partOf[i]][counts[partOf[i]]++] = i;
      }
      for (int part = 0; part < parts; part++) {
        call.cancellation().check();
        set(part, picked[part]);
      }
    }

    private int part(long index) {
      long inLarger = larger * (width + 1);
      return (int) (index < inLarger ? index / (width + 1) : larger + (index - inLarger) / width);
    }

    private void set(int part, int[] picked) {
      long start = part * width + Math.min(part, larger);
      Tensor indices = sparse.pickIndices(picked);
      long[] array = (long[]) TensorMemory.array(indices);
      for (int i = axis; i < array.length; i += sparse.rank()) {
        array[i] -= start;
      }
      long[] sizes = sparse.shape().integers();
      sizes[axis] = width + (part < larger ? 1 : 0);
      call.setOutput(part, indices);
      call.setOutput(parts + part, sparse.pickValues(picked));
      call.setOutput(2 * parts + part, Tensor.vector(sizes));
    }
  }
}
