package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.IndexedMove;
import io.headrace.kernels.kit.IntegerTensors;
import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Unique, UniqueWithCounts and their V2 forms: the distinct elements of a vector, or the distinct
 * slices of a tensor along an axis, in order of first occurrence.
 */
final class UniqueOps {
  private static final String TYPES = "T: {real, bool, string}";

  private UniqueOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Unique(x: T) -> (y: T, idx: out_idx)")
            .attrs(TYPES, "out_idx: {int32, int64} = int32")
            .shape(UniqueOps::uniqueRule)
            .kernel(RowKernel.made(UniqueOps::unique)),
        Op.define("UniqueWithCounts(x: T) -> (y: T, idx: out_idx, count: out_idx)")
            .attrs(TYPES, "out_idx: {int32, int64} = int32")
            .shape(UniqueOps::uniqueWithCountsRule)
            .kernel(RowKernel.made(UniqueOps::unique)),
        Op.define("UniqueV2(x: T, axis: Taxis) -> (y: T, idx: out_idx)")
            .attrs(TYPES, "Taxis: {int32, int64} = int64", "out_idx: {int32, int64} = int32")
            .shape(in -> slicesRule(in, false))
            .kernel(RowKernel.made(UniqueOps::uniqueSlices)),
        Op.define("UniqueWithCountsV2(x: T, axis: Taxis) -> (y: T, idx: out_idx, count: out_idx)")
            .attrs(TYPES, "Taxis: {int32, int64} = int64", "out_idx: {int32, int64} = int32")
            .shape(in -> slicesRule(in, true))
            .kernel(RowKernel.made(UniqueOps::uniqueSlices)));
  }

  private static List<Shape> uniqueRule(ShapeFunction.Inputs in) {
    Shape unknown = Shape.of(Shape.UNKNOWN_DIMENSION);
    return List.of(unknown, in.shape(0));
  }

  private static List<Shape> uniqueWithCountsRule(ShapeFunction.Inputs in) {
    List<Shape> unique = uniqueRule(in);
    return List.of(unique.get(0), unique.get(1), unique.get(0));
  }

  /** Declines many rows: the size of the output depends on the values of the row. */
  private static RowKernel.Body unique(NodeSpec node) {
    DataType indexType = node.outputTypes().get(1);
    boolean counted = node.outputTypes().size() == 3;
    return rows -> {
      if (rows.isMany()) {
        return false;
      }
      unique(rows, indexType, counted);
      return true;
    };
  }

  private static void unique(Rows rows, DataType indexType, boolean counted) {
    Tensor x = rows.all(0);
    checkIsVector(x);
    unique(rows, new Slices(x, 0), indexType, counted);
  }

  private static void checkIsVector(Tensor x) {
    if (x.shape().rank() != 1) {
      throw invalidArgument("unique expects a 1D vector.");
    }
  }

  private static void unique(Rows rows, Slices slices, DataType indexType, boolean counted) {
    Map<Object, Integer> numbers = new HashMap<>();
    long[] numberOf = new long[slices.count];
    int[] firsts = new int[slices.count];
    long[] counts = new long[slices.count];
    for (int i = 0; i < numberOf.length; i++) {
      rows.cancellation().check();
      int number = numbers.computeIfAbsent(slices.key(i), _ -> numbers.size());
      if (counts[number]++ == 0) {
        firsts[number] = i;
      }
      numberOf[i] = number;
    }
    slices.setPicked(rows, Arrays.copyOf(firsts, numbers.size()));
    rows.set(1, IntegerTensors.vector(indexType, numberOf));
    if (counted) {
      rows.set(2, IntegerTensors.vector(indexType, Arrays.copyOf(counts, numbers.size())));
    }
  }

  /** Declines many rows, like {@link #unique}. */
  private static RowKernel.Body uniqueSlices(NodeSpec node) {
    DataType indexType = node.outputTypes().get(1);
    boolean counted = node.outputTypes().size() == 3;
    return rows -> {
      if (rows.isMany()) {
        return false;
      }
      Tensor x = rows.all(0);
      unique(rows, new Slices(x, axis(rows.all(1), x)), indexType, counted);
      return true;
    };
  }

  /** The axis in {@code given}; if it is empty, {@code x} must be a vector. */
  private static int axis(Tensor given, Tensor x) {
    if (given.shape().rank() != 1) {
      throw invalidArgument("axis expects a 1D vector.");
    }
    if (given.elements() > 1) {
      throw invalidArgument("axis does not support input tensors larger than 1 elements");
    }
    if (given.elements() == 0) {
      checkIsVector(x);
      return 0;
    }
    Integer axis = Shapes.axis(given.integer(0), x.shape().rank());
    if (axis == null) {
      throw invalidArgument("axis has to be between [0, %d)", x.shape().rank());
    }
    return axis;
  }

  /** The number of distinct slices is unknown. */
  private static List<Shape> slicesRule(ShapeFunction.Inputs in, boolean counted) {
    Shape x = in.shape(0);
    Tensor axis = in.constant(1);
    Shape unique = x.isUnknownRank() ? Shape.UNKNOWN : Shapes.ofRank(x.rank());
    Shape numbers = Shape.of(Shape.UNKNOWN_DIMENSION);
    if (axis != null && axis.elements() < 2 && !x.isUnknownRank()) {
      Integer at = axis.elements() == 0 ? (Integer) 0 : Shapes.axis(axis.integer(0), x.rank());
      numbers = at == null || at >= x.rank() ? numbers : Shape.of(x.size(at));
    }
    return counted
        ? List.of(unique, numbers, Shape.of(Shape.UNKNOWN_DIMENSION))
        : List.of(unique, numbers);
  }

  /** The slices of a tensor along an axis. */
  private static final class Slices {
    final int count;
    private final Tensor x;
    private final int axis;
    private final int blocks;
    private final int width;

    Slices(Tensor x, int axis) {
      this.x = x;
      this.axis = axis;
      this.count = (int) x.shape().size(axis);
      this.blocks = x.shape().sub(0, axis).elements();
      this.width = x.shape().dropFirst(axis + 1).elements();
    }

    /** A map key: equal for equal slices. */
    Object key(int index) {
      if (blocks == 1 && width == 1) {
        return UniqueOps.key(x, index);
      }
      List<Object> keys = new ArrayList<>(blocks * width);
      for (int block = 0; block < blocks; block++) {
        for (int i = 0; i < width; i++) {
          keys.add(UniqueOps.key(x, (block * count + index) * width + i));
        }
      }
      return keys;
    }

    /** Sets output 0 to the slices {@code indices}. */
    void setPicked(Rows rows, int[] indices) {
      Shape shape = Shapes.withSize(x.shape(), axis, indices.length);
      Object picked = rows.allocate(x.dtype(), shape);
      for (int block = 0; block < blocks; block++) {
        int from = TensorMemory.offset(x) + block * count * width;
        int to = block * indices.length * width;
        IndexedMove.gather(
            x.dtype().kind(), TensorMemory.array(x), from, width, indices, picked, to);
      }
      rows.set(0, x.dtype(), shape, picked);
    }
  }

  /**
   * A map key: equal for equal elements. A NaN equals nothing, not even itself, and -0 equals 0 but
   * for half and bfloat16, whose zeros TensorFlow hashes by their bits.
   */
  static Object key(Tensor x, int index) {
    DataType dtype = x.dtype();
    int at = TensorMemory.offset(x) + index;
    if (dtype == DataType.STRING) {
      return ByteBuffer.wrap(x.string(index));
    }
    if (!dtype.isFloating()) {
      return NumericElements.integer(dtype, TensorMemory.array(x), at);
    }
    double value = NumericElements.floating(dtype, TensorMemory.array(x), at);
    boolean byBits = dtype == DataType.FLOAT16 || dtype == DataType.BFLOAT16;
    return Double.isNaN(value) ? new Object() : (Object) (byBits ? value : value + 0.0);
  }
}
