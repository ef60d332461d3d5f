package io.headrace.kernels.nn;

import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;
import io.headrace.runtime.tensor.TensorMemory;

/** Conversions between channels-first and channels-last images, and slices by channel. */
final class ChannelLayout {
  private ChannelLayout() {}

  /** The channels-last shape of images whose channels-first shape is {@code shape}. */
  static Shape last(Shape shape) {
    int rank = shape.rank();
    return Shapes.concat(shape.sub(0, 1), Shapes.concat(shape.sub(2, rank), shape.sub(1, 2)));
  }

  /** The channels-first shape of images whose channels-last shape is {@code shape}. */
  static Shape first(Shape shape) {
    int rank = shape.rank();
    return Shapes.concat(
        shape.sub(0, 1), Shapes.concat(shape.sub(rank - 1, rank), shape.sub(1, rank - 1)));
  }

  /** Converts channels-first {@code images} to channels last. */
  static Tensor last(Tensor images, Cancellation stop) {
    return transposed(images, last(images.shape()), (int) images.shape().size(1), stop);
  }

  /** Converts channels-last {@code images} to channels first. */
  static Tensor first(Tensor images, Cancellation stop) {
    int channels = (int) images.shape().size(images.shape().rank() - 1);
    int pixels = channels == 0 ? 0 : images.shape().dropFirst(1).elements() / channels;
    return transposed(images, first(images.shape()), pixels, stop);
  }

  /** Transposes each image as a matrix of {@code height} rows. */
  private static Tensor transposed(Tensor images, Shape shape, int height, Cancellation stop) {
    Object array = TensorLimit.allocate(images.dtype(), shape);
    int size = shape.dropFirst(1).elements();
    int width = height == 0 ? 0 : size / height;
    new StridedMove(images.dtype().kind())
        .dimension((int) shape.size(0), size, size)
        .dimension(height, width, 1)
        .dimension(width, 1, height)
        .run(TensorMemory.array(images), TensorMemory.offset(images), array, 0, stop);
    return Tensor.wrap(images.dtype(), shape, array);
  }

  /** The channels from {@code from} up to {@code end} of channels-last {@code images}. */
  static Tensor slice(Tensor images, int from, int end, Cancellation stop) {
    int last = images.shape().rank() - 1;
    int all = (int) images.shape().size(last);
    Shape shape = Shapes.withSize(images.shape(), last, end - from);
    Object array = TensorLimit.allocate(images.dtype(), shape);
    move(images, TensorMemory.offset(images) + from, all, array, 0, end - from, end - from, stop);
    return Tensor.wrap(images.dtype(), shape, array);
  }

  /**
   * Copies channels-last {@code images} into {@code array}, whose pixels have {@code all} channels,
   * from channel {@code from} on.
   */
  static void join(Tensor images, Object array, int from, int all, Cancellation stop) {
    int channels = (int) images.shape().size(images.shape().rank() - 1);
    move(images, TensorMemory.offset(images), channels, array, from, channels, all, stop);
  }

  private static void move(
      Tensor images,
      int first,
      int width,
      Object to,
      int at,
      int count,
      int toWidth,
      Cancellation stop) {
    int last = images.shape().rank() - 1;
    new StridedMove(images.dtype().kind())
        .dimension(images.shape().sub(0, last).elements(), width, toWidth)
        .dimension(count, 1, 1)
        .run(TensorMemory.array(images), first, to, at, stop);
  }
}
