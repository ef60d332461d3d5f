package io.headrace.kernels.nn;

import io.headrace.kernels.kit.Shapes;
import io.headrace.kernels.kit.StridedMove;
import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import io.headrace.runtime.tensor.TensorLimit;

/** Where images have their channels: first, behind the batch, or last, as the kernels want them. */
final class Channels {
  private Channels() {}

  /** The shape of images with channels last, of those of {@code shape} with channels first. */
  static Shape last(Shape shape) {
    int rank = shape.rank();
    return Shapes.concat(shape.sub(0, 1), Shapes.concat(shape.sub(2, rank), shape.sub(1, 2)));
  }

  /** The shape of images with channels first, of those of {@code shape} with channels last. */
  static Shape first(Shape shape) {
    int rank = shape.rank();
    return Shapes.concat(
        shape.sub(0, 1), Shapes.concat(shape.sub(rank - 1, rank), shape.sub(1, rank - 1)));
  }

  /** {@code images} with channels last, of images with channels first. */
  static Tensor last(Tensor images, Cancellation stop) {
    return turned(images, last(images.shape()), (int) images.shape().size(1), stop);
  }

  /** {@code images} with channels first, of images with channels last. */
  static Tensor first(Tensor images, Cancellation stop) {
    int channels = (int) images.shape().size(images.shape().rank() - 1);
    int pixels = channels == 0 ? 0 : images.shape().dropFirst(1).elements() / channels;
    return turned(images, first(images.shape()), pixels, stop);
  }

  /** Each image a matrix of {@code height} rows, which is transposed. */
  private static Tensor turned(Tensor images, Shape shape, int height, Cancellation stop) {
    Object array = TensorLimit.allocate(images.dtype(), shape);
    int size = shape.dropFirst(1).elements();
    int width = height == 0 ? 0 : size / height;
    new StridedMove(images.dtype().kind())
        .dimension((int) shape.size(0), size, size)
        .dimension(height, width, 1)
        .dimension(width, 1, height)
        .run(images.array(), images.offset(), array, 0, stop);
    return Tensor.of(images.dtype(), shape, array);
  }

  /** The channels {@code from} up to {@code end} of what has them last. */
  static Tensor slice(Tensor images, int from, int end, Cancellation stop) {
    int last = images.shape().rank() - 1;
    int all = (int) images.shape().size(last);
    Shape shape = Shapes.withSize(images.shape(), last, end - from);
    Object array = TensorLimit.allocate(images.dtype(), shape);
    move(images, images.offset() + from, all, array, 0, end - from, end - from, stop);
    return Tensor.of(images.dtype(), shape, array);
  }

  /** Puts {@code images} behind the first {@code from} of {@code all} channels of an array. */
  static void join(Tensor images, Object array, int from, int all, Cancellation stop) {
    int channels = (int) images.shape().size(images.shape().rank() - 1);
    move(images, images.offset(), channels, array, from, channels, all, stop);
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
        .run(images.array(), first, to, at, stop);
  }
}
