package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Combiner;
import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * ScatterNd, ScatterNdNonAliasingAdd and the TensorScatter ops: slices written to or combined with
 * those of a tensor at multi-dimensional indices.
 */
public final class ScatterOps {
  /** The components of the longest index, as in TensorFlow, whose message says 5. */
  private static final int MAX_DEPTH = 7;

  private ScatterOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("ScatterNd(indices: Tindices, updates: T, shape: Tindices) -> output: T")
            .attrs("T: {fixedwidth, string}", "Tindices: {int32, int64}", NdIndices.POLICY)
            .shape(ScatterOps::scatterNdRule)
            .kernel(RowKernel.made(ScatterOps::scatterNd)),
        tensorScatter("Update", "T: type", Combiner.UPDATE),
        tensorScatter("Add", "T: number", Combiner.ADD),
        tensorScatter("Sub", "T: number", Combiner.SUB),
        tensorScatter("Max", "T: real", Combiner.MAX),
        tensorScatter("Min", "T: real", Combiner.MIN),
        Op.define("ScatterNdNonAliasingAdd(input: T, indices: Tindices, updates: T) -> output: T")
            .attrs("T: fixedwidth", "Tindices: {int32, int64}", NdIndices.POLICY)
            .shape(in -> List.of(in.shape(0)))
            .kernel(
                RowKernel.made(
                    node -> tensorScatter(node, Combiner.ADD, ScatterOps::checkUpdates))));
  }

  private static Op tensorScatter(String name, String type, Combiner combining) {
    return Op.define(
            "TensorScatter" + name + "(tensor: T, indices: Tindices, updates: T) -> output: T")
        .attrs(type, "Tindices: {int32, int64}", NdIndices.POLICY)
        .shape(in -> List.of(in.shape(0)))
        .kernel(
            RowKernel.made(node -> tensorScatter(node, combining, ScatterOps::checkTensorUpdates)));
  }

  private static RowKernel.Body scatterNd(NodeSpec node) {
    boolean skipsBad = NdIndices.skipsBad(node);
    return rows -> {
      Tensor sizes = rows.same(2);
      if (sizes == null) {
        return false;
      }
      Shape shape = shape(sizes);
      Shape indices = rows.shape(0);
      Shape updates = rows.shape(1);
      checkParts(sizes.elements(), indices, updates);
      checkUpdates(shape, indices, updates);
      Object array = rows.allocateZeros(rows.dtype(1), shape);
      for (int row = 0; row < rows.count(); row++) {
        scatter(rows.row(0, row), rows.row(1, row), shape, skipsBad, array, row, Combiner.ADD);
        rows.cancellation().check();
      }
      rows.set(0, rows.dtype(1), shape, array);
      return true;
    };
  }

  private static Shape shape(Tensor sizes) {
    if (sizes.shape().rank() != 1) {
      throw invalidArgument("Shape must be a vector");
    }
    return ShapeInputs.shape(sizes);
  }

  private static void checkNotEmpty(Shape shape, Shape indices, Shape updates) {
    boolean nothing = indices.elements() == 0 && updates.elements() == 0;
    if (!nothing && (shape.elements() == 0 || indices.elements() == 0 || updates.elements() == 0)) {
      throw invalidArgument(
          "Indices and updates specified for empty output.  indices shape: %s", indices);
    }
  }

  /**
   * INVALID_ARGUMENT if {@code indices} or {@code updates} are scalars, or if only some of output,
   * indices and updates are empty.
   *
   * @param output the elements of the output
   */
  private static void checkParts(int output, Shape indices, Shape updates) {
    checkRanks(indices, updates);
    boolean nothing = indices.elements() == 0 && updates.elements() == 0;
    if (!nothing && (output == 0 || indices.elements() == 0 || updates.elements() == 0)) {
      throw invalidArgument("Indices and updates specified for empty output shape");
    }
  }

  private static void checkRanks(Shape indices, Shape updates) {
    if (indices.rank() == 0) {
      throw invalidArgument("Indices shape must have rank at least one. Found:%s", indices);
    }
    if (updates.rank() == 0) {
      throw invalidArgument("Updates shape must have rank at least one. Found:%s", updates);
    }
  }

  /**
   * INVALID_ARGUMENT if {@code output} is a scalar, or {@code indices} are not a list of indices.
   */
  private static void checkOutput(Shape output, Shape indices, Shape updates) {
    if (output.rank() == 0) {
      throw invalidArgument("Output must be at least 1-D, got shape: %s", output);
    }
    if (indices.rank() == 1 && indices.size(0) != updates.size(0)) {
      throw invalidArgument(
          "Dimensions [0,1) of indices[shape=%s] = %d must match dimensions [0,1) of"
              + " updates[shape=%s] = %d",
          indices, indices.size(0), updates, updates.size(0));
    }
    if (indices.rank() == 1 && indices.size(0) > 0) {
      throw invalidArgument(
          "Dimensions [1,%d) of input[shape=%s] must match dimensions [1,%d) of"
              + " updates[shape=%s]",
          output.rank(), output, updates.rank(), updates);
    }
    int depth = NdIndices.depth(indices);
    if (indices.rank() > 1 && (depth == 0 || depth > MAX_DEPTH)) {
      throw invalidArgument(
          "Only indices.shape[-1] values between 1 and 5 are currently supported.  Requested rank:"
              + " %d",
          depth);
    }
  }

  private static void checkFits(Shape output, Shape indices, Shape updates) {
    int outer = indices.rank() - 1;
    if (updates.rank() < outer || !indices.sub(0, outer).equals(updates.sub(0, outer))) {
      throw invalidArgument(
          "Dimensions [0,%d) of indices[shape=%s] must match dimensions [0,%d) of"
              + " updates[shape=%s]",
          outer, indices, outer, updates);
    }
    int depth = NdIndices.depth(indices);
    if (depth > output.rank() || !output.dropFirst(depth).equals(updates.dropFirst(outer))) {
      throw invalidArgument(
          "Dimensions [%d,%d) of input[shape=%s] must match dimensions [%d,%d) of"
              + " updates[shape=%s]",
          depth, output.rank(), output, outer, updates.rank(), updates);
    }
  }

  /**
   * Combines {@code updates} with the slices at {@code indices} of a row of {@code array}.
   *
   * @param shape the shape of a row
   * @param skipsBad whether updates at indices that are out of range are skipped
   */
  public static void scatter(
      Tensor indices,
      Tensor updates,
      Shape shape,
      boolean skipsBad,
      Object array,
      int row,
      Combiner combining) {
    int block = shape.dropFirst(NdIndices.depth(indices.shape())).elements();
    int[] slices = NdIndices.slices(indices, shape, skipsBad, "shape", "");
    int first = row * shape.elements();
    for (int i = 0; i < slices.length; i++) {
      if (slices[i] == NdIndices.BAD) {
        continue;
      }
      combining.into(
          updates.dtype(),
          array,
          first + slices[i] * block,
          TensorMemory.array(updates),
          TensorMemory.offset(updates) + i * block,
          block);
    }
  }

  private static List<Shape> scatterNdRule(ShapeFunction.Inputs in) {
    return List.of(Shapes.fromSizes(in, 2));
  }

  private interface ShapeCheck {
    void check(Shape output, Shape indices, Shape updates);
  }

  private static RowKernel.Body tensorScatter(
      NodeSpec node, Combiner combining, ShapeCheck shapes) {
    boolean skipsBad = NdIndices.skipsBad(node);
    return rows -> {
      Shape shape = rows.shape(0);
      shapes.check(shape, rows.shape(1), rows.shape(2));
      DataType dtype = rows.dtype(0);
      Object array = rows.allocate(dtype, shape);
      int elements = shape.elements();
      for (int row = 0; row < rows.count(); row++) {
        Tensor tensor = rows.row(0, row);
        dtype
            .kind()
            .copy(
                TensorMemory.array(tensor),
                TensorMemory.offset(tensor),
                array,
                row * elements,
                elements);
        scatter(rows.row(1, row), rows.row(2, row), shape, skipsBad, array, row, combining);
        rows.cancellation().check();
      }
      rows.set(0, dtype, shape, array);
      return true;
    };
  }

  private static void checkTensorUpdates(Shape shape, Shape indices, Shape updates) {
    checkParts(shape.elements(), indices, updates);
    int outer = indices.rank() - 1;
    if (updates.rank() < outer || !indices.sub(0, outer).equals(updates.sub(0, outer))) {
      throw invalidArgument(
          "Outer dimensions of indices and update must match. Indices shape: %s, updates shape:%s",
          indices, updates);
    }
    int depth = NdIndices.depth(indices);
    if (depth > shape.rank() || !shape.dropFirst(depth).equals(updates.dropFirst(outer))) {
      throw invalidArgument(
          "Inner dimensions of output shape must match inner dimensions of updates shape. Output:"
              + " %s updates: %s",
          shape, updates);
    }
    checkOutput(shape, indices, updates);
  }

  /**
   * INVALID_ARGUMENT unless {@code updates} has a slice of {@code shape} for each index, of as many
   * components as TensorFlow takes.
   */
  public static void checkUpdates(Shape shape, Shape indices, Shape updates) {
    checkRanks(indices, updates);
    checkNotEmpty(shape, indices, updates);
    checkFits(shape, indices, updates);
    checkOutput(shape, indices, updates);
  }
}
