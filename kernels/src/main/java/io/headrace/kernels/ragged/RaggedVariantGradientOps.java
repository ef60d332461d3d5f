package io.headrace.kernels.ragged;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.ShapeInputs;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.Kernel;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.ElementKind;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * RaggedTensorToVariantGradient: the gradient of the flat values of a ragged tensor, from those of
 * the variants into which it was encoded.
 */
final class RaggedVariantGradientOps {
  private RaggedVariantGradientOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "RaggedTensorToVariantGradient(encoded_ragged_grad: variant, row_splits: Tsplits,"
                    + " dense_values_shape: int32) -> dense_values_grad: Tvalues")
            .attrs("Tvalues: type", "Tsplits: {int32, int64} = int64")
            .shape(in -> List.of(Shapes.fromSizes(in, 2)))
            .remark(
                "Variants that do not fill the shape, or hold other values, are INVALID_ARGUMENT;"
                    + " TensorFlow leaves values unset, or ends.")
            .kernel(RaggedVariantGradientOps::gradient));
  }

  private static Kernel.Sync gradient(NodeSpec node) {
    DataType dtype = node.attrs().type("Tvalues");
    return call -> call.setOutput(0, gradient(call, dtype));
  }

  private static Tensor gradient(KernelCall call, DataType dtype) {
    Tensor encoded = call.input(0);
    Tensor splits = call.input(1);
    Shape shape = ShapeInputs.shape(call.input(2));
    if (splits.shape().rank() > 0) {
      RowSplits.checkEncodable(splits);
    }
    List<Piece> pieces = new ArrayList<>(encoded.elements());
    for (int i = 0; i < encoded.elements(); i++) {
      RaggedVariant ragged = RaggedVariant.of(encoded.reference(i));
      pieces.add(
          ragged == null
              ? new Piece(missing(shape, splits, i), null)
              : new Piece(ragged.values().shape(), checked(ragged.values(), dtype)));
    }
    if (pieces.size() == 1) {
      Piece only = pieces.getFirst();
      return only.values == null ? joined(pieces, dtype, only.shape) : only.values;
    }
    return joined(pieces, dtype, shape);
  }

  /**
   * The gradient of a row.
   *
   * @param values the values; null for zeros
   */
  private record Piece(Shape shape, @Nullable Tensor values) {}

  private static Tensor checked(Tensor values, DataType dtype) {
    if (values.dtype() != dtype) {
      throw invalidArgument(
          "Expected values Tensor dtype: %s, found: %s", dtype.tfName(), values.dtype().tfName());
    }
    return values;
  }

  /** The shape of the gradient of a row whose variant did not contribute to the result. */
  private static Shape missing(Shape shape, Tensor splits, int row) {
    if (row + 1 >= splits.elements() || shape.rank() == 0) {
      throw invalidArgument(
          "variant %d has no gradient, and row splits %s and shape %s do not tell its size",
          row, splits.shape(), shape);
    }
    return Shapes.withSize(shape, 0, splits.integer(row + 1) - splits.integer(row));
  }

  private static Tensor joined(List<Piece> pieces, DataType dtype, Shape shape) {
    long elements = pieces.stream().mapToLong(piece -> piece.shape.elements()).sum();
    if (elements != shape.elements()) {
      throw invalidArgument("%d values do not fill the shape %s", elements, shape);
    }
    if (dtype.kind() == ElementKind.REFERENCE
        && pieces.stream().anyMatch(piece -> piece.values == null && piece.shape.elements() > 0)) {
      throw invalidArgument("a row without a gradient has no zeros of %s", dtype.tfName());
    }
    Object array = TensorLimit.allocate(dtype, shape);
    if (array instanceof byte[][] strings) {
      Arrays.fill(strings, new byte[0]);
    }
    int at = 0;
    for (Piece piece : pieces) {
      Tensor values = piece.values;
      if (values != null) {
        dtype
            .kind()
            .copy(
                TensorMemory.array(values),
                TensorMemory.offset(values),
                array,
                at,
                values.elements());
      }
      at += piece.shape.elements();
    }
    return Tensor.wrap(dtype, shape, array);
  }
}
