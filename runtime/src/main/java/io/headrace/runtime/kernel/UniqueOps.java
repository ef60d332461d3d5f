package io.headrace.runtime.kernel;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Ops that tell equal elements of a vector. */
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
        Op.define("ListDiff(x: T, y: T) -> (out: T, idx: out_idx)")
            .attrs("T: {real, string}", "out_idx: {int32, int64} = int32")
            .shape(UniqueOps::listDiffRule)
            .kernel(RowKernel.made(UniqueOps::listDiff)));
  }

  private static List<Shape> uniqueRule(ShapeRule.Inputs in) {
    Shape unknown = Shape.of(Shape.UNKNOWN_DIMENSION);
    return List.of(unknown, in.shape(0));
  }

  private static List<Shape> uniqueWithCountsRule(ShapeRule.Inputs in) {
    List<Shape> unique = uniqueRule(in);
    return List.of(unique.get(0), unique.get(1), unique.get(0));
  }

  /** One row at a time: rows differ in how many elements they have. */
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
    if (x.shape().rank() != 1) {
      throw invalidArgument("unique expects a 1D vector.");
    }
    Map<Object, Integer> numbers = new HashMap<>();
    long[] numberOf = new long[x.elements()];
    int[] firsts = new int[x.elements()];
    long[] counts = new long[x.elements()];
    for (int i = 0; i < numberOf.length; i++) {
      int number = numbers.computeIfAbsent(key(x, i), _ -> numbers.size());
      if (counts[number]++ == 0) {
        firsts[number] = i;
      }
      numberOf[i] = number;
    }
    setPicked(rows, 0, x, firsts, numbers.size());
    rows.set(1, IntegerTensors.vector(indexType, numberOf));
    if (counted) {
      rows.set(2, IntegerTensors.vector(indexType, Arrays.copyOf(counts, numbers.size())));
    }
  }

  /** Sets an output to the first {@code count} of the elements {@code indices} of {@code x}. */
  private static void setPicked(Rows rows, int output, Tensor x, int[] indices, int count) {
    Shape shape = Shape.of(count);
    Object picked = rows.allocate(x.dtype(), shape);
    IndexedMove.gather(
        x.dtype().kind(), x.array(), x.offset(), 1, Arrays.copyOf(indices, count), picked, 0);
    rows.set(output, x.dtype(), shape, picked);
  }

  /** What equals for equal elements: -0 equals 0, and a NaN equals nothing, itself included. */
  private static Object key(Tensor x, int index) {
    DataType dtype = x.dtype();
    int at = x.offset() + index;
    if (dtype == DataType.STRING) {
      return ByteBuffer.wrap(x.string(index));
    }
    if (!dtype.isFloating()) {
      return Numbers.integer(dtype, x.array(), at);
    }
    double value = Numbers.floating(dtype, x.array(), at);
    return Double.isNaN(value) ? new Object() : (Object) (value + 0.0);
  }

  private static List<Shape> listDiffRule(ShapeRule.Inputs in) {
    Shapes.withRank(in.shape(0), 1);
    Shapes.withRank(in.shape(1), 1);
    Shape unknown = Shape.of(Shape.UNKNOWN_DIMENSION);
    return List.of(unknown, unknown);
  }

  private static RowKernel.Body listDiff(NodeSpec node) {
    DataType indexType = node.outputTypes().get(1);
    return rows -> {
      if (rows.isMany()) {
        return false;
      }
      listDiff(rows, indexType);
      return true;
    };
  }

  private static void listDiff(Rows rows, DataType indexType) {
    Tensor x = rows.all(0);
    Tensor y = rows.all(1);
    checkVector("x", x);
    checkVector("y", y);
    Set<Object> removed = new HashSet<>();
    for (int i = 0; i < y.elements(); i++) {
      removed.add(key(y, i));
    }
    int[] kept = new int[x.elements()];
    int count = 0;
    for (int i = 0; i < kept.length; i++) {
      if (!removed.contains(key(x, i))) {
        kept[count++] = i;
      }
    }
    setPicked(rows, 0, x, kept, count);
    long[] indices = Arrays.stream(kept, 0, count).asLongStream().toArray();
    rows.set(1, IntegerTensors.vector(indexType, indices));
  }

  private static void checkVector(String name, Tensor tensor) {
    if (tensor.shape().rank() != 1) {
      throw invalidArgument("%s should be a 1D vector.", name);
    }
  }
}
