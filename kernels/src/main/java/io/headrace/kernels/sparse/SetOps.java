package io.headrace.kernels.sparse;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.NumericElements;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** The set operation ops and SetSize: the last dimension of a dense or sparse tensor is a set. */
final class SetOps {
  private static final String TYPES = "T: {int8, int16, int32, int64, uint8, uint16, string}";
  private static final String RESULT =
      " -> (result_indices: int64, result_values: T, result_shape: int64)";
  private static final Comparator<Object> ELEMENTS =
      (a, b) ->
          a instanceof byte[] x
              ? Arrays.compareUnsigned(x, (byte[]) b)
              : Long.compare((Long) a, (Long) b);

  private SetOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("DenseToDenseSetOperation(set1: T, set2: T)" + RESULT)
            .attrs("set_operation: string", "validate_indices: bool = true", TYPES)
            .shape(SetOps::denseRule)
            .kernel(node -> {
              Operation operation = Operation.of(node);
              return call -> {
                Groups a = Groups.dense(call.input(0));
                Groups b = Groups.dense(call.input(1));
                set(call, a, b, operation);
              };
            }),
        Op.define(
                "DenseToSparseSetOperation(set1: T, set2_indices: int64, set2_values: T,"
                    + " set2_shape: int64)"
                    + RESULT)
            .attrs("set_operation: string", "validate_indices: bool = true", TYPES)
            .shape(in -> result(Math.max(in.shape(0).rank(), size(in.shape(3)))))
            .kernel(node -> {
              Operation operation = Operation.of(node);
              boolean validates = node.attrs().bool("validate_indices");
              return call -> {
                Groups b = Groups.sparse(call, 1, validates);
                set(call, Groups.dense(call.input(0)), b, operation);
              };
            }),
        Op.define(
                "SparseToSparseSetOperation(set1_indices: int64, set1_values: T, set1_shape: int64,"
                    + " set2_indices: int64, set2_values: T, set2_shape: int64)"
                    + RESULT)
            .attrs("set_operation: string", "validate_indices: bool = true", TYPES)
            .shape(in -> result(Math.max(size(in.shape(2)), size(in.shape(5)))))
            .kernel(node -> {
              Operation operation = Operation.of(node);
              boolean validates = node.attrs().bool("validate_indices");
              return call -> {
                Groups a = Groups.sparse(call, 0, validates);
                set(call, a, Groups.sparse(call, 3, validates), operation);
              };
            }),
        Op.define("SetSize(set_indices: int64, set_values: T, set_shape: int64) -> size: int32")
            .attrs("validate_indices: bool = true", TYPES)
            .shape(_ -> List.of(Shape.UNKNOWN))
            .kernel(node -> {
              boolean validates = node.attrs().bool("validate_indices");
              return call -> sizes(call, Groups.sparse(call, 0, validates));
            }));
  }

  private static List<Shape> denseRule(ShapeFunction.Inputs in) {
    Shape a = in.shape(0);
    Shape b = in.shape(1);
    Shapes.checkRankAtLeast(a, 2);
    Shapes.checkRankAtLeast(b, 2);
    if (!a.isUnknownRank() && !b.isUnknownRank()) {
      Shapes.withRank(b, a.rank());
      Shapes.merge(a.sub(0, a.rank() - 1), b.sub(0, b.rank() - 1));
    }
    return result(Math.max(a.rank(), b.rank()));
  }

  private static long size(Shape vector) {
    return vector.rank() == 1 ? vector.size(0) : Shape.UNKNOWN_DIMENSION;
  }

  private static List<Shape> result(long rank) {
    long unknown = Shape.UNKNOWN_DIMENSION;
    return List.of(Shape.of(unknown, rank), Shape.of(unknown), Shape.of(rank));
  }

  /** The values of attr {@code set_operation}. */
  private enum Operation {
    A_MINUS_B,
    B_MINUS_A,
    INTERSECTION,
    UNION;

    static Operation of(NodeSpec node) {
      String name = node.attrs().string("set_operation");
      return switch (name.toLowerCase(Locale.ROOT)) {
        case "a-b" -> A_MINUS_B;
        case "b-a" -> B_MINUS_A;
        case "intersection" -> INTERSECTION;
        case "union" -> UNION;
        default -> throw invalidArgument("Invalid set_operation %s.", name);
      };
    }

    Set<Object> apply(Set<Object> a, Set<Object> b) {
      Set<Object> result = new TreeSet<>(ELEMENTS);
      result.addAll(this == B_MINUS_A ? b : a);
      switch (this) {
        case A_MINUS_B -> b.forEach(result::remove);
        case B_MINUS_A -> a.forEach(result::remove);
        case INTERSECTION -> result.removeIf(element -> !b.contains(element));
        case UNION -> result.addAll(b);
      }
      return result;
    }
  }

  /**
   * The sets of a tensor.
   *
   * @param shape the tensor's shape without the last dimension
   * @param sets the nonempty sets, by their row-major index in {@code shape}
   */
  private record Groups(Shape shape, Map<Long, Set<Object>> sets) {
    static Groups dense(Tensor tensor) {
      Shape shape = groupShape(tensor.shape().dimensions());
      int size = (int) tensor.shape().size(tensor.shape().rank() - 1);
      Map<Long, Set<Object>> sets = new TreeMap<>();
      for (int i = 0; i < tensor.elements(); i++) {
        add(sets, i / size, tensor, i);
      }
      return new Groups(shape, sets);
    }

    static Groups sparse(KernelCall call, int first, boolean validates) {
      Tensor sizes = call.input(first + 2);
      if (sizes.shape().rank() != 1) {
        throw invalidArgument("Shape must be a 1D tensor.");
      }
      if (sizes.elements() < 2) {
        throw invalidArgument("Invalid rank %d.", sizes.elements());
      }
      SparseTensor sparse = SparseTensor.of(call, first);
      sparse.checkSize();
      if (validates) {
        sparse.checkOrdered();
      }
      Shape shape = groupShape(sizes.integers());
      Map<Long, Set<Object>> sets = new TreeMap<>();
      for (int i = 0; i < sparse.count(); i++) {
        if (!sparse.isWithin(i)) {
          throw invalidArgument(
              "indices[%d] = %s is out of bounds: need 0 <= index < %s",
              i, sparse.indexText(i), Shape.of(sizes.integers()));
        }
        long group = 0;
        for (int axis = 0; axis < shape.rank(); axis++) {
          group = group * shape.size(axis) + sparse.index(i, axis);
        }
        add(sets, group, sparse.values(), i);
      }
      return new Groups(shape, sets);
    }

    private static void add(Map<Long, Set<Object>> sets, long group, Tensor values, int i) {
      Object element =
          values.dtype() == DataType.STRING
              ? values.string(i)
              : (Object)
                  NumericElements.integer(
                      values.dtype(), TensorMemory.array(values), TensorMemory.offset(values) + i);
      sets.computeIfAbsent(group, _ -> new TreeSet<>(ELEMENTS)).add(element);
    }

    private static Shape groupShape(long[] sizes) {
      Shape shape = Shape.of(sizes);
      if (sizes.length < 2) {
        throw invalidArgument("Shape %s has rank %d < 2", shape, sizes.length);
      }
      return shape.sub(0, sizes.length - 1);
    }

    Set<Object> set(long group) {
      return sets.getOrDefault(group, Set.of());
    }
  }

  private static void set(KernelCall call, Groups a, Groups b, Operation operation) {
    if (!a.shape().equals(b.shape())) {
      throw invalidArgument("Mismatched shapes %s vs %s", a.shape(), b.shape());
    }
    Set<Long> groups = new TreeSet<>(a.sets().keySet());
    groups.addAll(b.sets().keySet());
    List<Long> setIndices = new ArrayList<>();
    List<Set<Object>> results = new ArrayList<>();
    long count = 0;
    long largest = 0;
    for (long group : groups) {
      call.cancellation().check();
      Set<Object> result = operation.apply(a.set(group), b.set(group));
      setIndices.add(group);
      results.add(result);
      count += result.size();
      largest = Math.max(largest, result.size());
    }
    DataType dtype = call.input(call.inputs() == 6 ? 1 : 0).dtype();
    setResult(call, a.shape(), setIndices, results, count, largest, dtype);
  }

  private static void setResult(
      KernelCall call,
      Shape groupShape,
      List<Long> setIndices,
      List<Set<Object>> results,
      long count,
      long largest,
      DataType dtype) {
    int rank = groupShape.rank() + 1;
    Shape indexShape = Shape.of(count, rank);
    long[] indices = (long[]) TensorLimit.allocate(DataType.INT64, indexShape);
    Object values = TensorLimit.allocate(dtype, Shape.of(count));
    int at = 0;
    for (int i = 0; i < results.size(); i++) {
      long column = 0;
      for (Object element : results.get(i)) {
        long rest = setIndices.get(i);
        for (int axis = rank - 2; axis >= 0; axis--) {
          indices[at * rank + axis] = rest % groupShape.size(axis);
          rest /= groupShape.size(axis);
        }
        indices[at * rank + rank - 1] = column++;
        put(values, at++, element);
      }
    }
    long[] shape = Arrays.copyOf(groupShape.dimensions(), rank);
    shape[rank - 1] = largest;
    call.setOutput(0, Tensor.wrap(DataType.INT64, indexShape, indices));
    call.setOutput(1, Tensor.wrap(dtype, Shape.of(count), values));
    call.setOutput(2, Tensor.vector(shape));
  }

  private static void put(Object values, int at, Object element) {
    if (values instanceof byte[][] strings) {
      strings[at] = (byte[]) element;
    } else {
      NumericElements.setInteger(values, at, (Long) element);
    }
  }

  private static void sizes(KernelCall call, Groups groups) {
    int[] sizes = (int[]) TensorLimit.allocate(DataType.INT32, groups.shape());
    groups.sets().forEach((group, set) -> sizes[Math.toIntExact(group)] = set.size());
    call.setOutput(0, Tensor.wrap(DataType.INT32, groups.shape(), sizes));
  }
}
