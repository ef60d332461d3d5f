package io.headrace.runtime.kernel;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.op.Op;
import io.headrace.runtime.op.ShapeRule;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Ops that change a tensor's shape and share its elements. */
final class ShapeOps {
  private ShapeOps() {}

  static List<Op> ops() {
    return List.of(
        Op.define("Reshape(tensor: T, shape: Tshape) -> output: T")
            .attrs("T: type", "Tshape: {int32, int64} = int32")
            .shape(ShapeOps::reshapeRule)
            .kernel(RowKernel.of(ShapeOps::reshape)));
  }

  private static boolean reshape(Rows rows) {
    Tensor sizes = rows.same(1);
    if (sizes == null) {
      return false;
    }
    Tensor all = rows.all(0);
    Shape target = reshaped(rows.shape(0), sizes);
    if (rows.varies(0) || !rows.isMany()) {
      rows.set(0, all.reshape(rows.withRows(target)));
    } else {
      rows.setSame(0, all.reshape(target));
    }
    return true;
  }

  /** The shape that {@code sizes} asks of a tensor of the shape {@code from}. */
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

  /** The index of the size that is -1; -1 if there is none. */
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

  /** Zero sizes on both sides are left out, so that they leave the missing one determined. */
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

  private static List<Shape> reshapeRule(ShapeRule.Inputs in) {
    Shape from = in.shape(0);
    Shape to = Shapes.fromSizes(in, 1);
    int unknown = soleUnknown(to);
    if (unknown < 0 || to.isUnknownRank() || from.isUnknownRank()) {
      return List.of(to);
    }
    long known = knownElements(to);
    if (from.isKnown() && known > 0) {
      return List.of(Shapes.withSize(to, unknown, Shapes.elements(from) / known));
    }
    return List.of(to);
  }

  /** The one dimension that is not known; -1 if there is none, or more than one. */
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
}
