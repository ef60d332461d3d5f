package io.headrace.kernels.linalg;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The Einsum op: tensor contraction by an equation, as matrix products. */
final class EinsumOps {
  /** The label of the dimension of rows, distinct from every character. */
  private static final int ROW = -2;

  private EinsumOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Einsum(inputs: N * T) -> output: T")
            .attrs("equation: string", "N: int", "T: type")
            .shape(EinsumOps::rule)
            .kernel(
                RowKernel.made(node -> {
                  EinsumEquation equation = EinsumEquation.parse(node.attrs().string("equation"));
                  checkType(node.attrs().type("T"));
                  return rows -> compute(rows, equation);
                })));
  }

  private static void checkType(DataType dtype) {
    switch (dtype) {
      case FLOAT16, BFLOAT16, FLOAT32, FLOAT64, INT32, INT64, COMPLEX64, COMPLEX128 -> {}
      default -> throw invalidArgument("Einsum takes no %s", dtype.tfName());
    }
  }

  private static List<Shape> rule(ShapeFunction.Inputs in) {
    EinsumEquation equation = EinsumEquation.parse(in.attrs().string("equation"));
    equation.checkCount(in.count());
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < in.count(); i++) {
      Shape shape = in.shape(i);
      if (shape.isUnknownRank() && equation.hasEllipsis(i)) {
        return List.of(Shape.UNKNOWN);
      }
      equation.checkRank(i, shape);
      shapes.add(shape.isUnknownRank() ? Shapes.ofRank(equation.labelCount(i)) : shape);
    }
    int broadcastRank = equation.broadcastRank(shapes);
    Map<Integer, Long> sizes = new HashMap<>();
    for (int i = 0; i < shapes.size(); i++) {
      mergeSizes(sizes, equation.axes(i, shapes.get(i), broadcastRank), shapes.get(i));
    }
    return List.of(outputShape(equation.outputAxes(broadcastRank), sizes));
  }

  private static Shape outputShape(int[] axes, Map<Integer, Long> sizes) {
    long[] dimensions = new long[axes.length];
    for (int i = 0; i < axes.length; i++) {
      Long size = sizes.get(axes[i]);
      if (size == null) {
        throw invalidArgument("the output's label '%c' is not one of an input", axes[i]);
      }
      dimensions[i] = size;
    }
    return Shape.of(dimensions);
  }

  /** Records the size of each label; INVALID_ARGUMENT if two axes of a label disagree. */
  private static void mergeSizes(Map<Integer, Long> sizes, int[] axes, Shape shape) {
    for (int axis = 0; axis < axes.length; axis++) {
      long size = shape.size(axis);
      Long known = sizes.get(axes[axis]);
      if (known == null || known < 0) {
        sizes.put(axes[axis], size);
      } else if (EinsumEquation.isBroadcast(axes[axis]) && (known == 1 || size == 1)) {
        sizes.put(axes[axis], known == 1 ? size : known);
      } else if (size >= 0 && size != known) {
        throw invalidArgument(
            "Expected dimension %d at axis %d of the input shaped %s but got dimension %d",
            known, axis, shape, size);
      }
    }
  }

  private static boolean compute(Rows rows, EinsumEquation equation) {
    equation.checkCount(rows.inputs());
    List<Shape> shapes = new ArrayList<>();
    for (int i = 0; i < rows.inputs(); i++) {
      equation.checkRank(i, rows.shape(i));
      shapes.add(rows.shape(i));
    }
    int broadcastRank = equation.broadcastRank(shapes);
    Map<Integer, Long> sizes = new HashMap<>();
    List<int[]> axes = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      axes.add(equation.axes(i, shapes.get(i), broadcastRank));
      mergeSizes(sizes, axes.get(i), shapes.get(i));
    }
    int[] output = equation.outputAxes(broadcastRank);
    Shape shape = outputShape(output, sizes);
    sizes.put(ROW, (long) rows.count());
    List<EinsumOperand> operands = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      int[] labels = rows.varies(i) ? withRow(axes.get(i)) : axes.get(i);
      operands.add(EinsumOperand.of(rows.all(i), labels, sizes, rows.cancellation()));
    }
    int[] all = rows.isMany() ? withRow(output) : output;
    EinsumOperand result = contract(operands, all);
    Object array = rows.allocate(rows.dtype(0), shape);
    Shape whole = rows.withRows(shape);
    result.write(all, whole, array);
    rows.set(0, Tensor.wrap(rows.dtype(0), whole, array));
    return true;
  }

  private static int[] withRow(int[] axes) {
    int[] result = new int[axes.length + 1];
    result[0] = ROW;
    System.arraycopy(axes, 0, result, 1, axes.length);
    return result;
  }

  /** Sums each operand over the labels it alone has, then contracts the two. */
  private static EinsumOperand contract(List<EinsumOperand> operands, int[] output) {
    List<Integer> kept = new ArrayList<>();
    for (int label : output) {
      if (!kept.contains(label)) {
        kept.add(label);
      }
    }
    EinsumOperand first = operands.getFirst();
    if (operands.size() == 1) {
      return first.sumExcept(kept);
    }
    EinsumOperand second = operands.get(1);
    List<Integer> ofFirst = new ArrayList<>(kept);
    ofFirst.addAll(second.labels());
    List<Integer> ofSecond = new ArrayList<>(kept);
    ofSecond.addAll(first.labels());
    return first.sumExcept(ofFirst).times(second.sumExcept(ofSecond), kept);
  }
}
