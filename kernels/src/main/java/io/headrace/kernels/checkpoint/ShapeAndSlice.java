package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.Shape;

/**
 * A slice of a tensor and the shape of the whole tensor, as SaveV2 and RestoreV2 take them in
 * {@code shape_and_slices}: {@code 4 3 0,2:-}, the dimensions, then the slice. Immutable.
 *
 * @param shape the shape of the whole tensor
 * @param slice the slice
 */
record ShapeAndSlice(Shape shape, TensorSlice slice) {
  /**
   * Parses {@code text}. INVALID_ARGUMENT if it is malformed; INTERNAL, as in TensorFlow, if the
   * slice exceeds the shape.
   */
  public static ShapeAndSlice parse(String text) {
    String[] words = text.split(" ", -1);
    if (words.length < 2) {
      throw invalidArgument("Need least two elements in shape_and_slice specification: %s", text);
    }
    TensorSlice slice = TensorSlice.parse(words[words.length - 1]);
    long[] sizes = new long[words.length - 1];
    for (int i = 0; i < sizes.length; i++) {
      if (!words[i].matches("[0-9]{1,18}")) {
        throw invalidArgument("Non numerical dimension in shape_and_slice: %s", text);
      }
      sizes[i] = Long.parseLong(words[i]);
    }
    ShapeAndSlice result = new ShapeAndSlice(Shape.of(sizes), slice);
    var _ = result.partShape(); // fails if the slice exceeds the shape
    return result;
  }

  /** A whole tensor of {@code shape}. */
  static ShapeAndSlice whole(Shape shape) {
    return new ShapeAndSlice(shape, TensorSlice.full(shape.rank()));
  }

  /** The shape of the slice. */
  public Shape partShape() {
    return slice.shapeWithin(shape);
  }

  /** Whether the slice is the whole tensor. */
  boolean isWhole() {
    return partShape().equals(shape);
  }
}
