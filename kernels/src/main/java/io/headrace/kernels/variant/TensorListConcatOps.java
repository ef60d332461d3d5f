package io.headrace.kernels.variant;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.KernelCall;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import java.util.ArrayList;
import java.util.List;

/**
 * TensorListConcatV2 and TensorListConcat join the elements of a list along their first dimension;
 * TensorListSplit cuts a tensor into the elements of a list.
 */
final class TensorListConcatOps {
  private static final Tensor NONE = Tensor.vector(new long[0]);

  private TensorListConcatOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define(
                "TensorListConcatV2(input_handle: variant, element_shape: shape_type,"
                    + " leading_dims: int64) -> (tensor: element_dtype, lengths: int64)")
            .attrs("element_dtype: type", "shape_type: {int32, int64}")
            .shape(in -> rule(Shapes.fromSizes(in, 1)))
            .kernel(node ->
                call -> {
                  TensorList list = TensorListOps.list(call, node);
                  concat(call, list, TensorList.shapeFrom(call.input(1)), call.input(2));
                }),
        Op.define(
                "TensorListConcat(input_handle: variant)"
                    + " -> (tensor: element_dtype, lengths: int64)")
            .attrs("element_dtype: type", "element_shape: shape = ?")
            .shape(in -> rule(in.attrs().shape("element_shape")))
            .kernel(node -> {
              Shape shape = node.attrs().shape("element_shape");
              return call -> concatSet(call, TensorListOps.list(call, node), shape);
            }),
        Op.define(
                "TensorListSplit(tensor: element_dtype, element_shape: shape_type, lengths: int64)"
                    + " -> output_handle: variant")
            .attrs("element_dtype: type", "shape_type: {int32, int64}")
            .shape(TensorListConcatOps::splitRule)
            .stateless(call -> TensorListOps.set(call, split(call))));
  }

  /**
   * Concatenates the elements, all of which must be set.
   *
   * @param shape the element shape; its first size is ignored
   */
  private static void concatSet(KernelCall call, TensorList list, Shape shape) {
    Shape rest = rest(shape);
    var _ = TensorList.merge(rest, rest(list.elementShape()));
    int[] set = {0};
    list.items().forEachSet((_, _) -> set[0]++);
    if (set[0] < list.size() && (set[0] > 0 || rest.isKnown())) {
      throw invalidArgument(
          "Concating lists with uninitialized tensors is not supported in this version of"
              + " TensorListConcat. Consider updating your GraphDef to run the newer version.");
    }
    boolean known = !rest.isUnknownRank();
    concat(call, list, known ? rest.prepend(Shape.UNKNOWN_DIMENSION) : rest, NONE);
  }

  private static Shape rest(Shape elementShape) {
    if (elementShape.rank() == 0) {
      throw invalidArgument(
          "Concat requires elements to be at least vectors, found scalars instead.");
    }
    return elementShape.isUnknownRank() ? elementShape : elementShape.dropFirst(1);
  }

  private static List<Shape> rule(Shape element) {
    Shape lengths = Shape.of(Shape.UNKNOWN_DIMENSION);
    if (element.isUnknownRank()) {
      return List.of(Shape.UNKNOWN, lengths);
    }
    Shapes.checkRankAtLeast(element, 1);
    return List.of(element.dropFirst(1).prepend(Shape.UNKNOWN_DIMENSION), lengths);
  }

  /**
   * Concatenates the elements along their first dimension.
   *
   * @param elementShape a partial shape with which the shapes of all elements must be compatible
   * @param leadingDims for each index, the first size of an unset element
   */
  private static void concat(
      KernelCall call, TensorList list, Shape elementShape, Tensor leadingDims) {
    Shape shape = TensorList.merge(elementShape, list.elementShape());
    if (shape.rank() == 0) {
      throw invalidArgument(
          "Concat requires elements to be at least vectors, found scalars instead.");
    }
    Shape rest = shape.isUnknownRank() ? shape : shape.dropFirst(1);
    if (list.size() == 0 && !rest.isKnown()) {
      throw invalidArgument(
          "All except the first dimension must be fully defined when concating an empty tensor"
              + " list. element_shape: %s",
          rest);
    }
    long firstSize = shape.isUnknownRank() ? Shape.UNKNOWN_DIMENSION : shape.size(0);
    Slices slices = new Slices(firstSize, rest);
    if (!list.elementShape().isKnown()) {
      list.items().forEachSet(slices::add);
    }
    if (!slices.rest.isKnown()) {
      throw invalidArgument(
          "Trying to concat list with only uninitialized tensors but"
              + " element_shape_except_first_dim is not fully defined: %s",
          slices.rest);
    }
    long[] lengths = lengths(list, slices.sizeOfUnset(), leadingDims);
    long total = 0;
    for (long length : lengths) {
      total = Math.addExact(total, length);
    }
    Tensor joined = TensorList.zeros(list.elementType(), slices.rest.prepend(total));
    int width = slices.rest.elements();
    int at = 0;
    for (int i = 0; i < lengths.length; i++) {
      Tensor item = list.items().get(i);
      if (item != null) {
        TensorListOps.copy(item, joined, at * width);
      }
      at += (int) lengths[i];
    }
    call.setOutput(0, joined);
    call.setOutput(1, Tensor.vector(lengths));
  }

  /** Infers the shape of unset elements from {@code element_shape} and the set elements. */
  private static final class Slices {
    private final long declared;
    private Shape rest;
    private long common = Shape.UNKNOWN_DIMENSION;
    private boolean differ;

    Slices(long declared, Shape rest) {
      this.declared = declared;
      this.rest = rest;
    }

    void add(int index, Tensor tensor) {
      if (tensor.shape().rank() == 0) {
        throw invalidArgument(
            "Concat saw a scalar shape at index %d but requires at least vectors.", index);
      }
      rest = TensorList.merge(rest, tensor.shape().dropFirst(1));
      long size = tensor.shape().size(0);
      if (declared >= 0 && declared != size) {
        throw invalidArgument(
            "First entry of element_shape input does not match the first dim of list element at"
                + " index: %d Expected: %d Actual: %d",
            index, declared, size);
      }
      differ |= common >= 0 && common != size;
      common = size;
    }

    /** The inferred first size of unset elements; -1 if unknown. */
    long sizeOfUnset() {
      return declared >= 0 ? declared : differ ? Shape.UNKNOWN_DIMENSION : common;
    }
  }

  private static long[] lengths(TensorList list, long sizeOfUnset, Tensor leadingDims) {
    long bytes = 8L * list.size();
    if (bytes > TensorLimit.maxBytes()) {
      TensorLimit.allocate(DataType.INT64, Shape.of(list.size()));
    }
    long[] lengths = new long[list.size()];
    for (int i = 0; i < lengths.length; i++) {
      Tensor item = list.items().get(i);
      if (item != null) {
        lengths[i] = item.shape().size(0);
      } else if (i >= leadingDims.elements() && sizeOfUnset >= 0) {
        lengths[i] = sizeOfUnset;
      } else if (i >= leadingDims.elements()) {
        throw invalidArgument(
            "List contains uninitialized tensor at index %d but leading_dims has only %d elements.",
            i, leadingDims.elements());
      } else {
        lengths[i] = leadingDims.integer(i);
        if (lengths[i] < 0) {
          throw invalidArgument("leading_dims[%d] must not be negative: %d", i, lengths[i]);
        }
      }
    }
    return lengths;
  }

  private static List<Shape> splitRule(ShapeFunction.Inputs in) {
    Shape tensor = in.shape(0);
    Shapes.checkRankAtLeast(tensor, 1);
    Shapes.withRank(in.shape(2), 1);
    Shape element =
        tensor.isUnknownRank() ? tensor : tensor.dropFirst(1).prepend(Shape.UNKNOWN_DIMENSION);
    Shapes.merge(element, Shapes.fromSizes(in, 1));
    return List.of(Shape.SCALAR);
  }

  private static TensorList split(KernelCall call) {
    Tensor tensor = call.input(0);
    Shape shape = TensorList.shapeFrom(call.input(1));
    Tensor lengths = call.input(2);
    if (shape.rank() == 0) {
      throw invalidArgument(
          "TensorListSplit requires element_shape to be at least of rank 1, but saw: %s", shape);
    }
    TensorListOps.checkVector(tensor);
    Shape rest = shape.isUnknownRank() ? shape : shape.dropFirst(1);
    if (!rest.isCompatibleWith(tensor.shape().dropFirst(1))) {
      throw invalidArgument(
          "tensor shape %s is not compatible with element_shape %s", tensor.shape(), shape);
    }
    if (lengths.shape().rank() != 1) {
      throw invalidArgument("Expected lengths to be a vector, received shape: %s", lengths.shape());
    }
    return new TensorList(
        TensorVector.of(parts(tensor, lengths)), tensor.dtype(), shape, TensorList.UNBOUNDED);
  }

  private static List<Tensor> parts(Tensor tensor, Tensor lengths) {
    long size = tensor.shape().size(0);
    List<Tensor> parts = new ArrayList<>();
    long start = 0;
    for (long length : lengths.integers()) {
      if (length < 0) {
        throw invalidArgument("Invalid value in lengths: %d", length);
      }
      if (length > size - start) {
        throw invalidArgument(
            "Attempting to slice [%d, %d] from tensor with length %d", start, start + length, size);
      }
      parts.add(tensor.rows((int) start, (int) (start + length)));
      start += length;
    }
    if (start != size) {
      throw invalidArgument(
          "Unused values in tensor. Length of tensor: %d Values used: %d", size, start);
    }
    return parts;
  }
}
