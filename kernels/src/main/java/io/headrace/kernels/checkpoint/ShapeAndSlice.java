package io.headrace.kernels.checkpoint;

import static io.headrace.runtime.status.StatusException.invalidArgument;

import io.headrace.runtime.tensor.Shape;

/**
 * A part of a tensor and the shape of all of it, which the saving and restoring ops take as {@code
 * 4 3 0,2:-}: sizes, then the slice. Immutable.
 *
 * @param shape the shape of all of the tensor
 * @param slice the part
 */
record ShapeAndSlice(Shape shape, TensorSlice slice) {
  /**
   * The one that {@code text} writes. INVALID_ARGUMENT if it is none, INTERNAL, as in TensorFlow,
   * if the slice is not of that shape.
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
    var _ = result.partShape(); // fails if the slice is not of the shape
    return result;
  }

  /** All of a tensor of {@code shape}. */
  static ShapeAndSlice all(Shape shape) {
    return new ShapeAndSlice(shape, TensorSlice.full(shape.rank()));
  }

  /** The shape of the part. */
  public Shape partShape() {
    return slice.of(shape);
  }

  /** Whether the part is all. */
  boolean isAll() {
    return partShape().equals(shape);
  }
}
