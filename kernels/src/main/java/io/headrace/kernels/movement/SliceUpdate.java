package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunctions;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorMemory;
import java.util.List;

/**
 * TensorStridedSliceUpdate, and what assignments to slices of variables share with it: a value is
 * broadcast to a part of a tensor, such as {@code x[1:3, ::-1]} in Python, and replaces it.
 */
public final class SliceUpdate {
  /** The dimensions of the largest tensor, as in TensorFlow. */
  private static final int MAX_RANK = 8;

  private final StridedSlice slice;

  private SliceUpdate(StridedSlice slice) {
    this.slice = slice;
  }

  /** The update by a node that has the masks of a StridedSlice. */
  public static SliceUpdate of(NodeSpec node) {
    return new SliceUpdate(StridedSlice.of(node.attrs()));
  }

  static List<Op> ops() {
    return List.of(
        declared("TensorStridedSliceUpdate(input: T", " -> output: T")
            .shape(ShapeFunctions.SAME)
            .remark(
                "Floats of 8 bits and variants are updated always; by TensorFlow only in a tensor"
                    + " that nothing else holds.")
            .kernel(RowKernel.made(SliceUpdate::tensorUpdate)));
  }

  /** Begins the declaration of an op whose first input, the target, {@code name} ends with. */
  public static Op.Builder declared(String name, String output) {
    return Op.define(name + ", begin: Index, end: Index, strides: Index, value: T)" + output)
        .attrs("T: type", "Index: {int32, int64}")
        .attrs(StridedSlice.MASKS);
  }

  private static RowKernel.Body tensorUpdate(NodeSpec node) {
    SliceUpdate update = of(node);
    return rows -> {
      Shape shape = rows.shape(0);
      DataType dtype = rows.dtype(0);
      int elements = shape.elements();
      Object array = rows.allocateUnset(dtype, shape);
      for (int row = 0; row < rows.count(); row++) {
        Tensor tensor = rows.row(0, row);
        int first = row * elements;
        dtype
            .kind()
            .copy(TensorMemory.array(tensor), TensorMemory.offset(tensor), array, first, elements);
        update
            .assignment(
                shape, rows.row(1, row), rows.row(2, row), rows.row(3, row), rows.row(4, row))
            .write(array, first, rows.cancellation());
      }
      rows.set(0, dtype, shape, array);
      return true;
    };
  }

  /**
   * The assignment of {@code value} to the part of a tensor of {@code shape}. INVALID_ARGUMENT if
   * there is no such part, or if the value cannot be broadcast to it.
   */
  public Assignment assignment(
      Shape shape, Tensor begin, Tensor end, Tensor strides, Tensor value) {
    StridedSlice.checkEntries(begin.shape(), end.shape(), strides.shape());
    StridedSlice.Part part = slice.part(shape, begin, end, strides);
    if (part.shape.elements() > 0) {
      checkBroadcasts(value.shape(), part.shape);
      if (shape.rank() > MAX_RANK) {
        throw StatusException.unimplemented("Unhandled input dimensions %d", shape.rank());
      }
    }
    return new Assignment(shape, part, value);
  }

  /** Dimensions of size 1 are repeated; more of them may lead than the part has dimensions. */
  private static void checkBroadcasts(Shape value, Shape part) {
    int surplus = value.rank() - part.rank();
    for (int i = 0; i < value.rank(); i++) {
      long size = value.size(i);
      if (size != 1 && (i < surplus || size != part.size(i - surplus))) {
        throw invalidArgument("Cannot broadcast input shape %s into final shape %s", value, part);
      }
    }
  }

  /** A value that is to replace a part of a tensor of a given shape. */
  public static final class Assignment {
    private final Shape shape;
    private final StridedSlice.Part part;
    private final Tensor value;

    private Assignment(Shape shape, StridedSlice.Part part, Tensor value) {
      this.shape = shape;
      this.part = part;
      this.value = value;
    }

    /** Whether the part has no elements. */
    public boolean isEmpty() {
      return part.shape.elements() == 0;
    }

    /** Writes the value into the tensor whose first element is {@code first} in {@code array}. */
    public void write(Object array, int first, Cancellation cancellation) {
      if (isEmpty()) {
        return;
      }
      StridedMove move = new StridedMove(value.dtype().kind());
      int[] from = valueStrides();
      int to = shape.elements();
      for (int axis = 0; axis < shape.rank(); axis++) {
        to /= (int) shape.size(axis);
        move.dimension((int) part.sizes[axis], from[axis], to * part.strides[axis]);
      }
      move.run(
          TensorMemory.array(value),
          TensorMemory.offset(value),
          array,
          first + SliceOps.start(shape, part),
          cancellation);
    }

    /** The stride of the value along each dimension of the tensor: 0 where it is repeated. */
    private int[] valueStrides() {
      int[] strides = new int[shape.rank()];
      int stride = 1;
      for (int i = value.shape().rank() - 1; i >= 0; i--) {
        int dimension = part.axes.length - value.shape().rank() + i;
        int size = (int) value.shape().size(i);
        if (size > 1 && part.axes[dimension] != StridedSlice.NEW_AXIS) {
          strides[part.axes[dimension]] = stride;
        }
        stride *= size;
      }
      return strides;
    }
  }
}
