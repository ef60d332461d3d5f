package io.headrace.kernels.movement;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.kernels.kit.RowKernel;
import io.headrace.kernels.kit.Rows;
import io.headrace.kernels.kit.Shapes;
import io.headrace.runtime.op.NodeSpec;
import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeFunction;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reshape, ExpandDims, Squeeze and EnsureShape: views of a tensor with another shape. */
final class ReshapeOps {
  private ReshapeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Reshape(tensor: T, shape: Tshape) -> output: T")
            .attrs("T: type", "Tshape: {int32, int64} = int32")
            .shape(ReshapeOps::reshapeRule)
            .passesTensors()
            .kernel(RowKernel.of(ReshapeOps::reshape)),
        Op.define("ExpandDims(input: T, dim: Tdim) -> output: T")
            .attrs("T: type", "Tdim: {int32, int64} = int32")
            .shape(ReshapeOps::expandDimsRule)
            .passesTensors()
            .kernel(RowKernel.of(ReshapeOps::expandDims)),
        Op.define("Squeeze(input: T) -> output: T")
            .attrs("T: type", "squeeze_dims: list(int) = []")
            .shape(in -> List.of(squeezed(in.shape(0), in.attrs().integers("squeeze_dims"))))
            .passesTensors()
            .kernel(RowKernel.made(ReshapeOps::squeeze)),
        Op.define("EnsureShape(input: T) -> output: T")
            .attrs("shape: shape", "T: type")
            .shape(in -> List.of(Shapes.merge(in.shape(0), in.attrs().shape("shape"))))
            .kernel(RowKernel.made(ReshapeOps::ensureShape)));
  }

  private static boolean reshape(Rows rows) {
    Tensor sizes = rows.same(1);
    if (sizes == null) {
      return false;
    }
    rows.setView(0, 0, reshaped(rows.shape(0), sizes));
    return true;
  }

  /** The shape {@code sizes} for a tensor of shape {@code from}; a size of -1 is inferred. */
  private static Shape reshaped(Shape from, Tensor sizes) {
    if (sizes.shape().rank() > 1) {
      throw invalidArgument("sizes input must be 1-D, not %s", sizes.shape());
    }
    long[] target = sizes.integers();
    int unknown = checkSizes(target);
    if (unknown >= 0) {
      target[unknown] = missingSize(from, target);
    }
    Shape shape = Shape.of(target);
    long wanted = Shapes.elements(shape);
    if (wanted < 0) {
      throw invalidArgument("Shape %s has too many elements", Arrays.toString(target));
    }
    if (wanted != from.elements()) {
      throw invalidArgument(
          "Input to reshape is a tensor with %d values, but the requested shape has %d",
          from.elements(), wanted);
    }
    return shape;
  }

  /** The index of the size that is -1, or -1 if all sizes are given. */
  private static int checkSizes(long[] sizes) {
    int unknown = -1;
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] == -1 && unknown >= 0) {
        throw invalidArgument("Only one input size may be -1, not both %d and %d", unknown, i);
      }
      if (sizes[i] < -1) {
        throw invalidArgument("Size %d must be non-negative, not %d", i, sizes[i]);
      }
      unknown = sizes[i] == -1 ? i : unknown;
    }
    return unknown;
  }

  /**
   * The size to infer for -1. Sizes of 0 are ignored if {@code target} has one, so that the
   * inferred size is determined for an empty tensor, too.
   */
  private static long missingSize(Shape from, long[] target) {
    boolean zeroWanted = Arrays.stream(target).anyMatch(size -> size == 0);
    boolean zeroLeftOut = false;
    long elements = 1;
    for (long size : from.dimensions()) {
      zeroLeftOut |= size == 0 && zeroWanted;
      elements = size > 0 || !zeroWanted ? Shapes.multiply(elements, size) : elements;
    }
    long product = 1;
    for (long size : target) {
      product = size > 0 ? Shapes.multiply(product, size) : product;
    }
    if (product < 0) {
      throw invalidArgument("Shape %s has too many elements", Arrays.toString(target));
    }
    if (elements % product != 0 && !zeroLeftOut) {
      throw invalidArgument(
          "Input to reshape is a tensor with %d values, but the requested shape requires a multiple"
              + " of %d",
          elements, product);
    }
    return elements / product;
  }

  private static List<Shape> reshapeRule(ShapeFunction.Inputs in) {
    Shape from = in.shape(0);
    Shape to = Shapes.fromSizes(in, 1);
    int missing = soleUnknown(to);
    if (missing < 0 || from.isUnknownRank()) {
      return List.of(to);
    }
    long known = knownElements(to);
    if (from.isKnown() && known > 0) {
      return List.of(Shapes.withSize(to, missing, Shapes.elements(from) / known));
    }
    boolean alike = soleUnknown(from) >= 0 && knownElements(from) == known;
    return List.of(alike ? Shapes.withSize(to, missing, Shape.UNKNOWN_DIMENSION) : to);
  }

  /** The only unknown dimension; -1 if none or more than one is unknown. */
  private static int soleUnknown(Shape shape) {
    int found = -1;
    for (int axis = 0; axis < shape.rank(); axis++) {
      if (shape.size(axis) < 0) {
        if (found >= 0) {
          return -1;
        }
        found = axis;
      }
    }
    return found;
  }

  private static long knownElements(Shape shape) {
    long product = 1;
    for (long size : shape.dimensions()) {
      product = size < 0 ? product : Shapes.multiply(product, size);
    }
    return product;
  }

  private static boolean expandDims(Rows rows) {
    Tensor dim = rows.same(1);
    if (dim == null) {
      return false;
    }
    if (dim.elements() != 1) {
      throw invalidArgument("'dim' must be a tensor with a single value");
    }
    rows.setView(0, 0, expanded(rows.shape(0), dim.integer(0)));
    return true;
  }

  private static List<Shape> expandDimsRule(ShapeFunction.Inputs in) {
    Tensor dim = in.constant(1);
    Shape shape = in.shape(0);
    return List.of(
        dim == null || dim.elements() != 1 || shape.isUnknownRank()
            ? Shape.UNKNOWN
            : expanded(shape, dim.integer(0)));
  }

  private static Shape expanded(Shape shape, long dim) {
    int rank = shape.rank();
    Integer axis = Shapes.axis(dim, rank + 1);
    if (axis == null) {
      throw invalidArgument(
          "Tried to expand dim index %d for tensor with %d dimensions.", dim, rank);
    }
    return Shapes.concat(shape.sub(0, axis), shape.sub(axis, rank).prepend(1));
  }

  private static RowKernel.Body squeeze(NodeSpec node) {
    List<Long> axes = node.attrs().integers("squeeze_dims");
    return rows -> {
      rows.setView(0, 0, squeezed(rows.shape(0), axes));
      return true;
    };
  }

  /** {@code shape} without {@code axes}, or without all dimensions of size 1 if empty. */
  private static Shape squeezed(Shape shape, List<Long> axes) {
    if (shape.isUnknownRank()) {
      return shape;
    }
    boolean[] squeezed = new boolean[shape.rank()];
    for (long dim : axes) {
      Integer axis = Shapes.axis(dim, shape.rank());
      if (axis == null) {
        throw invalidArgument(
            "Tried to squeeze dim index %d for tensor with %d dimensions.", dim, shape.rank());
      }
      squeezed[axis] = true;
    }
    return axes.isEmpty() ? squeezedOfOnes(shape) : squeezed(shape, squeezed);
  }

  private static Shape squeezedOfOnes(Shape shape) {
    boolean unsure = Arrays.stream(shape.dimensions()).anyMatch(size -> size < 0);
    return unsure
        ? Shape.UNKNOWN
        : Shape.of(Arrays.stream(shape.dimensions()).filter(size -> size != 1).toArray());
  }

  private static Shape squeezed(Shape shape, boolean[] squeezed) {
    List<Long> kept = new ArrayList<>();
    for (int axis = 0; axis < squeezed.length; axis++) {
      long size = shape.size(axis);
      if (!squeezed[axis]) {
        kept.add(size);
      } else if (size >= 0 && size != 1) {
        throw invalidArgument(
            "Can not squeeze dim[%d], expected a dimension of 1, got %d", axis, size);
      }
    }
    return Shape.of(kept.stream().mapToLong(Long::longValue).toArray());
  }

  private static RowKernel.Body ensureShape(NodeSpec node) {
    Shape expected = node.attrs().shape("shape");
    return rows -> {
      Shape shape = rows.shape(0);
      if (!shape.isCompatibleWith(expected)) {
        throw invalidArgument(
            "Shape of tensor input %s is not compatible with expected shape %s.", shape, expected);
      }
      rows.setView(0, 0, shape);
      return true;
    };
  }
}
