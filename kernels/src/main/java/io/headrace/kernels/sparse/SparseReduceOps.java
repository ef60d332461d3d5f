package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.status.StatusCode;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * SparseReduceSum and SparseReduceMax, which reduce dimensions to a dense tensor, and their forms
 * that end in Sparse, which keep only the elements that some value contributes to.
 */
final class SparseReduceOps {
  private static final String INPUTS =
      "(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32)";

  private SparseReduceOps() {}

  static List<Op> ops() {
    return List.of(
        dense("SparseReduceSum", "number", Combiner.ADD),
        dense("SparseReduceMax", "real", Combiner.MAX),
        sparse("SparseReduceSumSparse", "number", Combiner.ADD),
        sparse("SparseReduceMaxSparse", "real", Combiner.MAX));
  }

  private static Op dense(String name, String types, Combiner combiner) {
    return Op.define(name + INPUTS + " -> output: T")
        .attrs("keep_dims: bool = false", "T: " + types)
        .shape(SparseReduceOps::denseRule)
        .kernel(node -> {
          boolean keep = node.attrs().bool("keep_dims");
          return (Kernel.Sync) call -> new Reduction(call, keep, combiner).setDense();
        });
  }

  private static Op sparse(String name, String types, Combiner combiner) {
    return Op.define(
            name + INPUTS + " -> (output_indices: int64, output_values: T, output_shape: int64)")
        .attrs("keep_dims: bool = false", "T: " + types)
        .shape(_ -> List.of(Shape.UNKNOWN, Shape.UNKNOWN, Shape.UNKNOWN))
        .kernel(node -> {
          boolean keep = node.attrs().bool("keep_dims");
          return (Kernel.Sync) call -> new Reduction(call, keep, combiner).setSparse();
        });
  }

  private static List<Shape> denseRule(ShapeFunction.Inputs in) {
    Tensor sizes = in.constant(2);
    Tensor axes = in.constant(3);
    boolean keep = in.attrs().bool("keep_dims");
    if (sizes == null || axes == null) {
      int rank = in.shape(2).rank() == 1 ? (int) in.shape(2).size(0) : -1;
      return List.of(keep && rank >= 0 ? Shapes.ofRank(rank) : Shape.UNKNOWN);
    }
    return List.of(reduced(sizes.integers(), reducedAxes(sizes.elements(), axes), keep));
  }

  private static Shape reduced(long[] sizes, boolean[] reduced, boolean keep) {
    List<Long> left = new ArrayList<>();
    for (int axis = 0; axis < sizes.length; axis++) {
      if (!reduced[axis]) {
        left.add(sizes[axis]);
      } else if (keep) {
        left.add(1L);
      }
    }
    return Shape.of(left.stream().mapToLong(Long::longValue).toArray());
  }

  /** For each dimension, whether it is reduced. */
  private static boolean[] reducedAxes(int rank, Tensor axes) {
    boolean[] reduced = new boolean[rank];
    for (int i = 0; i < axes.elements(); i++) {
      Integer axis = Shapes.axis(axes.integer(i), rank);
      if (axis == null) {
        throw invalidArgument(
            "Invalid reduction dimension %d, for input with %d dimensions.", axes.integer(i), rank);
      }
      reduced[axis] = true;
    }
    return reduced;
  }

  /** One call: the values in the order of their groups, each of which is one output element. */
  private static final class Reduction {
    private final KernelCall call;
    private final SparseTensor input;
    private final Combiner combiner;
    private final boolean keep;
    private final boolean[] reduced;
    private final Shape shape;
    private final DataType dtype;

    Reduction(KernelCall call, boolean keep, Combiner combiner) {
      if (call.input(3).shape().rank() > 1) {
        throw invalidArgument(
            "Expected reduction_axes to be a scalar or a vector; got shape: %s",
            call.input(3).shape());
      }
      this.call = call;
      this.keep = keep;
      this.combiner = combiner;
      this.input = SparseTensor.of(call, 0);
      input.checkSize();
      this.reduced = reducedAxes(input.rank(), call.input(3));
      this.shape = reduced(input.shape().integers(), reduced, keep);
      this.dtype = input.values().dtype();
    }

    void setDense() {
      int[] order = order();
      Object result = TensorLimit.allocate(dtype, shape);
      for (int n = 0; n < order.length; n++) {
        long at = 0;
        for (int axis = 0; axis < reduced.length; axis++) {
          at = reduced[axis] ? at : at * input.size(axis) + input.index(order[n], axis);
        }
        if (at < 0 || at >= shape.elements()) {
          throw StatusException.of(
              StatusCode.INTERNAL,
              "Obtained a write index of %d which is outside of bounds of [0, %d)",
              at,
              shape.elements());
        }
        combine(n == 0 || isOther(order[n - 1], order[n]), result, (int) at, order[n]);
      }
      call.setOutput(0, Tensor.wrap(dtype, shape, result));
    }

    void setSparse() {
      int[] order = order();
      int groups = 0;
      for (int n = 0; n < order.length; n++) {
        groups += n == 0 || isOther(order[n - 1], order[n]) ? 1 : 0;
      }
      Shape indexShape = Shape.of(groups, shape.rank());
      long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, indexShape);
      Object values = TensorLimit.allocate(dtype, Shape.of(groups));
      int group = -1;
      for (int n = 0; n < order.length; n++) {
        boolean first = n == 0 || isOther(order[n - 1], order[n]);
        if (first) {
          group++;
          setIndex(indices, group * shape.rank(), order[n]);
        }
        combine(first, values, group, order[n]);
      }
      call.setOutput(0, Tensor.wrap(DataType.INT64, indexShape, indices));
      call.setOutput(1, Tensor.wrap(dtype, Shape.of(groups), values));
      call.setOutput(2, Tensor.vector(shape.dimensions()));
    }

    private void setIndex(long[] indices, int at, int value) {
      for (int axis = 0; axis < reduced.length; axis++) {
        if (!reduced[axis]) {
          indices[at++] = input.index(value, axis);
        } else if (keep) {
          indices[at++] = 0;
        }
      }
    }

    /** Writes value {@code i} to element {@code at} of its group, or combines it with that. */
    private void combine(boolean first, Object result, int at, int i) {
      Tensor values = input.values();
      Combiner how = first ? Combiner.UPDATE : combiner;
      how.intoAsFirst(
          dtype, result, at, TensorMemory.array(values), TensorMemory.offset(values) + i, 1);
    }

    /**
     * The values sorted by group, and within a group by the reduced dimensions. TensorFlow checks
     * no index as such, only where a dense result is written.
     */
    private int[] order() {
      IntStream kept = IntStream.range(0, reduced.length).filter(axis -> !reduced[axis]);
      IntStream along = IntStream.range(0, reduced.length).filter(axis -> reduced[axis]);
      return IndexSort.permutation(input, IntStream.concat(kept, along).toArray());
    }

    private boolean isOther(int a, int b) {
      for (int axis = 0; axis < reduced.length; axis++) {
        if (!reduced[axis] && input.index(a, axis) != input.index(b, axis)) {
          return true;
        }
      }
      return false;
    }
  }
}
